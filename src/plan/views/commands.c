// SPDX-License-Identifier: BSD-3-Clause
// drbtopo commands: prints shell commands that run one switch by hand.
#include "plan/verbs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/plan.h"

#include "plan/topo.h"

struct commands {
	struct topo topo;
	const char *given;
	uint32_t layer, label;
};

// The name of a node's namespace.
static const char *space_of(char name[DRB_NAME_MAX], const struct commands *c,
			    const struct drb_end *end)
{
	drb_instance_name(name, c->topo.fabric, end->layer, end->label);
	return name;
}

// Prints the first line of an `if` around all other commands. They do nothing while a fabric of
// this name is up, or this switch runs. An existing namespace does not matter, because the commands
// for a neighbour may have made it. The commands contain no `exit`, which would end the shell into
// which a user pastes them.
static void print_refusal(const struct commands *c)
{
	const char *fabric = c->topo.fabric;
	bool named = strcmp(fabric, DRB_FABRIC_DEFAULT) != 0;
	struct drb_end here = {.layer = c->layer, .label = c->label};
	char space[DRB_NAME_MAX];

	space_of(space, c, &here);
	printf("if [ -e " DRB_RUN_DIR "/%s ] || ip netns pids %s 2>/dev/null | grep -q .; then "
	       "echo '%s: fabric %s is up, or this switch runs: end it (topo/fabric down%s%s), or "
	       "take "
	       "another name (drbtopo commands --fabric NAME)' >&2; else\n",
	       fabric, space, space, fabric, named ? " --fabric " : "", named ? fabric : "");
}

static void print_config(const struct commands *c, const char *name)
{
	const struct topo *t = &c->topo;

	printf("cat >%s.yaml <<'END'\n", name);
	printf("fabric: {layers: %u, arity: %u", t->tree.layers, t->tree.arity);
	if (t->uplinks)
		printf(", uplinks: %u", t->tree.uplinks);
	if (strcmp(t->fabric, DRB_FABRIC_DEFAULT) != 0)
		printf(", name: %s", t->fabric);
	if (t->ipv4)
		printf(", ipv4: \"%s\"", t->ipv4);
	if (t->ipv6)
		printf(", ipv6: \"%s\"", t->ipv6);
	if (t->mac)
		printf(", mac: \"%s\"", t->mac);
	printf("}\nswitch: {layer: %u, label: %u}\nEND\n", c->layer, c->label);
}

// Prints the commands that make a link and bring both ends up. A host's end gets its addresses.
static void print_link(const struct commands *c, const struct drb_end *own, const char *port)
{
	const struct drb_end *peer = own;
	char space[DRB_NAME_MAX], other[DRB_NAME_MAX], far[DRB_NAME_MAX];
	struct drb_end here = {.layer = c->layer, .label = c->label};

	space_of(space, c, &here);
	space_of(other, c, peer);
	drb_end_port(far, peer);
	printf("netns add %s\n", other);
	printf("link add %s netns %s type veth peer name %s netns %s", port, space, far, other);
	if (peer->layer > 0) {
		printf("\nnetns exec %s ip link set %s up\n", space, port);
		return;
	}
	char mac[TOPO_ADDR_MAX], ipv4[TOPO_ADDR_MAX], ipv6[TOPO_ADDR_MAX];
	topo_mac(mac, &c->topo, peer->label);
	topo_ipv4(ipv4, &c->topo, peer->label);
	topo_ipv6(ipv6, &c->topo, peer->label);
	printf(" address %s\n", mac);
	printf("netns exec %s ip address add %s/%u dev %s\n", other, ipv4,
	       c->topo.addresses.ipv4_len, far);
	printf("netns exec %s ip address add %s/%u dev %s nodad\n", other, ipv6,
	       c->topo.addresses.ipv6_len, far);
	printf("netns exec %s ip link set %s up\n", space, port);
	printf("netns exec %s ip link set %s up\n", other, far);
}

