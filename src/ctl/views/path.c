// SPDX-License-Identifier: BSD-3-Clause
// drbctl path: prints the path of packets from one host to another, switch by switch, computed by
// the decision core from the current states of ports. The path is certain if the scheme depends
// only on the packet. Otherwise it is the default path, or one of the paths around unusable ports.

#include "ctl/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "core/fabric/next_hop.h"
#include "core/routing/decide.h"
#include "core/routing/routes.h"
#include "core/schemes/schemes.h"

#include "ctl/ctl.h"
#include "ctl/views/fabric_state.h"
#include "ctl/views/path_ends.h"

struct path {
	struct ctl ctl;
	struct path_ends ends;
	struct fabric_state fabric;
	struct drb_outages *outages; // [index in fabric.at]: outages that this switch knows; owned
	uint64_t hash;               // of the flow, if one is given
	struct drb_table *rows;
	struct drb_decision packet; // input and result of the decision at the current switch
	bool certain;               // all packets of the flow leave the current switch by this port
	char why[256];              // why the path is not certain, and from which switch; "": it is
};

// Enough for "u12:65536+32768 " for each other uplink.
#define OTHERS_MAX 1024

#define COUNT_MAX 24

static void count_text(char text[COUNT_MAX], uint64_t count)
{
	if (count == DRB_UNKNOWN)
		snprintf(text, COUNT_MAX, DRB_UNKNOWN_TEXT);
	else
		snprintf(text, COUNT_MAX, "%" PRIu64, count);
}

// Describes the queues of the other uplinks, which a scheme may choose instead: "u1:0 u3:4". If the
// occupancy includes packets in rings, these follow: "u1:0+3 u3:4+0".
static void describe_others(char text[OTHERS_MAX], const struct drb_switch_all *all,
			    const char *chosen)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; chosen[0] == 'u' && i < all->port_count; i++) {
		const struct drb_switch_port *p = &all->ports[i];
		char ring[COUNT_MAX + 1] = "", queue[COUNT_MAX], behind[COUNT_MAX];
		if (p->name[0] != 'u' || strcmp(p->name, chosen) == 0 || used >= OTHERS_MAX)
			continue;
		count_text(queue, p->count.queue_packets);
		count_text(behind, p->count.ring_packets);
		if (strcmp(p->occupancy, "ring") == 0)
			snprintf(ring, sizeof(ring), "+%s", behind);
		used += (size_t)snprintf(text + used, OTHERS_MAX - used, "%s%s:%s%s",
					 used ? " " : "", p->name, queue, ring);
	}
}

// Notes that packets may leave this path. Keeps the reason at the first switch where they may.
static void explain(struct path *p, const struct drb_switch_all *all, const char *why)
{
	p->certain = false;
	if (!*p->why)
		snprintf(p->why, sizeof(p->why), "%s: %s", all->info.name, why);
}

// The rule by which a switch chooses uplinks, if it can be known from outside. For a scheme that
// compares queues, draws or has state, it is D-mod-k, the default of all schemes.
static const struct drb_scheme_ops *scheme_of(struct path *p, const struct drb_switch_all *all)
{
	const struct drb_scheme_ops *none = drb_scheme_ops(DRB_SCHEME_DMODK), *ops;
	char name[DRB_SCHEME_TEXT_MAX]; // without parameters
	enum drb_scheme scheme;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(all->routing.scheme, ":"),
		 all->routing.scheme);
	if (drb_scheme_parse(name, &scheme) < 0) {
		explain(p, all, "its scheme is a shared object, or of another version");
		return none;
	}
	ops = drb_scheme_ops(scheme);
	if (ops->draw != DRB_DRAW_NONE || ops->compares != DRB_COMPARES_NONE || ops->state_size) {
		explain(p, all, ops->help);
		return none;
	}
	if ((ops->needs & DRB_READS_FLOW) && !p->ends.flow.given) {
		explain(p, all, "it depends on the flow: name one, such as tcp:40000:5201");
		return none;
	}
	if ((ops->needs & DRB_READS_FLOW) && all->routing.seed == DRB_UNKNOWN) {
		explain(p, all, "it depends on a seed, which this version does not report");
		return none;
	}
	return ops;
}

