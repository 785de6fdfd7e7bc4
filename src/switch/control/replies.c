// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/replies.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_mempool.h>

#include "common/cli/clock.h"
#include "common/cli/text.h"
#include "core/counters.h"
#include "switch/control/switch.h"
#include "switch/startup/broker.h"
#include "switch/startup/confine.h"

#define TROUBLE_TEXT 160

void drb_json_add_count(json_t *object, const char *key, uint64_t count)
{
	json_object_set_new_nocheck(object, key, json_integer((json_int_t)count));
}

json_t *drb_text_json(char *text)
{
	json_t *string = json_string(text);

	for (char *c = text; !string && *c; c++) {
		if (*c < ' ' || *c >= 0x7f)
			*c = '?';
	}
	return string ? string : json_string(text);
}

const struct drb_snapshot *drb_reply_snapshot(const struct drb_switch *self)
{
	return self->snapshots.rc < 0 ? NULL : &self->snapshots.last;
}

uint32_t drb_reply_ports_count(const struct drb_switch *self)
{
	return self->setup.down_ports + self->setup.up_ports;
}

static void say_stuck(const struct drb_switch *self, char *trouble, size_t size)
{
	int n = drb_workers_stuck(&self->workers);

	if (n >= 0)
		snprintf(trouble, size, "worker %d is stuck: restart the switch", n);
	else
		snprintf(trouble, size, "a worker does not answer");
}

// The reply while there is no snapshot. With no reply at all, a reader would not recognise this
// process as a drbswitch.
static json_t *stuck_json(const struct drb_switch *self)
{
	char trouble[64];

	say_stuck(self, trouble, sizeof(trouble));
	return json_pack("{s:i, s:s}", "stuck", drb_workers_stuck(&self->workers) >= 0, "trouble",
			 trouble);
}

static void say_refused(char *trouble, size_t size)
{
	char last[DRB_REFUSED_TEXT];

	if (drb_confine_refused(last) > 0)
		drb_text_add(trouble, size, "%s%s was refused", *trouble ? "; " : "", last);
}

static void say_broker(char *trouble, size_t size)
{
	const char *broker = drb_broker_trouble();

	if (broker)
		drb_text_add(trouble, size, "%s%s", *trouble ? "; " : "", broker);
}

static json_t *code_json(const struct drb_setup *setup)
{
	json_t *code = json_array();

	for (uint32_t i = setup->tree.layers - 1; i >= 1; i--)
		json_array_append_new(code, json_integer(drb_switch_digit(
						    &setup->tree, setup->layer, setup->label, i)));
	return code;
}

// s is all zero if there is no snapshot.
static json_t *info_json(const struct drb_switch *self, const struct drb_snapshot *s)
{
	const struct drb_setup *setup = &self->setup;
	char trouble[TROUBLE_TEXT] = "";

	if (s->more_outages) // first, because it causes other trouble
		drb_text_add(trouble, sizeof(trouble),
			     "too many outages for hellos: detours alone until some are mended or "
			     "undrained");
	uint32_t usable = drb_liveness_trouble(setup, s->live, trouble, sizeof(trouble));
	drb_host_fault_trouble(setup, s->host_faults, trouble, sizeof(trouble));
	say_refused(trouble, sizeof(trouble));
	say_broker(trouble, sizeof(trouble));
	if (self->snapshots.rc == -ETIMEDOUT) {
		say_stuck(self, trouble, sizeof(trouble));
		usable = 0;
	}
	const struct drb_addr_texts hosts = drb_addr_texts(&setup->addr);
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:I, s:o, s:i, s:i, s:i, s:I, s:I, "
			 "s:i, s:o, s:i, s:i, s:s, s:s, s:s}",
			 "name", setup->name, "fabric", setup->fabric, "version", DRB_VERSION,
			 "layers", setup->tree.layers, "arity", setup->tree.arity, "uplinks",
			 setup->tree.uplinks, "layer", setup->layer, "label",
			 (json_int_t)setup->label, "code", code_json(setup), "pid", getpid(),
			 "ready", self->ready, "stuck", drb_workers_stuck(&self->workers) >= 0,
			 "uptime_ns", (json_int_t)(drb_clock_now() - self->started_ns), "reloads",
			 (json_int_t)self->reload.count, "ports_usable", usable, "trouble",
			 drb_text_json(trouble), "ports", drb_reply_ports_count(self), "capturing",
			 drb_capture_runs(self), "mac", hosts.mac, "ipv4", hosts.ipv4, "ipv6",
			 hosts.ipv6);
}

