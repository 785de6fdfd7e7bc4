// SPDX-License-Identifier: BSD-3-Clause
// drbctl path: the way of packets from one host to another, switch by switch, as it is now.

#include "ctl/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"

#include "ctl/ctl.h"

struct path {
	struct ctl ctl;
	char *host[2]; // as given: from, to
	uint32_t from, to;
	struct drb_tree tree;
	struct ctl_rows *rows;
	struct drb_end at; // the switch that is asked, and the port of the way
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

// One switch of the way: its default port, and what else it could choose.
static int look_at(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct path *p = arg;
	struct drb_switch_routing routing;
	struct drb_switch_ports ports;
	struct drb_switch_link link;
	char port[DRB_NAME_MAX], others[OTHERS_MAX];

	drb_port_name(port, p->at.up, p->at.port);
	int rc = drb_read_routing(t, &routing);
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
	ctl_text(p->rows, "others", "other uplinks: queue", NULL, others);
	ctl_row_end(p->rows);
	drb_switch_ports_free(&ports);
	return 0;
}

// Sets the port of the way at p->at.
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct path *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &p->ctl;
		return 0;
	case ARGP_KEY_ARG:
		if (p->host[1])
			drb_die("'%s' is one argument too many", arg);
		p->host[p->host[0] ? 1 : 0] = arg;
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
	static const struct argp_child children[] = {{&ctl_table_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "FROM TO",
		.doc = "Prints the default way (D-mod-k) of packets from host FROM to host TO: the "
		       "port of each switch, its state and queue, and the queues of the uplinks "
		       "that the scheme may take instead. Exit status 1 if a switch does not "
		       "answer.",
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
	p.rows = ctl_rows_new(p.ctl.format, false);
	int code = walk(&p);
	ctl_rows_end(p.rows);
	return code;
}
