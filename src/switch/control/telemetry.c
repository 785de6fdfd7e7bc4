// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/telemetry.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_mempool.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include "switch/ports/carrier.h"
#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/control/drain.h"
#include "switch/control/reload.h"
#include "switch/ports/xdp/steer.h"

// Ports in one reply: 64 ports times twelve arrays stay within the 16 KiB of a reply.
#define PORTS_PER_REPLY 64

// DPDK renamed the function in 23.03 and removed the old name in 25.11.
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define add_dict_u64 rte_tel_data_add_dict_uint
#define add_array_u64 rte_tel_data_add_array_uint
#else
#define add_dict_u64 rte_tel_data_add_dict_u64
#define add_array_u64 rte_tel_data_add_array_u64
#endif

// Set once before the commands are registered; read by telemetry's threads.
static struct drb_workers *workers;
static const struct drb_worker *worker; // the first; all have the same ports
static const struct drb_setup *setup;
static uint64_t started_ns;
static atomic_bool ready;
static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER;
static bool stopped; // under serving

static int snapshot(struct drb_snapshot *s)
{
	if (!atomic_load(&ready))
		return -EAGAIN; // the worker does not run yet
	return drb_workers_snapshot(workers, s);
}

static int info(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct rte_tel_data *code = rte_tel_data_alloc();
	static struct drb_snapshot s; // one command at a time
	uint32_t all = setup->down_ports + setup->up_ports;
	char trouble[160];

	(void)cmd, (void)params;
	if (!code)
		return -ENOMEM;
	if (snapshot(&s) < 0)
		memset(&s.live, 0, sizeof(s.live)); // not ready yet
	uint32_t usable = drb_liveness_trouble(setup, s.live, trouble, sizeof(trouble));
	rte_tel_data_start_array(code, RTE_TEL_U64_VAL);
	for (uint32_t i = setup->tree.layers - 1; i >= 1; i--)
		add_array_u64(code, drb_switch_digit(&setup->tree, setup->label, i));
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "name", setup->name);
	rte_tel_data_add_dict_string(d, "fabric", setup->fabric);
	rte_tel_data_add_dict_string(d, "version", DRB_VERSION);
	add_dict_u64(d, "layers", setup->tree.layers);
	add_dict_u64(d, "arity", setup->tree.arity);
	add_dict_u64(d, "layer", setup->layer);
	add_dict_u64(d, "label", setup->label);
	rte_tel_data_add_dict_container(d, "code", code, 0);
	add_dict_u64(d, "pid", (uint64_t)getpid());
	add_dict_u64(d, "ready", atomic_load(&ready));
	add_dict_u64(d, "uptime_ns", clock_now() - started_ns);
	add_dict_u64(d, "ports_usable", usable);
	rte_tel_data_add_dict_string(d, "trouble", trouble);
	return add_dict_u64(d, "ports", all);
}

// One array of counter values per key, over ports from..to-1.
static int add_columns(struct rte_tel_data *d, const struct drb_snapshot *s, uint32_t from,
		       uint32_t to)
{
	struct rte_tel_data *column;

#define X(key, meaning)                                                                            \
	column = rte_tel_data_alloc();                                                             \
	if (!column)                                                                               \
		return -ENOMEM;                                                                    \
	rte_tel_data_start_array(column, RTE_TEL_U64_VAL);                                         \
	for (uint32_t i = from; i < to; i++)                                                       \
		add_array_u64(column, s->port[i].key);                                             \
	rte_tel_data_add_dict_container(d, #key, column, 0);
	DRB_PORT_COUNTERS(X)
#undef X
	return 0;
}

static int ports(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct drb_snapshot s;
	struct rte_tel_data *names;
	uint32_t total = setup->down_ports + setup->up_ports, from = 0, to;

	(void)cmd;
	if (params && drb_parse_u32(params, 0, total, &from) < 0)
		return -EINVAL;
	if (snapshot(&s) < 0 || !(names = rte_tel_data_alloc()))
		return -EIO;
	to = total - from > PORTS_PER_REPLY ? from + PORTS_PER_REPLY : total;
	rte_tel_data_start_array(names, RTE_TEL_STRING_VAL);
	for (uint32_t i = from; i < to; i++)
		rte_tel_data_add_array_string(names, setup->ports[i].name);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "switch", setup->name);
	add_dict_u64(d, "time_ns", s.time_ns);
	add_dict_u64(d, "total", total);
	add_dict_u64(d, "from", from);
	rte_tel_data_add_dict_container(d, "name", names, 0);
	return add_columns(d, &s, from, to);
}

