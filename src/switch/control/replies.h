// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The replies to the read-only commands of the stats socket. Each fills *d and returns 0, or a negative
// errno, for which DPDK replies with nothing. Called one at a time (stats_socket.h).

#include <rte_telemetry.h>
#include <rte_version.h>

#include "switch/datapath/workers.h"

// DPDK renamed the function in 23.03 and removed the old name in 25.11.
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define add_dict_u64 rte_tel_data_add_dict_uint
#define add_array_u64 rte_tel_data_add_array_uint
#else
#define add_dict_u64 rte_tel_data_add_dict_u64
#define add_array_u64 rte_tel_data_add_array_u64
#endif

struct drb_switch;

// What the replies are about; set once, before the commands are registered.
struct drb_reply_context {
	struct drb_switch *owner;
	struct drb_workers *workers;
	const struct drb_setup *setup; // in force
	uint64_t started_ns;
};

extern struct drb_reply_context drb_reply_context;

// A snapshot of all counters. -EAGAIN before the switch is ready.
int drb_reply_snapshot(struct drb_snapshot *s);

int drb_reply_info(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_ports(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_port(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_routing(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_drops(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_differences(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_worker(const char *cmd, const char *params, struct rte_tel_data *d);
int drb_reply_all(const char *cmd, const char *params, struct rte_tel_data *d);

// What replies are made of: each adds its keys to a dict that was begun. 0 or a negative errno.

// Ports first to end - 1.
struct drb_port_range {
	uint32_t first, end;
};

// Which worker is stuck, where no snapshot can be had.
int drb_fill_stuck(struct rte_tel_data *d);
// rc: what drb_reply_snapshot() said; s is zero unless it is 0.
int drb_fill_info(struct rte_tel_data *d, const struct drb_snapshot *s, int rc);
int drb_fill_routing(struct rte_tel_data *d, const struct drb_snapshot *s);
int drb_fill_drops(struct rte_tel_data *d, const struct drb_snapshot *s);
int drb_fill_worker(struct rte_tel_data *d, const struct drb_snapshot *s);
int drb_fill_differences(struct rte_tel_data *d, const struct drb_snapshot *s);
// One array of counter values per key, over the ports of the range.
int drb_fill_port_counters(struct rte_tel_data *d, const struct drb_snapshot *s,
			   struct drb_port_range range);
// The same of what a port is and who is at its other end (port_reply.c).
int drb_fill_port_links(struct rte_tel_data *d, const struct drb_snapshot *s,
			struct drb_port_range range);
int drb_fill_array(struct rte_tel_data *d, const char *key, const uint64_t *values, uint32_t count);
