// SPDX-License-Identifier: BSD-3-Clause
// drbctl path: the way of packets from one host to another, switch by switch, as it is now: certain
// where the scheme looks at nothing but the packet, the default's elsewhere.

#include "ctl/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"
#include "core/links/port_sets.h"
#include "core/routing/decide.h"

#include "ctl/ctl.h"
#include "ctl/views/path_flow.h"

struct path {
	struct ctl ctl;
	char *host[2]; // as given: from, to
	uint32_t from, to;
	struct drb_tree tree;
	struct drb_addr_plan plan;
	const char *ipv4, *ipv6; // networks of the hosts; NULL: the default
	struct path_flow flow;
	uint64_t hash; // of the flow, if one is given
	struct ctl_rows *rows;
	struct drb_end at; // the switch that is asked, and the port of the way
	bool certain;      // no packet of the flow goes elsewhere from there
	char why[256];     // why one may, at the first switch where it may; "" if nowhere
};

// Room for "u12:4096 " of every other uplink.
#define OTHERS_MAX 512

// Queues of the other uplinks, which a scheme may take instead: "u1:0 u3:4".
static void describe_others(char text[OTHERS_MAX], const struct drb_switch_ports *ports,
			    const char *chosen)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; chosen[0] == 'u' && i < ports->count; i++) {
		const struct drb_switch_port *p = &ports->port[i];
		if (p->name[0] == 'u' && strcmp(p->name, chosen) != 0 && used < OTHERS_MAX)
			used += (size_t)snprintf(text + used, OTHERS_MAX - used, "%s%s:%llu",
						 used ? " " : "", p->name,
						 (unsigned long long)p->count.queue_packets);
	}
}

static uint64_t queue_of(const struct drb_switch_ports *ports, const char *name)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (strcmp(ports->port[i].name, name) == 0)
			return ports->port[i].count.queue_packets;
	}
	return 0;
}

static int read_usable(struct drb_telemetry *t, bool up, uint32_t port, bool *usable)
{
	struct drb_switch_link link;
	char name[DRB_NAME_MAX];

	drb_port_name(name, up, port);
	int rc = drb_read_link(t, name, &link);
	*usable = link.usable;
	return rc;
}

static int read_usable_uplinks(struct drb_telemetry *t, uint32_t uplinks, uint64_t *usable)
{
	bool is_usable;
	int rc = 0;

	*usable = 0;
	for (uint32_t u = 0; rc == 0 && u < uplinks; u++) {
		rc = read_usable(t, true, u, &is_usable);
		if (rc == 0 && is_usable)
			*usable |= UINT64_C(1) << u;
	}
	return rc;
}

// Says once why packets may leave the way.
static void explain(struct path *p, const char *name, const char *why)
{
	p->certain = false;
	if (!*p->why)
		snprintf(p->why, sizeof(p->why), "%s: %s", name, why);
}

// The uplink by the switch's own rule, with what is known from outside: schemes that compare queues or
// draw are told by their default.
static void choose_uplink(struct path *p, const struct drb_switch_info *info,
			  const struct drb_switch_routing *routing, uint64_t usable)
{
	static const uint32_t no_load[DRB_USABLE_UPLINKS_MAX];
	const struct drb_decision d = {.dest = p->to, .flow = p->hash, .def = p->at.port};
	struct drb_choice choice = {
		.uplinks = (uint32_t)info->arity,
		.choices = 2,
		.salt = drb_salt(routing->seed, (uint32_t)info->layer, (uint32_t)info->label)};

	if (choice.uplinks < 2)
		return;
	if (drb_scheme_parse(routing->scheme, &choice.scheme) < 0) {
		explain(p, info->name, "another version's scheme");
		return;
	}
	const struct drb_scheme_row *row = &drb_scheme_table[choice.scheme];
	bool hashes = row->flags & DRB_READS_FLOW;
	if (row->draw != DRB_DRAW_NONE || row->compares != DRB_COMPARES_NONE)
		explain(p, info->name, row->help);
	else if (hashes && !p->flow.given)
		explain(p, info->name, "it depends on the flow: name one, such as tcp:40000:5201");
	else if (!usable || (!hashes && !(usable >> p->at.port & 1)))
		explain(p, info->name, "the default uplink is not usable");
	else
		p->at.port = drb_choose_among(&choice, usable, no_load, &d);
	if (p->certain && strcmp(routing->unit, "packet") != 0)
		explain(p, info->name, "flows keep the uplink they got when they appeared");
}

