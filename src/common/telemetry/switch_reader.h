// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The replies of a switch's stats socket as structs. Each function sends one command and returns 0,
// or a negative errno like drb_telemetry_ask(). The switch may be of another version: only the
// values that identify it must be present. Values that the reply lacks are DRB_UNKNOWN or
// DRB_UNKNOWN_TEXT. Keys that this version does not know are ignored. Values of another type are
// -EPROTO.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/fabric/addresses.h"
#include "core/fabric/names.h"
#include "core/fabric/tree.h"
#include "core/counters.h"
#include "core/schemes/schemes.h"

#include "common/cli/unknown.h"
#include "common/telemetry/telemetry_client.h"

#define DRB_READER_TEXT_MAX 64

// A number that a switch sends as text; NaN if the text is no number.
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
	char code[DRB_CODE_MAX]; // "(1,0)", top component first
	uint64_t layers, arity, layer, label;
	uint64_t uplinks; // uplinks of a layer-1 switch
	uint64_t pid, ready, uptime_ns, ports;
	uint64_t reloads;      // reloads of the config since the start
	uint64_t ports_usable; // number of usable ports
	uint64_t stuck;        // 1: a worker is stuck
	uint64_t capturing;    // 1: a capture of its packets runs
	char trouble[160];     // problems of ports and workers; "" if there are none
	char mac[DRB_READER_TEXT_MAX], ipv4[DRB_READER_TEXT_MAX], ipv6[DRB_READER_TEXT_MAX];
};

// Returns the tree to which a switch belongs by its own report; its `layers` are 0 if there is no
// such tree.
struct drb_tree drb_info_tree(const struct drb_switch_info *info);
// Returns the addresses of this tree's hosts. What the switch does not report is the default.
static inline struct drb_addr_plan drb_info_addresses(const struct drb_switch_info *info)
{
	struct drb_addr_plan plan = drb_addr_default(drb_info_tree(info).hosts);

	drb_addr_set_mac(&plan, info->mac);
	drb_addr_set_ipv4(&plan, info->ipv4);
	drb_addr_set_ipv6(&plan, info->ipv6);
	return plan;
}

struct drb_switch_port {
	char name[DRB_NAME_MAX];     // d0, u1
	char peer[2 * DRB_NAME_MAX]; // "s2-0.d1"
	char driver[DRB_READER_TEXT_MAX], device[DRB_READER_TEXT_MAX * 2];
	char state[DRB_READER_TEXT_MAX], rate[DRB_READER_TEXT_MAX];
	// "queue", or "ring": packets in the driver's ring count, too.
	char occupancy[DRB_READER_TEXT_MAX];
	uint64_t usable;   // 1: the port takes traffic; a drained port that is needed does, too
	uint64_t queue;    // limit of the egress queue, packets
	uint64_t since_ns; // when the state was entered, CLOCK_MONOTONIC; 0: no hellos
	uint64_t overhead; // bytes that a frame takes on the wire besides its own
	char neighbour[2 * DRB_NAME_MAX]; // the node that sends hellos there; "" if none does
	// Losses within about a minute, in millionths: of the frames that the neighbour sent, and
	// of those sent to it.
	uint64_t loss_in, loss_out;
	struct drb_port_counters count;
	bool steered; // the port has counters of an XDP program
	struct drb_xdp_counters xdp;
};

struct drb_switch_routing {
	char scheme[DRB_SCHEME_TEXT_MAX], unit[DRB_READER_TEXT_MAX];
	char threshold[DRB_READER_TEXT_MAX];
	char threshold_mode[DRB_READER_TEXT_MAX];   // "auto" or "fixed"
	char utilisation[DRB_READER_TEXT_MAX];      // rho of the uplinks; "" if there are none
	char flows_per_uplink[DRB_READER_TEXT_MAX]; // c
	uint64_t flows;                             // number of live flows
	uint64_t choices, seed;
	struct drb_routing_counters count;
};

// Decisions by load(default) - load(candidate); see core/counters.h.
struct drb_switch_differences {
	uint64_t every;
	uint64_t count[DRB_DIFFERENCES];
};

struct drb_switch_drops {
	uint64_t reason[DRB_DROP_COUNT];
	// Sum over all reasons of the switch, including those that this version does not know.
	uint64_t sum;
};

struct drb_switch_worker {
	char idle[DRB_READER_TEXT_MAX];
	uint64_t time_ns;
	uint64_t cycles_hz; // frequency of the time stamp counter
	uint64_t buffers, buffers_free;
	struct drb_worker_counters count;
};

// All values of a switch at one instant.
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
	struct drb_memory memory;      // filled in by drb_read_memory()
	// The drop reasons of the switch in its own order, whose numbers captures use. Owned.
	char (*drop_names)[DRB_NAME_MAX];
	uint32_t drop_name_count;
};

#define DRB_ORDER_TEXT_MAX 2048

// Sends an order such as DRB_CMD_RELOAD. *done: it was carried out. text: the switch's message.
int drb_order(struct drb_telemetry *t, const char *command, const char *param, bool *done,
	      char text[DRB_ORDER_TEXT_MAX]);

int drb_read_info(struct drb_telemetry *t, struct drb_switch_info *info);
int drb_read_all(struct drb_telemetry *t, struct drb_switch_all *all);
// Takes a reply to DRB_CMD_INFO. Returns 0 or -EPROTO.
int drb_info_take(const json_t *reply, struct drb_switch_info *info);
// Takes a reply to DRB_CMD_ALL, for callers that do not block on it. Returns 0, -EPROTO, -ENOMEM,
// -EIO if a stuck worker keeps the switch from reporting, or -ETIMEDOUT if a worker gets no CPU.
int drb_all_take(const json_t *reply, struct drb_switch_all *all);
int drb_read_memory(struct drb_telemetry *t, struct drb_memory *memory);
void drb_switch_all_free(struct drb_switch_all *all);
// The port of this name; NULL if there is none.
const struct drb_switch_port *drb_port_named(const struct drb_switch_all *all, const char *name);