static void print_links(const struct commands *c)
{
	const struct drb_tree *t = &c->topo.tree;
	uint32_t down = drb_tree_down_ports(t, c->layer), up = drb_tree_up_ports(t, c->layer);
	char space[DRB_NAME_MAX], port[DRB_NAME_MAX];
	struct drb_end here = {.layer = c->layer, .label = c->label};

	printf("ip -force -batch - <<'END'\nnetns add %s\n", space_of(space, c, &here));
	for (uint32_t i = 0; i < down + up; i++) {
		struct drb_end peer = i < down ? drb_tree_down_peer(t, c->layer, c->label, i)
					       : drb_tree_up_peer(t, c->layer, c->label, i - down);
		drb_port_name(port, i >= down, i < down ? i : i - down);
		print_link(c, &peer, port);
	}
	printf("END\n");
}

// Finds another program of this project: in the build folder of this one, or else installed.
static void find_program(char program[PATH_MAX], const char *folder, const char *name)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = '\0';
	for (int up = 0; up < 2 && strrchr(path, '/'); up++)
		*strrchr(path, '/') = '\0';
	if ((size_t)snprintf(program, PATH_MAX, "%s/%s/%s", path, folder, name) >= PATH_MAX ||
	    access(program, X_OK) < 0)
		snprintf(program, PATH_MAX, "%s", name);
}

// Prints the command that runs the switch, and one that waits until the switch forwards. Before
// that, a host's first ARP request would be lost, and its kernel repeats it only after a second.
static void print_switch(const struct commands *c, const char *name)
{
	struct drb_end here = {.layer = c->layer, .label = c->label};
	char space[DRB_NAME_MAX], program[PATH_MAX];

	space_of(space, c, &here);
	find_program(program, "switch", "drbswitch");
	printf("ip netns exec %s %s -c %s.yaml &\n", space, program, name);
	find_program(program, "ctl", "drbctl");
	printf("until %s show %s >/dev/null 2>&1; do sleep 0.05; kill -0 $! || break; done\n",
	       program, space);
}

static void print_ping(const struct commands *c)
{
	const struct drb_tree *t = &c->topo.tree;
	char space[DRB_NAME_MAX], address[TOPO_ADDR_MAX];

	if (c->layer != 1 || drb_tree_down_ports(t, 1) < 2)
		return;
	struct drb_end from = drb_tree_down_peer(t, 1, c->label, 0);
	struct drb_end to = drb_tree_down_peer(t, 1, c->label, 1);
	topo_ipv4(address, &c->topo, to.label);
	printf("ip netns exec %s ping -c 3 %s\n", space_of(space, c, &from), address);
}

static const struct drb_option options[] = {
	{NULL, "SWITCH", NULL, .kind = DRB_OPTION_TEXT, offsetof(struct commands, given)},
	{0},
};

int topo_commands(int argc, char **argv)
{
	struct commands c = {0};
	char name[DRB_NAME_MAX];
	const struct drb_options sets[] = {TOPO_SET(&c.topo), {.option = options, &c}, {0}};

	drb_options_parse(
		sets,
		"Prints the commands that run one switch with its hosts by hand: config, "
		"namespaces, links and the switch. Paste them into a root shell. They keep what "
		"the commands for a neighbour have already created. While a fabric of this name "
		"is up, they only print a message.",
		argc, argv);
	if (!c.given)
		drb_die("a switch is missing: drbtopo commands -l 3 -d 2 s1-0");
	if (drb_node_parse(c.given, &c.layer, &c.label) < 0 || c.layer == 0)
		drb_die("'%s' is no switch: must be one such as s1-0", c.given);
	if (c.layer > c.topo.tree.layers || c.label >= drb_tree_switches(&c.topo.tree, c.layer))
		drb_die("F(%u,%u) has no switch s%u-%u", c.topo.tree.layers, c.topo.tree.arity,
			c.layer, c.label);
	drb_node_name(name, c.layer, c.label);
	print_refusal(&c);
	print_config(&c, name);
	print_links(&c);
	print_switch(&c, name);
	print_ping(&c);
	printf("fi\n");
	return DRB_EXIT_OK;
}