// Decides where the way leaves this switch.
static int decide(struct path *p, struct drb_telemetry *t, const struct drb_switch_info *info,
		  const struct drb_switch_routing *routing)
{
	uint64_t usable;
	bool down_usable = true;
	int rc;

	p->certain = true;
	if (!p->at.up) {
		rc = read_usable(t, false, p->at.port, &down_usable);
		if (rc == 0 && !down_usable)
			explain(p, info->name, "the port is not usable: packets make a detour");
		return rc;
	}
	rc = read_usable_uplinks(t, (uint32_t)info->arity, &usable);
	if (rc == 0)
		choose_uplink(p, info, routing, usable);
	return rc;
}

// One switch of the way: its port, and what else it could choose.
static int look_at(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct path *p = arg;
	struct drb_switch_routing routing;
	struct drb_switch_ports ports;
	struct drb_switch_link link;
	char port[DRB_NAME_MAX], others[OTHERS_MAX];
	int rc = drb_read_routing(t, &routing);

	if (rc == 0)
		rc = decide(p, t, info, &routing);
	drb_port_name(port, p->at.up, p->at.port);
	if (rc == 0)
		rc = drb_read_link(t, port, &link);
	if (rc == 0)
		rc = drb_read_ports(t, &ports);
	if (rc < 0)
		return rc;
	describe_others(others, &ports, port);
	ctl_text(p->rows, "switch", NULL, NULL, info->name);
	ctl_text(p->rows, "port", NULL, NULL, port);
	ctl_text(p->rows, "to", NULL, NULL, link.peer);
	ctl_text(p->rows, "state", NULL, NULL, link.state);
	ctl_count(p->rows, "queue_packets", "queue pkts", NULL, queue_of(&ports, port));
	ctl_text(p->rows, "scheme", NULL, NULL, p->at.up ? routing.scheme : "");
	ctl_flag(p->rows, "certain", NULL, p->certain);
	ctl_text(p->rows, "others", "other uplinks: queue", NULL, others);
	ctl_row_end(p->rows);
	drb_switch_ports_free(&ports);
	return 0;
}

// Sets the default port of the way at p->at.
static void choose_port(struct path *p)
{
	struct drb_hop hop = drb_hop_at(&p->tree, p->at.layer, p->at.label);

	p->at.up = !drb_hop_below(&hop, p->to);
	p->at.port = drb_hop_digit(&hop, p->to);
}

static int walk(struct path *p)
{
	struct drb_end next = drb_tree_host_peer(&p->tree, p->from);
	int code = DRB_EXIT_OK;

	while (next.layer > 0) {
		char name[DRB_NAME_MAX], *names[] = {name};
		p->at = next;
		choose_port(p);
		drb_node_name(name, p->at.layer, p->at.label);
		if (ctl_each(&p->ctl, names, 1, look_at, p) != DRB_EXIT_OK)
			code = DRB_EXIT_FAILED;
		next = p->at.up
			       ? drb_tree_up_peer(&p->tree, p->at.layer, p->at.label, p->at.port)
			       : drb_tree_down_peer(&p->tree, p->at.layer, p->at.label, p->at.port);
	}
	return code;
}

// Any switch knows the size of the fabric.
static int learn_tree(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct path *p = arg;

	(void)t;
	return drb_tree_init(&p->tree, (uint32_t)info->layers, (uint32_t)info->arity) < 0 ? -EPROTO
											  : 0;
}

