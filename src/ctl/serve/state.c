// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/state.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "core/fabric/names.h"

// Most links of a fabric that is served. A limit is needed, because a switch may claim any size.
#define LINKS_MAX 100000

static json_t *number(uint64_t value)
{
	return value == DRB_UNKNOWN ? json_null() : json_integer((json_int_t)value);
}

static json_t *text_json(const char *value)
{
	const char *known = drb_known_text(value);

	return known ? json_string(known) : json_null();
}

static json_t *port_json(const struct drb_switch_port *p)
{
	json_t *count = json_array();

#define X(key, meaning) json_array_append_new(count, number(p->count.key));
	DRB_PORT_COUNTERS(X)
#undef X
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", p->name, "peer",
			 text_json(p->peer), "neighbour", text_json(p->neighbour), "state",
			 text_json(p->state), "usable",
			 p->usable == DRB_UNKNOWN ? json_null() : json_boolean(p->usable), "rate",
			 text_json(p->rate), "queue", number(p->queue), "count", count);
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
	if (d->reason[DRB_DROP_##key] && d->reason[DRB_DROP_##key] != DRB_UNKNOWN)                 \
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
		json_object_set_new(object, texts[i].key, text_json(texts[i].text));
	for (uint32_t i = 0; i < s->port_count; i++)
		json_array_append_new(ports, port_json(&s->ports[i]));
	json_object_set_new(object, "pid", number(s->info.pid));
	json_object_set_new(object, "time_ns", number(s->time_ns));
	json_object_set_new(object, "capturing", number(s->info.capturing));
	json_object_set_new(object, "routing", routing_json(&s->routing.count));
	json_object_set_new(object, "drops", drops_json(&s->drops));
	json_object_set_new(object, "ports", ports);
}

static json_t *switch_json(const struct metrics_switch *s)
{
	char how[CTL_STATE_HOW_MAX];

	ctl_state_how(s, how);
	json_t *object =
		json_pack("{s:s, s:s, s:I, s:I, s:b, s:b, s:b, s:s, s:s}", "fabric", s->fabric,
			  "name", s->name, "layer", (json_int_t)s->layer, "label",
			  (json_int_t)s->label, "up", s->error == 0, "ended", s->error == -ENOENT,
			  "stuck", s->error == -EIO, "state", ctl_state_word(s->state), "how", how);

	if (object && s->error == 0)
		add_answer(object, &s->all);
	return object;
}

static json_t *links_json(const struct drb_tree *t)
{
	json_t *links = json_array();

	for (uint32_t m = 0; m < t->layers; m++) {
		uint32_t nodes = m ? drb_tree_switches(t, m) : t->hosts;
		uint32_t ports = m ? drb_tree_up_ports(t, m) : 1;
		for (uint32_t i = 0; i < nodes * ports; i++) {
			struct drb_end lower = {m, i / ports, i % ports, true};
			struct drb_end upper = m ? drb_tree_up_peer(t, m, lower.label, lower.port)
						 : drb_tree_host_peer(t, lower.label);
			char ends[2][DRB_END_NAME_MAX];
			drb_end_name(ends[0], &lower);
			drb_end_name(ends[1], &upper);
			json_array_append_new(links, json_pack("[s, s]", ends[0], ends[1]));
		}
	}
	return links;
}

// The fabrics with a switch that answered.
static json_t *fabrics_json(const struct metrics_poll *poll)
{
	json_t *fabrics = json_array();
	const char *last = "";

	for (const struct metrics_switch *s = poll->switches; s < poll->switches + poll->count;
	     s++) {
		const struct drb_tree t = drb_info_tree(&s->all.info);
		if (s->error != 0 || strcmp(s->fabric, last) == 0 || t.layers == 0 ||
		    t.hosts + (uint64_t)drb_tree_links(&t) * (t.layers - 1) > LINKS_MAX)
			continue;
		last = s->fabric;
		json_array_append_new(fabrics, json_pack("{s:s, s:i, s:i, s:i, s:o}", "fabric",
							 s->fabric, "layers", (int)t.layers,
							 "arity", (int)t.arity, "uplinks",
							 (int)t.uplinks, "links", links_json(&t)));
	}
	return fabrics;
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
		json_pack("{s:i, s:s, s:I, s:I, s:o, s:o, s:o}", "format", SERVE_STATE_FORMAT,
			  "version", DRB_VERSION, "time_ns", (json_int_t)poll->time_ns, "unix_ms",
			  (json_int_t)poll->unix_ms, "port_counters", keys, "fabrics",
			  fabrics_json(poll), "switches", switches);
	char *text = state ? json_dumps(state, JSON_COMPACT) : NULL;

	json_decref(state);
	return text;
}
