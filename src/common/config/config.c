// SPDX-License-Identifier: BSD-3-Clause
// From the file to what it means: defaults, names, ranges. Every complaint names the key's line.
#include "common/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/routing/rounds.h"
#include "core/routing/threshold_two_choice.h"

#include "common/config/config_file.h"

#define DEFAULT_THRESHOLD 2.0
#define DEFAULT_BURST 64
#define DEFAULT_FLOW_IDLE_NS (UINT64_C(30) * 1000000000)
#define DEFAULT_FLOW_GRACE_NS (UINT64_C(1) * 1000000000)
#define DEFAULT_FLOWLET_GAP_NS (UINT64_C(500) * 1000)
#define DEFAULT_FLOW_MAX 1000000
// Times of flows are kept in 32 bits of about a microsecond, which turn over after 73 minutes.
#define FLOW_IDLE_MAX_NS (UINT64_C(1800) * 1000000000)
#define FLOW_MAX_MAX 10000000
#define SLOT_MIN_NS UINT64_C(100)
#define SLOT_MAX_NS UINT64_C(1000000000)
#define DEFAULT_SLOT_NS 10000 // without a rate: a packet of a stream at 1 Gbit/s
#define FULL_FRAME 1514
#define TAU_MAX 10000

static const char *const unit_names[DRB_UNIT_COUNT] = {"packet", "flow", "flowlet"};

const char *drb_unit_name(enum drb_unit unit)
{
	return (unsigned)unit < DRB_UNIT_COUNT ? unit_names[unit] : NULL;
}

int drb_unit_parse(const char *name, enum drb_unit *unit)
{
	int i = drb_config_lookup(name, unit_names, DRB_UNIT_COUNT);

	if (i < 0)
		return -EINVAL;
	*unit = (enum drb_unit)i;
	return 0;
}

int drb_threshold_parse(const char *text, bool *automatic, double *threshold)
{
	*automatic = strcmp(text, DRB_THRESHOLD_AUTO) == 0;
	return *automatic ? 0 : drb_parse_real(text, 0, DRB_LOAD_MAX, threshold);
}

static int resolve_fabric(const char *path, const struct drb_config_fabric *f, struct drb_setup *s)
{
	const char *name = f->name ? f->name : DRB_FABRIC_DEFAULT;

	if (!drb_fabric_name_ok(name))
		return drb_config_bad(
			path, "fabric.name",
			"\"%s\" is not a name of at most %d letters, digits, '_', '.', '-'", name,
			DRB_FABRIC_MAX);
	snprintf(s->fabric, sizeof(s->fabric), "%s", name);
	if (f->layers < 1 || f->layers > DRB_LAYERS_MAX)
		return drb_config_bad(path, "fabric.layers", "%u is not in 1..%u", f->layers,
				      DRB_LAYERS_MAX);
	if (f->arity < 1 || f->arity > DRB_PORTS_MAX / 2)
		return drb_config_bad(path, "fabric.arity",
				      "%u is not in 1..%u (a switch has 2 arity ports)", f->arity,
				      DRB_PORTS_MAX / 2);
	if (drb_tree_init(&s->tree, f->layers, f->arity) < 0)
		return drb_config_bad(path, "fabric.layers", "F(%u,%u) has more than %u hosts",
				      f->layers, f->arity, DRB_HOSTS_MAX);
	s->addr = drb_addr_default(s->tree.hosts);
	if (f->mac && drb_addr_set_mac(&s->addr, f->mac) < 0)
		return drb_config_bad(path, "fabric.mac",
				      "\"%s\" is not two unicast bytes such as \"02:00\"", f->mac);
	if (f->ipv4 && drb_addr_set_ipv4(&s->addr, f->ipv4) < 0)
		return drb_config_bad(path, "fabric.ipv4",
				      "\"%s\" is not a network such as 10.0.0.0/8", f->ipv4);
	if (f->ipv6 && drb_addr_set_ipv6(&s->addr, f->ipv6) < 0)
		return drb_config_bad(path, "fabric.ipv6",
				      "\"%s\" is not a network such as fd00::/64", f->ipv6);
	if (!drb_addr_fits(&s->addr))
		return drb_config_bad(path, "fabric.layers",
				      "F(%u,%u) has %u hosts, more than the address prefixes hold",
				      f->layers, f->arity, s->tree.hosts);
	return 0;
}

