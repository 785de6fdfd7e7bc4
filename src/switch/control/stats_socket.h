// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Serving commands on DPDK's telemetry socket, on the control thread. What the commands are: telemetry.c.

#include <stddef.h>

#include <rte_telemetry.h>

struct drb_stats_command {
	const char *cmd;
	telemetry_cb call;
	const char *help;
};

// Registers the commands, which must stay valid until the process ends. 0, or a negative errno with a
// message printed.
int drb_stats_socket_init(const struct drb_stats_command *commands, size_t count);
// Before DPDK goes.
void drb_stats_socket_stop(void);