json_t *drb_reply_info(const char *parameter, void *context)
{
	static const struct drb_snapshot none; // not ready yet, or a worker is stuck
	const struct drb_snapshot *s = drb_reply_snapshot(context);

	(void)parameter;
	return info_json(context, s ? s : &none);
}

static json_t *routing_json(const struct drb_switch *self, const struct drb_snapshot *s)
{
	const struct drb_setup *setup = &self->setup;
	char threshold[32], utilisation[32] = "", flows[32]; // utilisation "": no uplinks

	snprintf(threshold, sizeof(threshold), "%.3g", s->threshold);
	if (setup->up_ports > 0)
		snprintf(utilisation, sizeof(utilisation), "%.3f", s->utilisation);
	snprintf(flows, sizeof(flows), "%.6g",
		 setup->up_ports ? (double)s->flows / setup->up_ports : 0);
	json_t *routing = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:i, s:I}", "scheme", setup->scheme.text,
		"unit", drb_unit_name(setup->unit), "threshold", threshold, "threshold_mode",
		setup->threshold_auto ? DRB_THRESHOLD_AUTO : "fixed", "utilisation", utilisation,
		"flows", (json_int_t)s->flows, "flows_per_uplink", flows, "choices",
		setup->choice.choices, "seed", (json_int_t)setup->seed);
#define X(key, meaning) drb_json_add_count(routing, #key, s->routing.key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	return routing;
}

static json_t *drops_json(const struct drb_switch *self, const struct drb_snapshot *s)
{
	json_t *drops = json_object();

	(void)self;
#define X(key, meaning) drb_json_add_count(drops, #key, s->drop[DRB_DROP_##key]);
	DRB_DROP_REASONS(X)
#undef X
	return drops;
}

static json_t *worker_json(const struct drb_switch *self, const struct drb_snapshot *s)
{
	// The pool of all ports; NULL if there are no ports.
	const struct rte_mempool *pool = self->workers.worker[0].hello_io.pool;
	json_t *worker =
		json_pack("{s:s, s:I, s:i, s:I, s:i, s:i}", "idle",
			  self->setup.idle == DRB_IDLE_POLL ? "poll" : "sleep", "time_ns",
			  (json_int_t)s->time_ns, "workers", self->setup.workers, "cycles_hz",
			  (json_int_t)rte_get_tsc_hz(), "buffers", pool ? pool->size : 0,
			  "buffers_free", pool ? rte_mempool_avail_count(pool) : 0);

#define X(key, meaning) drb_json_add_count(worker, #key, s->worker.key);
	DRB_WORKER_COUNTERS(X)
#undef X
	return worker;
}

static json_t *list_json(const uint64_t *values, uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t)values[i]));
	return list;
}

static json_t *differences_json(const struct drb_switch *self, const struct drb_snapshot *s)
{
	return json_pack("{s:i, s:i, s:o}", "max", DRB_DIFFERENCE_MAX, "every",
			 self->setup.unit == DRB_UNIT_FLOW ? 1 : DRB_DIFFERENCE_EVERY, "count",
			 list_json(s->difference, DRB_DIFFERENCES));
}

// Returns all values of one snapshot, so that a poller needs one request a switch.
json_t *drb_reply_all(const char *parameter, void *context)
{
	const struct drb_switch *self = context;
	const struct drb_snapshot *s = drb_reply_snapshot(self);

	(void)parameter;
	if (!s)
		return self->snapshots.rc == -ETIMEDOUT ? stuck_json(self) : NULL;
	json_t *ports = json_array();
	for (uint32_t i = 0; i < drb_reply_ports_count(self); i++)
		json_array_append_new(ports, drb_port_json(self, s, i));
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "time_ns",
			 (json_int_t)s->time_ns, "info", info_json(self, s), "routing",
			 routing_json(self, s), "drops", drops_json(self, s), "worker",
			 worker_json(self, s), "differences", differences_json(self, s), "samples",
			 "burst_size", list_json(s->burst_size, DRB_LOG_BINS), "queue_length",
			 list_json(s->queue_length, DRB_LOG_BINS), "ports", ports);
}

// Each returns one part of drb_reply_all().
#define REPLY(name)                                                                                \
	json_t *drb_reply_##name(const char *parameter, void *context)                             \
	{                                                                                          \
		const struct drb_snapshot *s = drb_reply_snapshot(context);                        \
		(void)parameter;                                                                   \
		return s ? name##_json(context, s) : NULL;                                         \
	}
REPLY(routing)
REPLY(drops)
REPLY(worker)
REPLY(differences)