static int resolve_switch(const char *path, const struct drb_config_switch *sw,
			  const struct drb_config_override *over, struct drb_setup *s)
{
	int64_t layer = over && over->layer >= 0 ? over->layer : sw ? (int64_t)sw->layer : -1;
	int64_t label = over && over->label >= 0 ? over->label : sw ? (int64_t)sw->label : -1;

	if (layer < 0 || label < 0)
		return drb_config_bad(path, "switch",
				      "key is missing (or give --layer and --label)");
	if (layer < 1 || layer > s->tree.layers)
		return drb_config_bad(path, "switch.layer", "%lld is not in 1..%u",
				      (long long)layer, s->tree.layers);
	s->layer = (uint32_t)layer;
	uint32_t switches = drb_tree_switches(&s->tree, s->layer);
	if (label >= switches)
		return drb_config_bad(path, "switch.label",
				      "%lld is not in 0..%u, the switches of layer %u of F(%u,%u)",
				      (long long)label, switches - 1, s->layer, s->tree.layers,
				      s->tree.arity);
	s->label = (uint32_t)label;
	s->hop = drb_hop_at(&s->tree, s->layer, s->label);
	s->down_ports = drb_tree_down_ports(&s->tree, s->layer);
	s->up_ports = drb_tree_up_ports(&s->tree, s->layer);
	drb_node_name(s->name, s->layer, s->label);
	drb_instance_name(s->instance, s->fabric, s->layer, s->label);
	return 0;
}

static int resolve_time(const char *path, const char *key, const char *text, uint64_t *ns)
{
	if (!text)
		return 0;
	if (drb_parse_time(text, ns) < 0 || *ns < 1000 || *ns > FLOW_IDLE_MAX_NS)
		return drb_config_bad(path, key,
				      "\"%s\" is not a time of 1us to 1800s, such as 500us or 30s",
				      text);
	return 0;
}

static int resolve_unit(const char *path, const struct drb_config_routing *r, struct drb_setup *s)
{
	s->unit = DRB_UNIT_PACKET;
	s->flow_idle_ns = DEFAULT_FLOW_IDLE_NS;
	s->flow_grace_ns = DEFAULT_FLOW_GRACE_NS;
	s->flowlet_gap_ns = DEFAULT_FLOWLET_GAP_NS;
	s->flow_max = r->flow_max ? *r->flow_max : DEFAULT_FLOW_MAX;
	if (r->unit && drb_unit_parse(r->unit, &s->unit) < 0)
		return drb_config_bad(path, "routing.unit",
				      "\"%s\" is none of packet, flow, flowlet", r->unit);
	if (resolve_time(path, "routing.flow_idle", r->flow_idle, &s->flow_idle_ns) < 0 ||
	    resolve_time(path, "routing.flow_grace", r->flow_grace, &s->flow_grace_ns) < 0 ||
	    resolve_time(path, "routing.flowlet_gap", r->flowlet_gap, &s->flowlet_gap_ns) < 0)
		return -EINVAL;
	if (s->flow_max < 1 || s->flow_max > FLOW_MAX_MAX)
		return drb_config_bad(path, "routing.flow_max", "%u is not in 1..%u flows",
				      s->flow_max, FLOW_MAX_MAX);
	return 0;
}

static int resolve_routing(const char *path, const struct drb_config_routing *r,
			   struct drb_setup *s)
{
	enum drb_scheme scheme = DRB_SCHEME_DRB;

