// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options that the verbs of transfers share, beside those of any fabric: --unit, --gap, --queue,
// --source, --mark, --timeout, --ack, --ack-room, --handshake, --slow.

#include <argp.h>

#include "sim/flows/transfers.h"
#include "sim/runs/options.h"
#include "sim/runs/sample.h"

struct sim_transfer_options {
	enum drb_sim_unit unit;
	enum drb_sim_source source;
	uint32_t gap, queue, mark, timeout;
	double ack, ack_room;
	bool handshake;
	struct drb_slow slow;
};

// The children of both verbs' parsers; their inputs in this order: fabric, transfers, common.
extern const struct argp_child sim_transfer_children[];
struct sim_transfer_options sim_transfer_default(void);

// Of a fabric whose scheme and threshold are the caller's to set.
struct drb_transfers_setup sim_transfers_setup(const struct sim_fabric *f,
					       const struct sim_transfer_options *o);

// "packet", "flow", "flowlet"
const char *sim_unit_name(enum drb_sim_unit unit);
// "open", "window", "spray"
const char *sim_source_name(enum drb_sim_source source);

// Schemes that route packets alone are refused with another unit, or left out if all were asked for.
// How many runs fit the memory at a time, as many threads as are wanted at most; *memory: bytes for each.
uint32_t sim_transfers_prepare(const struct sim_common *c, struct sim_fabric *f,
			       const struct sim_transfer_options *o, uint64_t *memory);
// The paper's T, unless one is given: of packets for uplinks of this load; of flows for so many on an uplink.
double sim_transfers_threshold(const struct sim_fabric *f, const struct sim_transfer_options *o,
			       double load, double flows);
// A cell: the mean, nothing of no figures.
void sim_put_mean(struct drb_table *t, const struct sim_sample *s);
// The cells of both verbs' last columns, dropped and resent: shares of the packets sent.
void sim_put_losses(struct drb_table *t, uint64_t packets, uint64_t dropped, uint64_t resent);