static uint32_t host_of(const struct path *p, const char *text)
{
	uint32_t layer, host;

	if (drb_node_parse(text, &layer, &host) < 0 || layer > 0)
		drb_die("'%s' is not a host: must be h<label>, like h4", text);
	if (host >= p->tree.hosts)
		drb_die("'%s': F(%u,%u) has hosts h0 to h%u", text, p->tree.layers, p->tree.arity,
			p->tree.hosts - 1);
	return host;
}

// The flow's hash, once it is known how many hosts there are.
static void hash_flow(struct path *p)
{
	p->plan = drb_addr_default(p->tree.hosts);
	if (p->ipv4 && drb_addr_set_ipv4(&p->plan, p->ipv4) < 0)
		drb_die("--ipv4 %s: must be a network like 10.0.0.0/8", p->ipv4);
	if (p->ipv6 && drb_addr_set_ipv6(&p->plan, p->ipv6) < 0)
		drb_die("--ipv6 %s: must be a network like fd00::/64", p->ipv6);
	p->hash = path_flow_hash(&p->flow, &p->plan, p->from, p->to);
}

static void take_argument(struct path *p, char *arg)
{
	if (!p->host[0])
		p->host[0] = arg;
	else if (!p->host[1])
		p->host[1] = arg;
	else if (!p->flow.given)
		path_flow_parse(arg, &p->flow);
	else
		drb_die("'%s' is one argument too many", arg);
}

enum { KEY_IPV4 = 0x200, KEY_IPV6 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct path *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &p->ctl;
		return 0;
	case '6':
		p->flow.ipv6 = true;
		return 0;
	case KEY_IPV4:
		p->ipv4 = arg;
		return 0;
	case KEY_IPV6:
		p->ipv6 = arg;
		return 0;
	case ARGP_KEY_ARG:
		take_argument(p, arg);
		return 0;
	case ARGP_KEY_END:
		if (!p->host[1])
			drb_die("two hosts are wanted, like h4 h10");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int ctl_path(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{NULL, '6', NULL, 0, "The flow is of IPv6", 0},
		{"ipv4", KEY_IPV4, "NET", 0, "IPv4 network of the hosts (default 10.0.0.0/8)", 0},
		{"ipv6", KEY_IPV6, "NET", 0, "IPv6 network of the hosts (default fd00::/64)", 0},
		{0},
	};
	static const struct argp_child children[] = {{&ctl_table_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FROM TO [FLOW]",
		.doc = "Prints the way of packets from host FROM to host TO: the port of each "
		       "switch, its state and queue, and the queues of the other uplinks. FLOW is "
		       "PROTOCOL:FROM-PORT:TO-PORT, such as tcp:40000:5201, or a protocol without "
		       "ports. Where the way depends on nothing but the flow it is certain; "
		       "elsewhere it is the default (D-mod-k), and a line says what would change "
		       "it. Exit status 1 if a switch does not answer.",
		.children = children};
	struct path p = {.ctl = ctl_defaults()};

	drb_args_parse(&argp, argc, argv, 0, &p);
	p.ctl.fabric = p.ctl.fabric ? p.ctl.fabric : DRB_FABRIC_DEFAULT;
	if (ctl_each(&p.ctl, NULL, 0, learn_tree, &p) != DRB_EXIT_OK && p.tree.layers == 0)
		return DRB_EXIT_FAILED;
	p.from = host_of(&p, p.host[0]);
	p.to = host_of(&p, p.host[1]);
	if (p.from == p.to)
		drb_die("from %s to itself there is no way over switches", p.host[0]);
	hash_flow(&p);
	p.rows = ctl_rows_new(p.ctl.format, false);
	int code = walk(&p);
	ctl_rows_end(p.rows);
	if (*p.why)
		drb_info("not certain from %s", p.why);
	return code;
}
