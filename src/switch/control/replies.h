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

// What the replies are about; set once, before the commands are registered.
struct drb_reply_context {
	struct drb_workers *workers;
	const struct drb_setup *setup; // in force; changes only while the socket is paused
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
