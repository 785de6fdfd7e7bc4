// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a packet simulation, for the files that step, set up and report it.

#include "sim/models/fabric.h"
#include "sim/models/growth_meter.h"
#include "sim/models/packet.h"
#include "sim/models/packet_record.h"

// Sums over the measured slots.
struct layer_meter {
	uint64_t up_now, down_now; // packets in all queues of the layer, before departures
	uint64_t up_sum, down_sum;
	// kept: decisions that kept a packet on its default path.
	uint64_t decided, redirected, kept;
	uint32_t up_max, down_max;
};

struct active_switch;
struct drb_decider;
struct drb_decision;

// A source of packets that replaces the traffic of the setup and has its own rules for joining a
// queue. In the bits for the slot of birth, its packets may have any contents (packet_word()).
struct drb_packet_source {
	// Writes the packets that hosts give birth to in this slot into wire[host]. Returns their
	// number.
	uint64_t (*send)(struct drb_packet_sim *sim, uint64_t wire[]);
	// Chooses the uplink of a packet in a fabric without failures; d is that of
	// drb_decide_uplink(). NULL: the scheme chooses.
	uint32_t (*choose)(struct drb_packet_sim *sim, const struct active_switch *at,
			   const struct drb_decider *decider, uint64_t word,
			   struct drb_decision *d);
	// Called when the arrivals of a slot at a switch have joined its queues. NULL: not called.
	void (*settle)(const struct drb_packet_sim *sim, const struct active_switch *at);
	// Puts a packet into a queue that holds at least join_from packets. 0 or -ENOMEM.
	int (*join)(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t queue,
		    uint64_t word, uint32_t *max);
	uint32_t join_from;
	// Used in fabrics with failures. flow() returns the hash of a packet's flow (sim_flow()).
	// lose() is called for a packet that finds no path or is taken by a fault.
	uint64_t (*flow)(const struct drb_packet_sim *sim, uint64_t word);
	void (*lose)(struct drb_packet_sim *sim, uint64_t word);
	// Receives the words that cross the links to n hosts in the next slot. Links without a
	// packet have DRB_NO_PACKET.
	void (*receive)(struct drb_packet_sim *sim, const uint64_t word[], uint32_t n);
	void *context;
};

struct drb_packet_sim {
	struct drb_packet_setup setup;
	struct drb_fabric fabric;
	struct drb_choice choice; // without the number of uplinks, which depends on the layer
	// State of the scheme at the switches of a layer, and bytes per switch; NULL: no state.
	char *state[DRB_LAYERS_MAX + 1];
	size_t state_size[DRB_LAYERS_MAX + 1];
	struct drb_traffic traffic;
	uint32_t *traffic_memory;
	uint32_t *dest;                      // [host]: destination in this slot
	uint64_t *arrived_up, *arrived_down; // at one switch in this slot
	struct drb_rng traffic_rng, rng;
	uint32_t slot; // the next to be simulated
	// The fields of a packet's word between destination and slot of birth, from bit 32 on, as
	// masks and positions. First comes the source if packets are recorded, otherwise a hash of
	// the source for schemes that read flows. Then come the mark of the scheme and the detour
	// mark. A fabric without failures has one bit instead of the detour mark. It is set if the
	// packet left its default path.
	uint32_t source_mask, flow_mask, mark_mask, detour_mask;
	uint32_t mark_at, detour_at, birth_at;
	struct drb_failures failures;
	struct drb_faults *faults; // owned; NULL: no faults
	struct drb_slow_links slow;
	const struct drb_packet_source *source; // NULL: the traffic of the setup
	// Destinations of the slots from drawn_from on, drawn for several runs. NULL: the run draws
	// its own.
	const uint32_t *drawn;
	uint32_t drawn_from;

	union {
		struct {
			uint64_t born, delivered, lost, hops;
			uint64_t measured_born, measured_delivered, measured_lost, measured_latency,
				delivered_measuring;
			// Measured packets born in the later half of these slots.
			uint64_t late_delivered, late_latency;
			struct drb_lost lost_to;
		};
		uint64_t counts[14]; // all fields above, which have the same size
	};
	uint32_t first_measured; // slot
	uint32_t *largest;       // latency of the packets born in each measured slot; atomic
	struct drb_growth_meter growth;
	struct drb_packet_record *record; // NULL: no detail requested
	struct drb_link_record *links;    // NULL: not requested
	struct layer_meter meter[DRB_LAYERS_MAX + 1];
	struct drb_packet_parts *parts; // owned; NULL: one thread does all
};

// A host gives birth to a packet, or none, for the next slot.
void drb_packet_births(struct drb_packet_sim *sim);
// The slot of some switches of a layer, with the draws of sim->rng. 0 or -ENOMEM.
int drb_packet_switches(struct drb_packet_sim *sim, struct drb_layer *l, struct drb_range range);

// True if the run takes another slot.
bool drb_packet_goes_on(const struct drb_packet_sim *sim);
// Fills in the result. rc: of the last step.
void drb_packet_report(struct drb_packet_sim *sim, int rc, struct drb_packet_result *result);

// The scheme's state at a switch of a layer; NULL: no state.
static inline void *sim_state(const struct drb_packet_sim *sim, uint32_t layer, uint32_t s)
{
	return sim->state[layer] ? sim->state[layer] + s * sim->state_size[layer] : NULL;
}

// The bits of its source that a packet carries.
static inline uint32_t source_tag(const struct drb_packet_sim *sim, uint32_t host)
{
	return sim->source_mask ? host : (uint32_t)drb_mix64(host) & sim->flow_mask;
}

static inline uint32_t birth_of(const struct drb_packet_sim *sim, uint64_t word)
{
	return (uint32_t)(word >> sim->birth_at);
}

// True if the slot that is being simulated is measured.
static inline bool is_measured(const struct drb_packet_sim *sim)
{
	return sim->slot >= sim->first_measured && sim->slot < sim->setup.slots;
}

static inline uint64_t packet_word(const struct drb_packet_sim *sim, uint32_t dest, uint32_t tag,
				   uint32_t birth)
{
	return (uint64_t)birth << sim->birth_at | (uint64_t)tag << 32 | dest;
}

// Counts a packet that finds no path or is taken by a fault.
static inline void lose(struct drb_packet_sim *sim, uint64_t word)
{
	uint32_t birth = birth_of(sim, word);

	sim->lost++;
	sim->measured_lost += birth >= sim->first_measured && birth < sim->setup.slots;
}

// Parts of the fabric share *most.
static inline void raise_to(uint32_t *most, uint32_t value)
{
	uint32_t now = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (value > now && !__atomic_compare_exchange_n(most, &now, value, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

// Counts a packet that reaches its host in the next slot.
static inline void deliver(struct drb_packet_sim *sim, uint64_t word)
{
	uint32_t birth = birth_of(sim, word);
	uint32_t at = birth - sim->first_measured;

	if (birth >= sim->first_measured && birth < sim->setup.slots) {
		uint32_t latency = sim->slot + 1 - birth;
		sim->measured_delivered++;
		sim->measured_latency += latency;
		if (at >= sim->setup.stats / 2) {
			sim->late_delivered++;
			sim->late_latency += latency;
		}
		raise_to(&sim->largest[at], latency);
		if (__builtin_expect(sim->record != NULL, 0))
			drb_record_packet(sim->record, word >> 32 & sim->source_mask,
					  (uint32_t)word, birth, latency);
	}
}