static const char *port_state(uint32_t i, const struct drb_port_link *live)
{
	const struct drb_port_setup *p = &setup->ports[i];
	const char *carrier = "up";
	struct rte_eth_link link;

	if (p->driver == DRB_DRIVER_NONE)
		return "none";
	if (p->driver == DRB_DRIVER_AF_PACKET || p->driver == DRB_DRIVER_AF_XDP)
		carrier = drb_carrier_state(p->interface);
	// A switch that says hello and was not heard yet is unknown; a host never speaks.
	if (live->watched && strcmp(carrier, "up") == 0 &&
	    (p->peer.layer > 0 || live->state != DRB_LINK_UNKNOWN))
		return drb_liveness_state(live);
	if (p->driver == DRB_DRIVER_AF_PACKET || p->driver == DRB_DRIVER_AF_XDP)
		return carrier;
	if (rte_eth_link_get_nowait(worker->port[i].dpdk, &link) < 0 || link.link_status)
		return "up";
	return "down";
}

// Who says hello at the other end.
static void add_neighbour(struct rte_tel_data *d, const struct drb_port_link *live)
{
	char text[DRB_END_NAME_MAX] = "";

	if (live->heard)
		drb_end_name(text, &live->last.from);
	rte_tel_data_add_dict_string(d, "neighbour", text);
	add_dict_u64(d, "since_ns", live->watched ? live->since_ns : 0);
	add_dict_u64(d, "hellos_in", live->hellos_in);
	add_dict_u64(d, "hellos_out", live->hellos_out);
}

static void add_device(struct rte_tel_data *d, uint32_t i, const struct drb_port_link *live)
{
	struct rte_ether_addr mac;
	char text[RTE_ETHER_ADDR_FMT_SIZE];
	const struct drb_port_setup *p = &setup->ports[i];

	if (worker->port[i].active && rte_eth_macaddr_get(worker->port[i].dpdk, &mac) == 0) {
		rte_ether_format_addr(text, sizeof(text), &mac);
		rte_tel_data_add_dict_string(d, "mac", text);
	}
	rte_tel_data_add_dict_string(d, "state", port_state(i, live));
	rte_tel_data_add_dict_string(d, "driver", drb_driver_name(p->driver));
	rte_tel_data_add_dict_string(d, "device", drb_port_device(p));
}

// What the kernel counts in front of an af_xdp port, if its program counts.
static void add_xdp(struct rte_tel_data *d, uint32_t i)
{
	const struct drb_port_setup *p = &setup->ports[i];
	struct drb_xdp_counters count;

	if (p->driver != DRB_DRIVER_AF_XDP)
		return;
	rte_tel_data_add_dict_string(d, "xdp", p->xdp);
	if (!drb_steer_read(p->interface, &count))
		return;
	for (uint32_t n = 0; n < workers->count; n++)
		drb_kernel_socket_xdp(&workers->worker[n].port[i].socket, &count);
#define X(key, meaning) add_dict_u64(d, #key, count.key);
	DRB_XDP_COUNTERS(X)
#undef X
}

