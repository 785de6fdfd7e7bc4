// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/replies.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_mempool.h>

#include "common/cli/clock.h"
#include "core/counters.h"
#include "switch/control/interface_losses.h"
#include "switch/control/switch.h"
#include "switch/startup/confine.h"

// Twelve arrays over all ports stay within the 16 KiB of a reply.
_Static_assert(DRB_PORTS_MAX <= 64, "all ports in one reply");

struct drb_reply_context drb_reply_context;

#define TROUBLE_TEXT 160

static bool is_stuck(void)
{
	return drb_workers_stuck(drb_reply_context.workers) >= 0;
}

int drb_reply_snapshot(struct drb_snapshot *s)
{
	if (!drb_reply_context.owner->ready)
		return -EAGAIN; // the worker does not run yet
	if (is_stuck())
		return -ETIMEDOUT; // nor would it be waited for in vain
	int rc = drb_workers_snapshot(drb_reply_context.workers, s);
	if (rc == 0)
		drb_interface_losses_add(drb_reply_context.setup, s);
	return rc;
}

static void say_stuck(char *trouble, size_t size)
{
	int n = drb_workers_stuck(drb_reply_context.workers);

	if (n >= 0)
		snprintf(trouble, size, "worker %d is stuck: restart the switch", n);
	else
		snprintf(trouble, size, "a worker does not answer");
}

// Without any reply a reader would take this for a process that is no drbswitch.
int drb_fill_stuck(struct rte_tel_data *d)
{
	char trouble[64];

	say_stuck(trouble, sizeof(trouble));
	add_dict_u64(d, "stuck", is_stuck());
	return rte_tel_data_add_dict_string(d, "trouble", trouble);
}

// First, since DPDK cuts the text.
static void say_more_outages(char *trouble, size_t size)
{
	char rest[TROUBLE_TEXT];

	snprintf(rest, sizeof(rest), "%s", trouble);
	snprintf(
		trouble, size,
		"too many outages for hellos: detours alone until some are mended or undrained%s%s",
		*rest ? "; " : "", rest);
}

static void say_refused(char *trouble, size_t size)
{
	char last[DRB_REFUSED_TEXT];
	size_t used = strlen(trouble);

	if (drb_confine_refused(last) > 0)
		snprintf(trouble + used, size - used, "%s%s was refused", used ? "; " : "", last);
}

int drb_fill_info(struct rte_tel_data *d, const struct drb_snapshot *s, int rc)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	struct rte_tel_data *code = rte_tel_data_alloc();
	uint32_t all = setup->down_ports + setup->up_ports;
	char trouble[TROUBLE_TEXT];

	if (!code)
		return -ENOMEM;
	uint32_t usable = drb_liveness_trouble(setup, s->live, trouble, sizeof(trouble));
	drb_host_fault_trouble(setup, s->host_faults, trouble, sizeof(trouble));
	if (s->more_outages)
		say_more_outages(trouble, sizeof(trouble));
	say_refused(trouble, sizeof(trouble));
	if (rc == -ETIMEDOUT) {
		say_stuck(trouble, sizeof(trouble));
		usable = 0;
	}
	rte_tel_data_start_array(code, RTE_TEL_U64_VAL);
	for (uint32_t i = setup->tree.layers - 1; i >= 1; i--)
		add_array_u64(code, drb_switch_digit(&setup->tree, setup->layer, setup->label, i));
	rte_tel_data_add_dict_string(d, "name", setup->name);
	rte_tel_data_add_dict_string(d, "fabric", setup->fabric);
	rte_tel_data_add_dict_string(d, "version", DRB_VERSION);
	add_dict_u64(d, "layers", setup->tree.layers);
	add_dict_u64(d, "arity", setup->tree.arity);
	add_dict_u64(d, "uplinks", setup->tree.uplinks);
	add_dict_u64(d, "layer", setup->layer);
	add_dict_u64(d, "label", setup->label);
	rte_tel_data_add_dict_container(d, "code", code, 0);
	add_dict_u64(d, "pid", (uint64_t)getpid());
	add_dict_u64(d, "ready", drb_reply_context.owner->ready);
	add_dict_u64(d, "stuck", is_stuck());
	add_dict_u64(d, "uptime_ns", drb_clock_now() - drb_reply_context.started_ns);
	add_dict_u64(d, "reloads", drb_reply_context.owner->reload.count);
	add_dict_u64(d, "ports_usable", usable);
	rte_tel_data_add_dict_string(d, "trouble", trouble);
	return add_dict_u64(d, "ports", all);
}

int drb_reply_info(const char *cmd, const char *params, struct rte_tel_data *d)
{
	static struct drb_snapshot s; // one command at a time
	int rc = drb_reply_snapshot(&s);

	(void)cmd, (void)params;
	if (rc < 0)
		memset(&s, 0, sizeof(s)); // not ready yet, or the worker hangs
	rte_tel_data_start_dict(d);
	return drb_fill_info(d, &s, rc);
}