// Returns the ports of the switch that lead to each rack; the caller frees the array. NULL if the
// switch knows no outage, or more outages than its list holds.
static uint64_t *routes_of(const struct path *p, const struct drb_switch_all *all,
			   uint64_t own_dead)
{
	const struct drb_outages *o = &p->outages[all - p->fabric.at];
	const uint32_t racks = drb_tree_switches(&p->fabric.tree, 1);
	uint64_t *to = calloc(racks, sizeof(*to));
	struct drb_routes r;

	if (!to || drb_routes_init(&r, &p->fabric.tree, (uint32_t)all->info.layer,
				   (uint32_t)all->info.label) < 0)
		drb_die("out of memory");
	if (o->count == 0 || o->more || !r.node) {
		drb_routes_free(&r);
		free(to);
		return NULL;
	}
	drb_routes_find(&r, o, own_dead);
	for (uint32_t i = 0; i < racks; i++)
		to[i] = drb_routes_to(&r, i);
	drb_routes_free(&r);
	return to;
}

// Decides by which port the path leaves this switch. Returns the port, or a negative number if
// there is none.
static int32_t decide(struct path *p, const struct drb_switch_all *all)
{
	static const uint32_t no_load[DRB_USABLE_UPLINKS_MAX];
	struct drb_detour_node node = fabric_state_node(&p->fabric, all);
	struct drb_usable_ports usable = fabric_state_usable(&p->fabric, all);
	struct drb_decider s = {
		.choice = {.uplinks = node.up_ports,
			   .choices = 2,
			   .salt = drb_salt(all->routing.seed, (uint32_t)all->info.layer,
					    (uint32_t)all->info.label)}};
	bool up = !drb_hop_below(&node.hop, p->ends.to);
	uint32_t def = drb_hop_default(&node.hop, p->ends.to);

	p->certain = true;
	s.choice.ops = drb_scheme_ops(DRB_SCHEME_DMODK);
	if (up && node.up_ports > 1)
		s.choice.ops = scheme_of(p, all);
	uint64_t *routes = routes_of(p, all, ~(usable.usable | usable.drained));
	uint64_t leads = usable.usable;
	usable.routes = routes;
	usable.settled = true;
	leads &= routes ? routes[p->ends.to / p->fabric.tree.arity] : UINT64_MAX;
	int32_t port = drb_decide(&s, &node, usable, no_load, &p->packet);
	free(routes);
	if (port >= 0 && p->packet.detoured)
		explain(p, all, "packets take detours; this is one of them");
	else if (up && p->certain && !(s.choice.ops->needs & DRB_READS_FLOW) &&
		 !(leads >> (node.down_ports + def) & 1))
		explain(p, all,
			"the default uplink leads nowhere or further: packets take any other");
	if (up && p->certain && strcmp(all->routing.unit, "packet") != 0)
		explain(p, all, "flows keep the uplink they got when they appeared");
	return port;
}

// Prints one switch of the path: its port, and the other uplinks that it could choose.
static void print_hop(struct path *p, const struct drb_switch_all *all, const struct drb_end *out)
{
	char port[DRB_NAME_MAX], others[OTHERS_MAX];

	drb_port_name(port, out->up, out->port);
	const struct drb_switch_port *now = drb_port_named(all, port);
	describe_others(others, all, port);
	drb_table_text(p->rows, "switch", NULL, all->info.name);
	drb_table_text(p->rows, "port", NULL, port);
	drb_table_text(p->rows, "to", NULL, now ? drb_known_text(now->peer) : NULL);
	drb_table_bad(p->rows, now && ctl_port_stands_out(now));
	drb_table_text(p->rows, "state", NULL, now ? drb_known_text(now->state) : NULL);
	drb_table_count(p->rows, "queue_packets", "queue pkts",
			now ? now->count.queue_packets : DRB_UNKNOWN);
	drb_table_count(p->rows, "ring_packets", "ring pkts",
			now ? now->count.ring_packets : DRB_UNKNOWN);
	drb_table_text(p->rows, "scheme", NULL, out->up ? drb_known_text(all->routing.scheme) : "");
	drb_table_flag(p->rows, "certain", NULL, p->certain);
	drb_table_text(p->rows, "others", "other uplinks: queue", others);
	drb_table_row_end(p->rows);
}