static int port(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct drb_snapshot s;
	uint32_t total = setup->down_ports + setup->up_ports, i = 0;
	char text[128], peer[DRB_END_NAME_MAX];

	(void)cmd;
	while (i < total && (!params || strcmp(setup->ports[i].name, params) != 0))
		i++;
	if (i == total)
		return -EINVAL;
	if (snapshot(&s) < 0)
		return -EIO;
	const struct drb_port_setup *p = &setup->ports[i];
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "name", p->name);
	drb_end_name(peer, &p->peer);
	rte_tel_data_add_dict_string(d, "peer", peer);
	add_neighbour(d, &s.live[i]);
	add_device(d, i, &s.live[i]);
	drb_format_rate(&p->rate, text, sizeof(text));
	rte_tel_data_add_dict_string(d, "rate", text);
	add_dict_u64(d, "overhead", p->overhead);
	add_dict_u64(d, "queue", p->queue);
	add_dict_u64(d, "slotted", p->slotted);
	add_dict_u64(d, "catchup_ns", p->catchup_ns);
#define X(key, meaning) add_dict_u64(d, #key, s.port[i].key);
	DRB_PORT_COUNTERS(X)
#undef X
	add_xdp(d, i);
	return 0;
}

static int routing(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct drb_snapshot s;
	char threshold[32], utilisation[32], flows[32];

	(void)cmd, (void)params;
	if (snapshot(&s) < 0)
		return -EIO;
	snprintf(threshold, sizeof(threshold), "%.3g", s.threshold);
	snprintf(utilisation, sizeof(utilisation), "%.3f", s.utilisation);
	snprintf(flows, sizeof(flows), "%.6g",
		 setup->up_ports ? (double)s.flows / setup->up_ports : 0);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "scheme", drb_scheme_name(setup->choice.scheme));
	rte_tel_data_add_dict_string(d, "unit", drb_unit_name(setup->unit));
	rte_tel_data_add_dict_string(d, "threshold", threshold);
	rte_tel_data_add_dict_string(d, "threshold_mode",
				     setup->threshold_auto ? DRB_THRESHOLD_AUTO : "fixed");
	rte_tel_data_add_dict_string(d, "utilisation", utilisation);
	add_dict_u64(d, "flows", s.flows);
	rte_tel_data_add_dict_string(d, "flows_per_uplink", flows);
	add_dict_u64(d, "choices", setup->choice.choices);
	add_dict_u64(d, "seed", setup->seed);
	add_dict_u64(d, "slot_ns", setup->slot_ns);
	add_dict_u64(d, "tau", setup->tau);
#define X(key, meaning) add_dict_u64(d, #key, s.routing.key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	return 0;
}

static int drops(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct drb_snapshot s;

	(void)cmd, (void)params;
	if (snapshot(&s) < 0)
		return -EIO;
	rte_tel_data_start_dict(d);
#define X(key, meaning) add_dict_u64(d, #key, s.drop[DRB_DROP_##key]);
	DRB_DROP_REASONS(X)
#undef X
	return 0;
}

static int worker_stats(const char *cmd, const char *params, struct rte_tel_data *d)
{
	const struct rte_mempool *pool = worker->hello_io.pool; // of all ports; NULL: without ports
	struct drb_snapshot s;

	(void)cmd, (void)params;
	if (snapshot(&s) < 0)
		return -EIO;
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "idle", setup->idle == DRB_IDLE_POLL ? "poll" : "sleep");
	add_dict_u64(d, "time_ns", s.time_ns);
	add_dict_u64(d, "workers", setup->workers);
	add_dict_u64(d, "cycles_hz", rte_get_tsc_hz());
	add_dict_u64(d, "buffers", pool ? pool->size : 0);
	add_dict_u64(d, "buffers_free", pool ? rte_mempool_avail_count(pool) : 0);
#define X(key, meaning) add_dict_u64(d, #key, s.worker.key);
	DRB_WORKER_COUNTERS(X)
#undef X
	return 0;
}