int drb_fill_port_counters(struct rte_tel_data *d, const struct drb_snapshot *s,
			   struct drb_port_range range)
{
	struct rte_tel_data *column;

#define X(key, meaning)                                                                            \
	column = rte_tel_data_alloc();                                                             \
	if (!column)                                                                               \
		return -ENOMEM;                                                                    \
	rte_tel_data_start_array(column, RTE_TEL_U64_VAL);                                         \
	for (uint32_t i = range.first; i < range.end; i++)                                         \
		add_array_u64(column, s->port[i].key);                                             \
	rte_tel_data_add_dict_container(d, #key, column, 0);
	DRB_PORT_COUNTERS(X)
#undef X
	return 0;
}

int drb_reply_ports(const char *cmd, const char *params, struct rte_tel_data *d)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	struct drb_snapshot s;
	struct rte_tel_data *names;
	uint32_t count = setup->down_ports + setup->up_ports;

	(void)cmd;
	if (params)
		return -EINVAL;
	if (drb_reply_snapshot(&s) < 0 || !(names = rte_tel_data_alloc()))
		return -EIO;
	rte_tel_data_start_array(names, RTE_TEL_STRING_VAL);
	for (uint32_t i = 0; i < count; i++)
		rte_tel_data_add_array_string(names, setup->ports[i].name);
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "switch", setup->name);
	add_dict_u64(d, "time_ns", s.time_ns);
	rte_tel_data_add_dict_container(d, "name", names, 0);
	return drb_fill_port_counters(d, &s, (struct drb_port_range){0, count});
}

int drb_fill_routing(struct rte_tel_data *d, const struct drb_snapshot *s)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	char threshold[32], utilisation[32] = "", flows[32]; // empty: no uplinks

	snprintf(threshold, sizeof(threshold), "%.3g", s->threshold);
	if (setup->up_ports > 0)
		snprintf(utilisation, sizeof(utilisation), "%.3f", s->utilisation);
	snprintf(flows, sizeof(flows), "%.6g",
		 setup->up_ports ? (double)s->flows / setup->up_ports : 0);
	rte_tel_data_add_dict_string(d, "scheme", drb_scheme_name(setup->choice.scheme));
	rte_tel_data_add_dict_string(d, "unit", drb_unit_name(setup->unit));
	rte_tel_data_add_dict_string(d, "threshold", threshold);
	rte_tel_data_add_dict_string(d, "threshold_mode",
				     setup->threshold_auto ? DRB_THRESHOLD_AUTO : "fixed");
	rte_tel_data_add_dict_string(d, "utilisation", utilisation);
	add_dict_u64(d, "flows", s->flows);
	rte_tel_data_add_dict_string(d, "flows_per_uplink", flows);
	add_dict_u64(d, "choices", setup->choice.choices);
	add_dict_u64(d, "seed", setup->seed);
#define X(key, meaning) add_dict_u64(d, #key, s->routing.key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	return 0;
}

int drb_fill_drops(struct rte_tel_data *d, const struct drb_snapshot *s)
{

#define X(key, meaning) add_dict_u64(d, #key, s->drop[DRB_DROP_##key]);
	DRB_DROP_REASONS(X)
#undef X
	return 0;
}

int drb_fill_worker(struct rte_tel_data *d, const struct drb_snapshot *s)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	const struct rte_mempool *pool =
		drb_reply_context.workers->worker[0]
			.hello_io.pool; // of all ports; NULL: without ports

	rte_tel_data_add_dict_string(d, "idle", setup->idle == DRB_IDLE_POLL ? "poll" : "sleep");
	add_dict_u64(d, "time_ns", s->time_ns);
	add_dict_u64(d, "workers", setup->workers);
	add_dict_u64(d, "cycles_hz", rte_get_tsc_hz());
	add_dict_u64(d, "buffers", pool ? pool->size : 0);
	add_dict_u64(d, "buffers_free", pool ? rte_mempool_avail_count(pool) : 0);
#define X(key, meaning) add_dict_u64(d, #key, s->worker.key);
	DRB_WORKER_COUNTERS(X)
#undef X
	return 0;
}

int drb_fill_array(struct rte_tel_data *d, const char *key, const uint64_t *values, uint32_t count)
{
	struct rte_tel_data *array = rte_tel_data_alloc();

	if (!array)
		return -ENOMEM;
	rte_tel_data_start_array(array, RTE_TEL_U64_VAL);
	for (uint32_t i = 0; i < count; i++)
		add_array_u64(array, values[i]);
	return rte_tel_data_add_dict_container(d, key, array, 0);
}

int drb_fill_differences(struct rte_tel_data *d, const struct drb_snapshot *s)
{
	add_dict_u64(d, "max", DRB_DIFFERENCE_MAX);
	add_dict_u64(d, "every",
		     drb_reply_context.setup->unit == DRB_UNIT_FLOW ? 1 : DRB_DIFFERENCE_EVERY);
	return drb_fill_array(d, "count", s->difference, DRB_DIFFERENCES);
}

// A reply of one part of a snapshot.
static int reply_part(struct rte_tel_data *d,
		      int (*fill)(struct rte_tel_data *d, const struct drb_snapshot *s))
{
	static struct drb_snapshot s; // one command at a time

	if (drb_reply_snapshot(&s) < 0)
		return -EIO;
	rte_tel_data_start_dict(d);
	return fill(d, &s);
}

#define REPLY(part)                                                                                \
	int drb_reply_##part(const char *cmd, const char *params, struct rte_tel_data *d)          \
	{                                                                                          \
		(void)cmd, (void)params;                                                           \
		return reply_part(d, drb_fill_##part);                                             \
	}
REPLY(routing)
REPLY(drops)
REPLY(worker)
REPLY(differences)
