// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The replies of a switch's stats socket as structs. Each function sends one command and checks the whole
// reply. It returns 0, or a negative errno as drb_telemetry_ask() does.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/fabric/names.h"
#include "core/counters.h"
#include "core/schemes/schemes.h"

#include "common/telemetry/telemetry_client.h"

#define DRB_READER_TEXT_MAX 64

// A number that a switch tells as text; NaN if it is none.
static inline double drb_reader_number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end == text || *end ? NAN : value;
}

struct drb_switch_info {
	char name[DRB_NAME_MAX];   // s1-0
	char fabric[DRB_NAME_MAX]; // drb
	char version[DRB_READER_TEXT_MAX];
	char code[DRB_READER_TEXT_MAX * 2]; // "(1,0)", top component first
	uint64_t layers, arity, layer, label;
	uint64_t uplinks; // of layer 1
	uint64_t pid, ready, uptime_ns, ports;
	uint64_t reloads;      // of the config, since the start
	uint64_t ports_usable; // of ports
	uint64_t stuck;        // a worker is
	char trouble[160];     // what is wrong with the others; "" if nothing is
};

struct drb_switch_port {
	char name[DRB_NAME_MAX];     // d0, u1
	char peer[2 * DRB_NAME_MAX]; // "s2-0.d1"
	char driver[DRB_READER_TEXT_MAX], device[DRB_READER_TEXT_MAX * 2];
	char state[DRB_READER_TEXT_MAX], rate[DRB_READER_TEXT_MAX];
	char occupancy
		[DRB_READER_TEXT_MAX]; // "queue", or "ring": that behind the queue counts, too
	uint64_t usable;   // 1: the port takes traffic, also while it is drained and still needed
	uint64_t queue;    // packets, limit of the egress queue
	uint64_t overhead; // bytes a frame takes on the wire beyond its own
	char neighbour[2 * DRB_NAME_MAX]; // who says hello there, "" if nobody does
	// What was lost within about a minute of what the neighbour sent, and of what the switch sent it,
	// in millionths.
	uint64_t loss_in, loss_out;
	struct drb_port_counters count;
	bool steered; // an XDP program counts here: xdp is there
	struct drb_xdp_counters xdp;
};

struct drb_switch_routing {
	char scheme[DRB_SCHEME_TEXT_MAX], unit[DRB_READER_TEXT_MAX];
	char threshold[DRB_READER_TEXT_MAX];
	char threshold_mode[DRB_READER_TEXT_MAX];   // "auto" or "fixed"
	char utilisation[DRB_READER_TEXT_MAX];      // rho of the uplinks; "" if there are none
	char flows_per_uplink[DRB_READER_TEXT_MAX]; // c
	uint64_t flows;                             // live
	uint64_t choices, seed;
	struct drb_routing_counters count;
};

// Decisions by load(default) - load(candidate), see core/counters.h.
struct drb_switch_differences {
	uint64_t every;
	uint64_t count[DRB_DIFFERENCES];
};

struct drb_switch_drops {
	uint64_t reason[DRB_DROP_COUNT];
};

struct drb_switch_worker {
	char idle[DRB_READER_TEXT_MAX];
	uint64_t time_ns;
	uint64_t cycles_hz; // of the time stamp counter
	uint64_t buffers, buffers_free;
	struct drb_worker_counters count;
};

// Everything, of one instant.
struct drb_switch_all {
	uint64_t time_ns; // CLOCK_MONOTONIC
	struct drb_switch_info info;
	struct drb_switch_routing routing;
	struct drb_switch_drops drops;
	struct drb_switch_differences differences;
	struct drb_switch_worker worker;
	uint64_t burst_size[DRB_LOG_BINS], queue_length[DRB_LOG_BINS];
	uint32_t port_count;
	struct drb_switch_port *ports; // owned: drb_switch_all_free()
	struct drb_memory memory;      // by drb_read_memory()
};

#define DRB_ORDER_TEXT_MAX 2048

// Asks for something to be done: DRB_CMD_RELOAD and its like. *done says whether it was, text what
// the switch says about it.
int drb_order(struct drb_telemetry *t, const char *command, const char *param, bool *done,
	      char text[DRB_ORDER_TEXT_MAX]);

int drb_read_info(struct drb_telemetry *t, struct drb_switch_info *info);
int drb_read_all(struct drb_telemetry *t, struct drb_switch_all *all);
// A reply to DRB_CMD_ALL, for callers that do not wait for it. 0, -EPROTO, -ENOMEM, -EIO: a worker is stuck, so that
// the switch can tell nothing, or -ETIMEDOUT: one gets no CPU.
int drb_all_take(const json_t *reply, struct drb_switch_all *all);
int drb_read_memory(struct drb_telemetry *t, struct drb_memory *memory);
void drb_switch_all_free(struct drb_switch_all *all);
// The port of this name; NULL: there is none.
const struct drb_switch_port *drb_port_named(const struct drb_switch_all *all, const char *name);