	if (r->scheme && drb_scheme_parse(r->scheme, &scheme) < 0) {
		char known[128] = "";
		for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
			strcat(known, i ? ", " : "");
			strcat(known, drb_scheme_name((enum drb_scheme)i));
		}
		return drb_config_bad(path, "routing.scheme", "\"%s\" is none of %s", r->scheme,
				      known);
	}
	s->threshold = DEFAULT_THRESHOLD;
	if (r->threshold &&
	    drb_threshold_parse(r->threshold, &s->threshold_auto, &s->threshold) < 0)
		return drb_config_bad(path, "routing.threshold",
				      "\"%s\" is not a number >= 0 or auto", r->threshold);
	uint32_t choices = r->choices ? *r->choices : 2;
	if (choices < 2 || (choices > DRB_CHOICES_MAX && choices != s->tree.arity))
		return drb_config_bad(path, "routing.choices", "%u is not in 2..%u", choices,
				      DRB_CHOICES_MAX);
	if (resolve_unit(path, r, s) < 0)
		return -EINVAL;
	s->seed = r->seed ? *r->seed : 1;
	// Readers of JSON hold whole numbers in 63 bits.
	if (s->seed > INT64_MAX)
		return drb_config_bad(path, "routing.seed", "%" PRIu64 " is not in 0..%" PRId64,
				      s->seed, INT64_MAX);
	s->check_source = !r->check_source || *r->check_source;
	s->choice = (struct drb_choice){
		.scheme = scheme,
		.uplinks = s->up_ports,
		.choices = choices,
		.margin = drb_margin(s->threshold),
		.salt = drb_salt(s->seed, s->layer, s->label),
	};
	return 0;
}

// What a packet takes on an uplink, unless it is said: of a full frame, where sizes matter.
static uint64_t slot_of_links(const struct drb_setup *s)
{
	const struct drb_port_setup *p = &s->ports[s->up_ports ? s->down_ports : 0];
	double ns = DEFAULT_SLOT_NS;

	if (p->rate.value > 0)
		ns = (p->rate.per_packet ? 1 : (FULL_FRAME + p->overhead) * 8) * 1e9 /
		     p->rate.value;
	return ns < SLOT_MIN_NS ? SLOT_MIN_NS : ns > SLOT_MAX_NS ? SLOT_MAX_NS : (uint64_t)ns;
}

// What rotate and walk go by; when the ports are known.
static int resolve_turns(const char *path, const struct drb_config_routing *r, struct drb_setup *s)
{
	const char *scheme = drb_scheme_name(s->choice.scheme);

	if (drb_scheme_packets_only(s->choice.scheme) && s->unit != DRB_UNIT_PACKET)
		return drb_config_bad(path, "routing.unit",
				      "\"%s\": scheme %s decides on packets only",
				      drb_unit_name(s->unit), scheme);
	if (s->choice.scheme == DRB_SCHEME_WALK && !s->check_source)
		return drb_config_bad(path, "routing.check_source",
				      "false: scheme walk marks packets in their source MAC, so "
				      "sources must be known");
	s->slot_ns = slot_of_links(s);
	if (r->slot && (drb_parse_time(r->slot, &s->slot_ns) < 0 || s->slot_ns < SLOT_MIN_NS ||
			s->slot_ns > SLOT_MAX_NS))
		return drb_config_bad(path, "routing.slot",
				      "\"%s\" is not a time of 100ns to 1s, such as 2ms", r->slot);
	s->tau = r->tau ? *r->tau : DRB_WALK_TAU;
	if (s->tau < 1 || s->tau > TAU_MAX)
		return drb_config_bad(path, "routing.tau", "%u is not in 1..%u slots", s->tau,
				      TAU_MAX);
	return 0;
}

