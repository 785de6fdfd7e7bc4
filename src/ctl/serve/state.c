// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/state.h"

#include <errno.h>

#include <jansson.h>

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *port_json(const struct drb_switch_full_port *p)
{
	json_t *count = json_array();

#define X(key, meaning) json_array_append_new(count, number(p->port.count.key));
	DRB_PORT_COUNTERS(X)
#undef X
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:I, s:o}", "name", p->port.name, "peer",
			 p->link.peer, "neighbour", p->link.neighbour, "state", p->link.state,
			 "usable", (int)p->link.usable, "rate", p->link.rate, "queue",
			 (json_int_t)p->link.queue, "count", count);
}

static json_t *routing_json(const struct drb_routing_counters *count)
{
	json_t *routing = json_object();

#define X(key, meaning) json_object_set_new(routing, #key, number(count->key));
	DRB_ROUTING_COUNTERS(X)
#undef X
	return routing;
}

static json_t *drops_json(const struct drb_switch_drops *d)
{
	json_t *drops = json_object();

#define X(key, meaning)                                                                            \
	if (d->reason[DRB_DROP_##key])                                                             \
		json_object_set_new(drops, #key, number(d->reason[DRB_DROP_##key]));
	DRB_DROP_REASONS(X)
#undef X
	return drops;
}

static void add_answer(json_t *object, const struct drb_switch_all *s)
{
	json_t *ports = json_array();
	const struct {
		const char *key, *text;
	} texts[] = {
		{"scheme", s->routing.scheme},       {"unit", s->routing.unit},
		{"threshold", s->routing.threshold}, {"utilisation", s->routing.utilisation},
		{"trouble", s->info.trouble},        {"version", s->info.version},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_object_set_new(object, texts[i].key, json_string(texts[i].text));
	for (uint32_t i = 0; i < s->port_count; i++)
		json_array_append_new(ports, port_json(&s->ports[i]));
	json_object_set_new(object, "layers", number(s->info.layers));
	json_object_set_new(object, "arity", number(s->info.arity));
	json_object_set_new(object, "uplinks", number(s->info.uplinks));
	json_object_set_new(object, "pid", number(s->info.pid));
	json_object_set_new(object, "time_ns", number(s->time_ns));
	json_object_set_new(object, "routing", routing_json(&s->routing.count));
	json_object_set_new(object, "drops", drops_json(&s->drops));
	json_object_set_new(object, "ports", ports);
}

static json_t *switch_json(const struct metrics_switch *s)
{
	json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:b, s:b, s:b}", "fabric", s->fabric,
				   "name", s->name, "layer", (json_int_t)s->layer, "label",
				   (json_int_t)s->label, "up", s->error == 0, "ended",
				   s->error == -ENOENT, "stuck", s->error == -EIO);

	if (object && s->error == 0)
		add_answer(object, &s->all);
	return object;
}

char *serve_state_json(const struct metrics_poll *poll)
{
	json_t *keys = json_array(), *switches = json_array();

#define X(key, meaning) json_array_append_new(keys, json_string(#key));
	DRB_PORT_COUNTERS(X)
#undef X
	for (size_t i = 0; i < poll->count; i++)
		json_array_append_new(switches, switch_json(&poll->switches[i]));
	json_t *state =
		json_pack("{s:I, s:I, s:o, s:o}", "time_ns", (json_int_t)poll->time_ns, "unix_ms",
			  (json_int_t)poll->unix_ms, "port_counters", keys, "switches", switches);
	char *text = state ? json_dumps(state, JSON_COMPACT) : NULL;

	json_decref(state);
	return text;
}