static int differences(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct rte_tel_data *counts;
	struct drb_snapshot s;

	(void)cmd, (void)params;
	if (snapshot(&s) < 0 || !(counts = rte_tel_data_alloc()))
		return -EIO;
	rte_tel_data_start_array(counts, RTE_TEL_U64_VAL);
	for (uint32_t i = 0; i < DRB_DIFFERENCES; i++)
		add_array_u64(counts, s.difference[i]);
	rte_tel_data_start_dict(d);
	add_dict_u64(d, "max", DRB_DIFFERENCE_MAX);
	add_dict_u64(d, "every", setup->unit == DRB_UNIT_FLOW ? 1 : DRB_DIFFERENCE_EVERY);
	return rte_tel_data_add_dict_container(d, "count", counts, 0);
}

// The one line that there is to say, marked as what it is.
static int obey(const char *cmd, const char *params, struct rte_tel_data *d)
{
	char text[1024], reply[1100];
	int rc;

	if (!atomic_load(&ready))
		return -EAGAIN;
	if (strcmp(cmd, DRB_CMD_RELOAD) == 0)
		rc = drb_reload(text, sizeof(text));
	else if (strcmp(cmd, DRB_CMD_DRAIN) == 0)
		rc = drb_drain(workers, setup, params, text, sizeof(text));
	else
		rc = drb_undrain(workers, setup, params, text, sizeof(text));
	snprintf(reply, sizeof(reply), "%s: %s", rc < 0 ? DRB_REPLY_ERROR : DRB_REPLY_OK, text);
	return rte_tel_data_string(d, reply);
}

static const struct {
	const char *cmd;
	telemetry_cb call;
	const char *help;
} commands[] = {
	{DRB_CMD_INFO, info, "Identity and state of this switch"},
	{DRB_CMD_PORTS, ports, "Counters of all ports, one picture. Parameter: first port number"},
	{DRB_CMD_PORT, port, "One port: peer, device, link model, counters. Parameter: port name"},
	{DRB_CMD_ROUTING, routing, "Scheme, threshold and what decisions did"},
	{DRB_CMD_DROPS, drops, "Dropped packets by reason"},
	{DRB_CMD_DIFFERENCES, differences,
	 "Sampled decisions by load of the default less that of the candidate"},
	{DRB_CMD_RELOAD, obey, "Reads the config again and puts it in force: ok or error: why"},
	{DRB_CMD_DRAIN, obey,
	 "No new traffic: ok or error: why. Parameter: port name, else every port"},
	{DRB_CMD_UNDRAIN, obey,
	 "New traffic again: ok or error: why. Parameter: port name, else every port"},
	{DRB_CMD_WORKER, worker_stats, "The forwarding thread: bursts, sleeps, lateness"},
};

// One command at a time, and none once the switch is being taken apart.
static int serve(const char *cmd, const char *params, struct rte_tel_data *d)
{
	int rc = -ESHUTDOWN;

	pthread_mutex_lock(&serving);
	for (size_t i = 0; !stopped && i < RTE_DIM(commands); i++) {
		if (strcmp(cmd, commands[i].cmd) == 0)
			rc = commands[i].call(cmd, params, d);
	}
	pthread_mutex_unlock(&serving);
	return rc;
}

int drb_telemetry_init(struct drb_workers *w, const struct drb_setup *s)
{
	workers = w;
	worker = &w->worker[0];
	setup = s;
	started_ns = clock_now();
	for (size_t i = 0; i < RTE_DIM(commands); i++) {
		int rc = rte_telemetry_register_cmd(commands[i].cmd, serve, commands[i].help);
		if (rc < 0) {
			drb_error("cannot register %s: %s", commands[i].cmd, strerror(-rc));
			return rc;
		}
	}
	return 0;
}

void drb_telemetry_ready(void)
{
	atomic_store(&ready, true);
}

void drb_telemetry_pause(void)
{
	pthread_mutex_lock(&serving);
}

void drb_telemetry_resume(void)
{
	pthread_mutex_unlock(&serving);
}

void drb_telemetry_stop(void)
{
	pthread_mutex_lock(&serving);
	stopped = true;
	pthread_mutex_unlock(&serving);
	// DPDK closes its socket under its own thread, which may complain of that on its way out.
	rte_log_set_level_pattern("lib.telemetry", RTE_LOG_CRIT);
}