// A list of CPU numbers and ranges as EAL takes it: "2", "0-3,8".
static bool is_cpu_list(const char *text)
{
	for (;;) {
		unsigned from, to;
		int len = 0;
		if (!isdigit((unsigned char)*text) || sscanf(text, "%4u%n", &from, &len) != 1)
			return false;
		text += len;
		to = from;
		if (text[0] == '-') {
			if (!isdigit((unsigned char)text[1]) ||
			    sscanf(text, "-%4u%n", &to, &len) != 1)
				return false;
			text += len;
		}
		if (to < from || to >= CPU_SETSIZE || (*text != ',' && *text != '\0'))
			return false;
		if (*text++ == '\0')
			return true;
	}
}

static int resolve_process(const char *path, const struct drb_config_process *p,
			   struct drb_setup *s)
{
	static const char *const idle_names[] = {"sleep", "poll"};
	static const char *const huge_names[] = {"auto", "yes", "no"};
	int idle = p->idle ? drb_config_lookup(p->idle, idle_names, 2) : DRB_IDLE_SLEEP;
	int huge =
		p->hugepages ? drb_config_lookup(p->hugepages, huge_names, 3) : DRB_HUGEPAGES_AUTO;

	if (idle < 0)
		return drb_config_bad(path, "process.idle", "\"%s\" is neither sleep nor poll",
				      p->idle);
	if (huge < 0)
		return drb_config_bad(path, "process.hugepages", "\"%s\" is none of auto, yes, no",
				      p->hugepages);
	s->idle = (enum drb_idle)idle;
	s->hugepages = (enum drb_hugepages)huge;
	s->burst = p->burst ? *p->burst : DEFAULT_BURST;
	if (s->burst < 1 || s->burst > 256)
		return drb_config_bad(path, "process.burst", "%u is not in 1..256 packets",
				      s->burst);
	s->memory_mb = p->memory ? *p->memory : 0;
	if (p->memory && (s->memory_mb < 8 || s->memory_mb > 1 << 20))
		return drb_config_bad(path, "process.memory", "%u is not in 8..%u MiB",
				      s->memory_mb, 1 << 20);
	s->workers = p->workers ? *p->workers : 1;
	if (s->workers < 1 || s->workers > DRB_WORKERS_MAX)
		return drb_config_bad(path, "process.workers", "%u is not in 1..%u", s->workers,
				      DRB_WORKERS_MAX);
	s->buffers = p->buffers ? *p->buffers : 0;
	if (s->buffers > 1 << 24)
		return drb_config_bad(path, "process.buffers", "%u is not in 0..%u", s->buffers,
				      1 << 24);
	if (p->cpus && (strlen(p->cpus) >= sizeof(s->cpus) || !is_cpu_list(p->cpus)))
		return drb_config_bad(path, "process.cpus",
				      "\"%s\" is not a list of CPUs such as 2 or 0-1", p->cpus);
	if (p->cpus)
		snprintf(s->cpus, sizeof(s->cpus), "%s", p->cpus);
	return 0;
}

// The text has been read.
static int resolve(const char *path, const struct drb_config_override *override,
		   struct drb_setup *setup)
{
	struct drb_config *c;

	if (drb_config_file_read(path, &c) < 0)
		return -EINVAL;
	memset(setup, 0, sizeof(*setup));
	int rc = resolve_fabric(path, &c->fabric, setup);
	if (rc == 0)
		rc = resolve_switch(path, c->sw, override, setup);
	if (rc == 0)
		rc = resolve_routing(path, &c->routing, setup);
	if (rc == 0)
		rc = drb_config_ports(path, c, setup);
	if (rc == 0)
		rc = resolve_turns(path, &c->routing, setup);
	if (rc == 0)
		rc = resolve_process(path, &c->process, setup);
	drb_config_file_free(c);
	return rc;
}

int drb_config_load(const char *path, const struct drb_config_override *override,
		    struct drb_setup *setup)
{
	return drb_config_text_read(path) < 0 ? -EINVAL : resolve(path, override, setup);
}

int drb_config_load_text(const char *path, const char *text, size_t length, struct drb_setup *setup)
{
	return drb_config_text_take(path, text, length) < 0 ? -EINVAL : resolve(path, NULL, setup);
}
