// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_socket.h"

#include <errno.h>
#include <string.h>

#include <rte_log.h>

#include "common/cli/log.h"
#include "switch/control/bridge.h"

// Constant once there are commands.
static const struct drb_stats_command *commands;
static size_t count;

// A request, on the stack of a thread of telemetry.
struct request {
	const char *cmd, *params;
	struct rte_tel_data *reply;
	int rc;
};

static void carry_out(void *request)
{
	struct request *r = request;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(r->cmd, commands[i].cmd) == 0)
			r->rc = commands[i].call(r->cmd, r->params, r->reply);
	}
}

static int serve(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct request r = {cmd, params, d, -ENOENT};
	int rc = drb_bridge_run(carry_out, &r);

	return rc < 0 ? rc : r.rc;
}

int drb_stats_socket_init(const struct drb_stats_command *c, size_t n)
{
	commands = c;
	count = n;
	for (size_t i = 0; i < n; i++) {
		int rc = rte_telemetry_register_cmd(c[i].cmd, serve, c[i].help);
		if (rc < 0) {
			drb_error("cannot register %s: %s", c[i].cmd, strerror(-rc));
			return rc;
		}
	}
	return 0;
}

void drb_stats_socket_stop(void)
{
	// DPDK closes its socket under its own thread, which may complain of that on its way out.
	rte_log_set_level_pattern("lib.telemetry", RTE_LOG_CRIT);
}
