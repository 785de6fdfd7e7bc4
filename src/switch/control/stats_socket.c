// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_socket.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <rte_log.h>

#include "common/cli/log.h"

static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER;
// Under serving: written by main(), read by telemetry's threads, which run before there are commands.
static const struct drb_stats_command *commands;
static size_t count;
static bool stopped;
static atomic_bool ready; // written by main(), read by telemetry's threads

static int serve(const char *cmd, const char *params, struct rte_tel_data *d)
{
	int rc = -ESHUTDOWN;

	pthread_mutex_lock(&serving);
	for (size_t i = 0; !stopped && i < count; i++) {
		if (strcmp(cmd, commands[i].cmd) == 0)
			rc = commands[i].call(cmd, params, d);
	}
	pthread_mutex_unlock(&serving);
	return rc;
}

int drb_stats_socket_init(const struct drb_stats_command *c, size_t n)
{
	pthread_mutex_lock(&serving);
	commands = c;
	count = n;
	pthread_mutex_unlock(&serving);
	for (size_t i = 0; i < n; i++) {
		int rc = rte_telemetry_register_cmd(c[i].cmd, serve, c[i].help);
		if (rc < 0) {
			drb_error("cannot register %s: %s", c[i].cmd, strerror(-rc));
			return rc;
		}
	}
	return 0;
}

void drb_stats_socket_ready(void)
{
	atomic_store(&ready, true);
}

bool drb_stats_socket_is_ready(void)
{
	return atomic_load(&ready);
}

void drb_stats_socket_pause(void)
{
	pthread_mutex_lock(&serving);
}

void drb_stats_socket_resume(void)
{
	pthread_mutex_unlock(&serving);
}

void drb_stats_socket_stop(void)
{
	pthread_mutex_lock(&serving);
	stopped = true;
	pthread_mutex_unlock(&serving);
	// DPDK closes its socket under its own thread, which may complain of that on its way out.
	rte_log_set_level_pattern("lib.telemetry", RTE_LOG_CRIT);
}
