// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packet model (paper: "Permutation-packet Routing"). Time is in slots. In slot t, every link
// first moves at most the packet at the head of its queue. Then the packets that crossed are queued
// at the switches that they reached. The arrivals of one switch come in uniformly random order (or
// by port), and each chooses its uplink by the loads that it finds. Finally, hosts give birth to
// packets, which cross their links in slot t + 1. Latency = slot of delivery - slot of birth. Links
// may take longer, and switches may know old lengths of queues (delay.h).

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/schemes/schemes.h"
#include "core/traffic/traffic.h"

#include "drb/threshold.h"

#include "common/measures/latency.h"
#include "common/measures/reordering.h"

#include "sim/models/delay.h"
#include "sim/models/faults.h"
#include "sim/models/link_figures.h"
#include "sim/models/slow.h"

struct drb_packet_setup {
	struct drb_tree tree;
	enum drb_scheme scheme;
	uint32_t choices; // for schemes with a threshold; the paper has 2
	double threshold;
	struct drb_traffic_kind traffic;
	double rho;
	uint32_t slots;      // packets are born in at least this many slots
	uint32_t most_slots; // the run ends here even if measured packets are in flight; 0: never
	bool give_up;        // the run ends after `slots` if queues grow then
	uint32_t stats;      // packets born in the last `stats` of `slots` are measured, 1..slots
	uint64_t seed;       // equal seeds give the same traffic to all schemes
	uint64_t memory;     // bytes that the run may take
	// From 2 on, this many threads share each slot. The figures are those of one thread, unless
	// memory runs out.
	uint32_t threads;
	struct drb_fail fail;
	struct drb_fault_list faults;
	struct drb_slow slow;
	struct drb_delay delay;
	// Above one slot only without `slow`. Packets of `traffic` always leave their hosts in one.
	struct drb_paces pace;
	bool detail; // the result includes `detail`, and links are recorded in the measured slots
	bool links;  // links are recorded in all slots
	// Gets the thousandths of `slots` that are done, for any thread to read. NULL: not wanted,
	// as in small fabrics, whose slots are quick.
	atomic_uint *share;
};

// Further figures of the measured packets, computed on request.
struct drb_packet_detail {
	struct drb_latency latency; // in slots; without the tail
	struct drb_reordering order;
	struct drb_link_use up[DRB_LAYERS_MAX + 1], down[DRB_LAYERS_MAX + 1]; // [layer]
};

struct drb_packet_result {
	double latency; // mean, slots
	// Mean latency of the packets born in the later half of the measured slots, divided by that
	// of the earlier half, minus 1. About 0 if queues had settled; NaN if a half has no
	// packets.
	double drift;
	// Largest latency of the packets born in a slot, averaged over the measured slots.
	double tail;
	double redirected; // share of upward decisions that left the default; NaN without decisions
	// Share of packets through a core that took the default at each switch. NaN without such
	// packets, and in fabrics with failures.
	double default_path;
	double throughput; // packets delivered per host and slot, over the measured slots
	// `growing`: queues grow while the traffic lasts (growth.h), or memory ran out;
	// growing_links is their number. `unclear`: some queues may grow, which a longer run would
	// show.
	bool growing, unclear, out_of_memory;
	uint64_t growing_links;
	// The least overload of a link that the run would show, as a share of its rate; NaN: queues
	// grow.
	double least_overload;
	double up_mean[DRB_LAYERS_MAX + 1], down_mean[DRB_LAYERS_MAX + 1]; // per queue, [layer]
	uint32_t up_max[DRB_LAYERS_MAX + 1], down_max[DRB_LAYERS_MAX + 1];
	// Share of measured packets that found no path, or that faults took.
	double lost;
	struct drb_lost lost_to; // packets of the whole run
	uint64_t hops;           // links crossed in the whole run
	uint64_t slots;          // slots of the run
	// Measured packets still in flight when memory or time ran out. Their latency up to then
	// counts.
	uint64_t undelivered;
	struct drb_packet_detail detail; // zeroed unless requested
};

// Bytes that a run takes before its queues grow, for a check before it starts.
uint64_t drb_packet_bytes(const struct drb_packet_setup *setup);

struct drb_packet_sim;

// 0, -ENOMEM, -ERANGE (K of the traffic does not fit the tree; slots or tree too large for the
// packet word) or -EINVAL (rho, stats or threshold out of range).
int drb_packet_new(struct drb_packet_sim **sim, const struct drb_packet_setup *setup);
void drb_packet_free(struct drb_packet_sim *sim);

// Simulates one slot. -ENOMEM: the queues outgrew setup.memory, and the simulation cannot go on.
int drb_packet_step(struct drb_packet_sim *sim);

// Numbers for checks of conservation, valid after any number of steps.
struct drb_packet_count {
	uint64_t in, out; // born, delivered
	uint64_t inside;  // in queues and on links, counted one by one
	uint64_t lost;    // found no path, or faults took them
	uint64_t hops;
};
struct drb_packet_count drb_packet_counted(const struct drb_packet_sim *sim);

// The number of links, those to hosts included; and figures of each, if they were recorded.
uint64_t drb_packet_links(const struct drb_tree *t);
struct drb_link_figures drb_packet_link(const struct drb_packet_sim *sim, uint64_t i);

// Runs to the end and reports. The caller still has to free `sim`.
void drb_packet_run(struct drb_packet_sim *sim, struct drb_packet_result *result);
// Runs several simulations from their first slots on, with the same results as drb_packet_run().
// They have the same tree, traffic, load and seed, so the traffic is drawn once. -ENOMEM: nothing
// was run.
int drb_packet_run_together(struct drb_packet_sim *const sim[], uint32_t count,
			    struct drb_packet_result result[]);
