// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packet model. Paper: "Permutation-packet Routing".
// Time is in slots. In slot t every link moves at most the packet at the head of its queue; then
// the packets that crossed are queued at the switches they reached, those of one switch in
// uniformly random order (or by port), each choosing its uplink by the loads it finds; then hosts
// give birth to packets that cross their links in slot t + 1. Latency = slot of delivery - slot of
// birth. Links may take longer, and what switches know of queues be older (delay.h).

#include <stdbool.h>
#include <stdint.h>

#include "core/schemes/schemes.h"
#include "core/traffic/traffic.h"

#include "drb/threshold.h"

#include "common/measures/growth.h"
#include "common/measures/latency.h"
#include "common/measures/reordering.h"

#include "sim/models/delay.h"
#include "sim/models/failure.h"
#include "sim/models/slow.h"

struct drb_packet_setup {
	struct drb_tree tree;
	enum drb_scheme scheme;
	uint32_t choices; // of the schemes with a threshold: 2 = the paper's
	double threshold;
	struct drb_traffic_kind traffic;
	double rho;
	uint32_t slots;      // births run at least this long
	uint32_t most_slots; // the run ends here even if measured packets are under way; 0: never
	bool give_up;        // it ends after `slots` if the queues are growing then
	uint32_t stats;      // packets born in the last `stats` of them are measured, 1..slots
	uint64_t seed;       // equal seeds give equal traffic to all schemes
	uint64_t memory;     // bytes the run may take
	struct drb_fail fail;
	struct drb_slow slow;
	struct drb_delay delay;
	bool detail; // the result has the detail
};

// How much of its capacity a link between switches, or to a host, uses in the measured slots: of the
// links of one kind the mean, and the largest.
struct drb_link_use {
	double mean, max;
};

// Of one link and the queue before it.
struct drb_link_figures {
	struct drb_end from; // the port that sends
	double use, queue_mean;
	uint32_t queue_max;
	enum drb_growth growing;
};

// What is asked for apart, of the measured packets.
struct drb_packet_detail {
	struct drb_latency latency; // in slots; without the tail
	struct drb_reordering order;
	struct drb_link_use up[DRB_LAYERS_MAX + 1], down[DRB_LAYERS_MAX + 1]; // [layer]
};

struct drb_packet_result {
	double latency; // mean, slots
	double drift; // mean latency of what the later half of the measured slots bore, over that of
		// the earlier half, less 1: about 0 if queues had settled; NaN: nothing to tell
	double tail;       // mean over the measured slots of the largest latency born in the slot
	double redirected; // share of upward decisions that left the default, NaN without any
	// Of the packets that went up to a core, the share that took the default at each switch; NaN without any, and
	// where something is dead.
	double default_path;
	double throughput; // packets delivered per host and slot, over the measured slots
	// Queues grow for as long as the traffic lasts (growth.h), and how many, or memory ran out. unclear: some
	// may, which a longer run tells.
	bool growing, unclear, out_of_memory;
	uint64_t growing_links;
	double up_mean[DRB_LAYERS_MAX + 1], down_mean[DRB_LAYERS_MAX + 1]; // per queue, [layer]
	uint32_t up_max[DRB_LAYERS_MAX + 1], down_max[DRB_LAYERS_MAX + 1];
	double lost;    // share of measured packets that found no way
	uint64_t hops;  // links crossed in the whole run
	uint64_t slots; // slots the run took
	// Measured packets still under way when memory or time ran out; they count with the latency they
	// had by then.
	uint64_t undelivered;
	struct drb_packet_detail detail; // if asked for
};

// Memory a run takes before its queues grow, for a message before it starts.
uint64_t drb_packet_bytes(const struct drb_packet_setup *setup);

struct drb_packet_sim;

// -ENOMEM, -ERANGE (K of the traffic does not fit the tree; slots or tree too large for the packet
// word), -EINVAL (rho, stats or threshold out of range).
int drb_packet_new(struct drb_packet_sim **sim, const struct drb_packet_setup *setup);
void drb_packet_free(struct drb_packet_sim *sim);

// One slot. -ENOMEM when the queues outgrow setup.memory; the simulation then cannot go on.
int drb_packet_step(struct drb_packet_sim *sim);

// For invariants, after any number of steps.
struct drb_packet_count {
	uint64_t in, out; // born, delivered
	uint64_t inside;  // in queues and on links, counted one by one
	uint64_t lost;    // found no way around what is dead
	uint64_t hops;
};
struct drb_packet_count drb_packet_counted(const struct drb_packet_sim *sim);

// How many links there are, with those to hosts, and after a run with the detail each of them.
uint64_t drb_packet_links(const struct drb_tree *t);
struct drb_link_figures drb_packet_link(const struct drb_packet_sim *sim, uint64_t i);

// Runs to the end and reports. Frees nothing.
void drb_packet_run(struct drb_packet_sim *sim, struct drb_packet_result *result);
// Likewise several that differ neither in tree, traffic and load nor in seed, from their first slots on: to the
// same figures, but what hosts send is drawn once. -ENOMEM: nothing was run.
int drb_packet_run_together(struct drb_packet_sim *const sim[], uint32_t count,
			    struct drb_packet_result result[]);
