// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a packet simulation, for the files that step, set up and report it.

#include "sim/models/fabric.h"
#include "sim/models/growth_meter.h"
#include "sim/models/packet.h"
#include "sim/models/packet_record.h"

// Sums over the measured slots.
struct layer_meter {
	uint64_t up_now, down_now; // packets in all queues of the layer, before they move on
	uint64_t up_sum, down_sum;
	uint64_t decided, redirected, kept; // kept: on the default path so far, and taking it here
	uint32_t up_max, down_max;
};

struct active_switch;
struct drb_decider;
struct drb_decision;

// Another source of packets than the traffic of the setup, with its own rules of what joins a queue. A packet
// has what it likes in the place of its slot of birth (packet_word()).
struct drb_packet_source {
	// The packets that hosts give birth to in this slot into wire[host]. How many.
	uint64_t (*send)(struct drb_packet_sim *sim, uint64_t wire[]);
	// Where nothing is dead: the uplink of a packet; NULL: by the scheme. d as for drb_decide_uplink().
	uint32_t (*choose)(struct drb_packet_sim *sim, const struct active_switch *at,
			   const struct drb_decider *decider, uint64_t word,
			   struct drb_decision *d);
	// The arrivals of a slot at a switch have joined its queues; NULL: whatever they are.
	void (*settle)(const struct drb_packet_sim *sim, const struct active_switch *at);
	// A packet joins this queue, which holds so many or more. 0 or -ENOMEM.
	int (*join)(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t queue,
		    uint64_t word, uint32_t *max);
	uint32_t join_from;
	// Where something is dead: what tells the flow of a packet from others (sim_flow()); a packet finds no way.
	uint64_t (*flow)(const struct drb_packet_sim *sim, uint64_t word);
	void (*lose)(struct drb_packet_sim *sim, uint64_t word);
	// What crosses the links to n hosts in the next slot.
	void (*receive)(struct drb_packet_sim *sim, const uint64_t word[], uint32_t n);
	void *context;
};

struct drb_packet_sim {
	struct drb_packet_setup setup;
	struct drb_fabric fabric;
	struct drb_choice choice; // but for the uplinks, which depend on the layer
	// What the scheme keeps at the switches of a layer, so many octets each; NULL: nothing.
	char *state[DRB_LAYERS_MAX + 1];
	size_t state_size[DRB_LAYERS_MAX + 1];
	struct drb_traffic traffic;
	uint32_t *traffic_memory;
	uint32_t *dest;                      // of every host, this slot
	uint64_t *arrived_up, *arrived_down; // at one switch, this slot
	struct drb_rng traffic_rng, rng;
	uint32_t slot; // the next to be simulated
	// What a packet carries between its destination and the slot of its birth, from bit 32 on:
	// its source, where packets are recorded, else part of it for schemes that hash flows; the
	// mark of its scheme; the mark of a detour or, if nothing is dead, a bit: it left its default path. Where
	// they stand, and as many ones as they have bits.
	uint32_t source_mask, flow_mask, mark_mask, detour_mask;
	uint32_t mark_at, detour_at, birth_at;
	struct drb_failures failures;
	struct drb_slow_links slow;
	const struct drb_packet_source *source; // NULL: the traffic of the setup
	// Destinations of the slots from drawn_from on, drawn for several runs; NULL: it draws its own.
	const uint32_t *drawn;
	uint32_t drawn_from;

	uint64_t born, delivered, lost, hops;
	uint32_t first_measured; // slot
	uint64_t measured_born, measured_delivered, measured_lost, measured_latency,
		delivered_measuring;
	uint64_t late_delivered,
		late_latency; // of those measured, what the later half of the slots bore
	uint32_t *largest;    // latency of the packets born in each measured slot
	struct drb_growth_meter growth;
	struct drb_packet_record *record; // NULL: no detail asked for
	struct layer_meter meter[DRB_LAYERS_MAX + 1];
};

// The run takes another slot.
bool drb_packet_goes_on(const struct drb_packet_sim *sim);
// What it came to; rc: of its last step.
void drb_packet_report(struct drb_packet_sim *sim, int rc, struct drb_packet_result *result);

// What the scheme keeps at a switch of a layer; NULL: nothing.
static inline void *sim_state(const struct drb_packet_sim *sim, uint32_t layer, uint32_t s)
{
	return sim->state[layer] ? sim->state[layer] + s * sim->state_size[layer] : NULL;
}

// What a packet of this host carries of it.
static inline uint32_t source_tag(const struct drb_packet_sim *sim, uint32_t host)
{
	return sim->source_mask ? host : (uint32_t)drb_mix64(host) & sim->flow_mask;
}

static inline uint32_t birth_of(const struct drb_packet_sim *sim, uint64_t word)
{
	return (uint32_t)(word >> sim->birth_at);
}

// The slot that is being simulated is one of the measured ones.
static inline bool is_measured(const struct drb_packet_sim *sim)
{
	return sim->slot >= sim->first_measured && sim->slot < sim->setup.slots;
}

static inline uint64_t packet_word(const struct drb_packet_sim *sim, uint32_t dest, uint32_t tag,
				   uint32_t birth)
{
	return (uint64_t)birth << sim->birth_at | (uint64_t)tag << 32 | dest;
}

// A packet finds no way.
static inline void lose(struct drb_packet_sim *sim, uint64_t word)
{
	uint32_t birth = birth_of(sim, word);

	sim->lost++;
	sim->measured_lost += birth >= sim->first_measured && birth < sim->setup.slots;
}

// A packet reaches its host in the next slot.
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
		if (latency > sim->largest[at])
			sim->largest[at] = latency;
		if (__builtin_expect(sim->record != NULL, 0))
			drb_record_packet(sim->record, word >> 32 & sim->source_mask,
					  (uint32_t)word, birth, latency);
	}
}