static const char *no_port(int32_t why)
{
	return why == DRB_DETOUR_HOST_DOWN ? "the port of the host is not usable"
					   : "no path leads on: packets are dropped (no_route)";
}

// Follows the path through one switch. *end is the end of the link by which the packet arrives. It
// becomes the end of the next link, at the next node. False: the path ends here.
static bool go_on(struct path *p, const struct drb_switch_all *all, struct drb_end *end)
{
	uint32_t downs = drb_tree_down_ports(&p->fabric.tree, end->layer);

	p->packet.port = end->port + (end->up ? downs : 0);
	int32_t port = decide(p, all);
	if (port < 0) {
		drb_error("%s: %s", all->info.name, no_port(port));
		return false;
	}
	struct drb_end out = {end->layer, end->label, (uint32_t)port, (uint32_t)port >= downs};
	out.port -= out.up ? downs : 0;
	print_hop(p, all, &out);
	*end = out.up ? drb_tree_up_peer(&p->fabric.tree, out.layer, out.label, out.port)
		      : drb_tree_down_peer(&p->fabric.tree, out.layer, out.label, out.port);
	return true;
}

static int walk(struct path *p)
{
	struct drb_end next = drb_tree_host_peer(&p->fabric.tree, p->ends.from);
	// No path is longer, because a packet that has used up its detours is dropped.
	uint32_t most = 2 * p->fabric.tree.layers + DRB_DETOUR_HOPS_MAX + DRB_ROUTED_HOPS_MAX;

	p->packet = (struct drb_decision){.dest = p->ends.to, .flow = p->hash};
	for (uint32_t hops = 0; next.layer > 0 && hops < most; hops++) {
		const struct drb_switch_all *all =
			fabric_state_of(&p->fabric, next.layer, next.label);
		char instance[DRB_NAME_MAX];
		drb_instance_name(instance, p->ctl.fabric, next.layer, next.label);
		if (!all)
			ctl_say_none(&p->ctl, instance);
		if (!all || !go_on(p, all, &next))
			return DRB_EXIT_FAILED;
	}
	return DRB_EXIT_OK;
}

// Prints the addresses and the IP version of the flow. A user may not expect IPv4, because programs
// that are given the name of a host use IPv6.
static void say_version(const struct path_ends *e)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];

	path_ends_address(e, e->from, e->flow.ipv6, from);
	path_ends_address(e, e->to, e->flow.ipv6, to);
	if (e->flow.ipv6)
		drb_info("IPv6 %s to %s", from, to);
	else
		drb_info("IPv4 %s to %s; %s for IPv6", from, to, path_ends_as_ipv6(e));
}

int ctl_path(int argc, char **argv)
{
	struct path p = {.ctl = ctl_defaults()};
	const struct drb_options sets[] = {PATH_ENDS_SET(&p.ends), CTL_TABLE_SETS(&p.ctl), {0}};

	drb_options_parse(
		sets,
		"Prints the path of packets from host FROM to host TO: the port of each switch, "
		"its state and queue, and the queues of the other uplinks. FLOW is "
		"PROTOCOL:FROM-PORT:TO-PORT, such as tcp:40000:5201, or a protocol without "
		"ports. The path is certain if the scheme depends only on the flow. Else it is "
		"the default path (D-mod-k), or one of the paths around unusable ports, and a "
		"line says so. Exit status 1 if a switch does not answer or there is no path.",
		argc, argv);
	p.ctl.fabric = p.ctl.fabric ? p.ctl.fabric : DRB_FABRIC_DEFAULT;
	int told = fabric_state_read(&p.fabric, &p.ctl);
	if (p.fabric.tree.layers == 0 || p.fabric.count == 0)
		return DRB_EXIT_FAILED;
	p.outages = fabric_state_outages(&p.fabric);
	path_ends_resolve(&p.ends, &p.fabric.at[0].info);
	p.hash = path_flow_hash(&p.ends.flow, &p.ends.plan, p.ends.from, p.ends.to);
	say_version(&p.ends);
	p.rows = drb_table_new(stdout, p.ctl.format);
	int code = walk(&p);
	drb_table_end(p.rows);
	fabric_state_free(&p.fabric);
	free(p.outages);
	if (*p.why)
		drb_info("not certain from %s", p.why);
	return code == DRB_EXIT_OK ? told : code;
}
