// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options that the verbs of transfers share, beside those of any fabric: --unit, --gap, --queue,
// --trim, --source, --hosts, --gray, --mark, --timeout, --ack, --ack-room, --handshake, and of timing.

#include "sim/flows/transfers.h"
#include "sim/runs/timing_options.h"
#include "sim/runs/options.h"

// What each of these verbs begins with.
struct sim_transfer_verb {
	struct sim_common common;
	struct sim_fabric fabric;
	uint64_t memory; // bytes of one run
	enum drb_sim_unit unit;
	enum drb_sim_source source;
	enum drb_sim_hosts hosts;
	struct drb_gray gray;
	uint32_t gap, queue, mark, timeout;
	double ack, ack_room;
	uint32_t longest;           // slots of a list
	bool handshake, trim, jobs; // jobs: all that hosts send is known
	struct sim_timing timing;
};

extern const struct drb_option sim_transfer_options[];
extern const struct drb_option sim_longest_option[]; // --longest, of verbs that play lists
// clang-format off
#define SIM_TRANSFER_SETS(v) SIM_FABRIC_SET(&(v)->fabric), {.option = sim_transfer_options, v},  \
	{.option = sim_timing_options, &(v)->timing}
// clang-format on
struct sim_transfer_verb sim_transfer_default(void);

// Of a run with this seed, counted from --seed; scheme and threshold are the caller's to set.
struct drb_transfers_setup sim_transfers_setup(const struct sim_transfer_verb *v, uint64_t seed);
// Dies with the reason if a run failed: rc is a negative errno.
void sim_transfers_check(const struct sim_transfer_verb *v, int rc);

// Schemes that route packets alone are refused with another unit, or left out if all were asked for.
// How many runs fit the memory at a time, as many threads as are wanted at most.
uint32_t sim_transfers_prepare(struct sim_transfer_verb *v);
// The paper's T, unless one is given: of packets for uplinks of this load; of flows for so many on an uplink.
double sim_transfers_threshold(const struct sim_transfer_verb *v, enum drb_scheme scheme,
			       double load, double flows);
// Cells: --unit, --source and --hosts.
void sim_put_source(struct drb_table *t, const struct sim_transfer_verb *v);
// Warns if so many of the transfers of a list never arrived. `of`: what they belong to.
void sim_warn_never(const struct sim_transfer_verb *v, const char *of, uint64_t never,
		    uint64_t transfers);
// Cells dropped and resent: shares of the packets sent.
void sim_put_losses(struct drb_table *t, uint64_t packets, uint64_t dropped, uint64_t resent);
