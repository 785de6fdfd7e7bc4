// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/plan_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/log.h"

#define INTERFACE_MTU 1500 // default MTU of an interface, bytes
#define LONGEST_MTU 65535  // largest MTU of a veth, bytes

// A file while it is made in memory. It is written at once, so that a full disk is noticed by one
// write.
struct output {
	FILE *file;
	char *text;
	size_t length;
};

static int begin_file(struct output *o)
{
	*o = (struct output){0};
	o->file = open_memstream(&o->text, &o->length);
	if (!o->file)
		drb_error("no memory for the files of a plan");
	return o->file ? 0 : -ENOMEM;
}

static int end_file(struct output *o, const struct plan *plan, const char *name)
{
	int rc = fclose(o->file) == 0 ? 0 : -ENOMEM;

	if (rc == 0)
		rc = plan_write_text(plan, name, o->text, o->length);
	free(o->text);
	return rc;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, text, length);
		if (written < 0 && errno != EINTR)
			return -errno;
		text += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

// Writes under another name and then renames, so that a reader never finds half a file.
int plan_write_text(const struct plan *plan, const char *name, const char *text, size_t length)
{
	char new[DRB_NAME_MAX + sizeof(".new")];
	int rc;

	snprintf(new, sizeof(new), "%s.new", name);
	char *from = plan_path(plan, new), *to = plan_path(plan, name);
	int fd = open(from, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	rc = fd < 0 ? -errno : write_all(fd, text, length);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(from, to) < 0)
		rc = -errno;
	if (rc < 0) {
		if (fd >= 0)
			unlink(from);
		drb_error("%s: cannot write: %s", to, strerror(-rc));
	}
	free(from);
	free(to);
	return rc;
}

static int write_namespaces(const struct plan *plan)
{
	const struct drb_tree *t = &plan->topo.tree;
	struct output o;

	if (begin_file(&o) < 0)
		return -ENOMEM;
	for (uint32_t m = 0; m <= t->layers; m++) {
		uint32_t nodes = m == 0 ? t->hosts : drb_tree_switches(t, m);
		for (uint32_t i = 0; i < nodes; i++) {
			char instance[DRB_NAME_MAX];
			if (!plan_has(plan, m, i))
				continue;
			drb_instance_name(instance, plan->topo.fabric, m, i);
			fprintf(o.file, "netns add %s\n", instance);
		}
	}
	return end_file(&o, plan, PLAN_NAMESPACES);
}

// The option of ip link that sets the MTU; "" if it is the default of interfaces.
static void put_mtu(char text[24], const struct plan *plan)
{
	text[0] = '\0';
	if (plan->mtu != INTERFACE_MTU)
		snprintf(text, 24, " mtu %u", plan->mtu);
}

// Writes the command that makes a veth. Both ends are created in their namespaces, because moving a
// link costs more than making it. Ends at switches do not answer ARP, and have one queue, since the
// drivers read only one. The index of a host's interface encodes its label. A switch's end of a
// host link has the largest MTU. Packets that are too long reach the switch instead of being
// dropped by the kernel, and the switch counts and answers them.
static void write_wire(FILE *file, const struct plan *plan, const struct topo_link *link)
{
	char space[DRB_NAME_MAX], port[DRB_NAME_MAX], mac[TOPO_ADDR_MAX], mtu[24];
	const struct drb_end *lower = &link->lower, *upper = &link->upper;

	put_mtu(mtu, plan);
	drb_instance_name(space, plan->topo.fabric, lower->layer, lower->label);
	drb_end_port(port, lower);
	fprintf(file, "link add %s", port);
	if (lower->layer == 0) {
		topo_mac(mac, &plan->topo, lower->label);
		fprintf(file, " address %s index %u", mac, DRB_HOST_INDEX + lower->label);
	} else {
		fprintf(file, " arp off");
	}
	fprintf(file, "%s netns %s numtxqueues 1 numrxqueues 1 type veth", mtu, space);
	drb_instance_name(space, plan->topo.fabric, upper->layer, upper->label);
	drb_end_port(port, upper);
	if (lower->layer == 0)
		snprintf(mtu, sizeof(mtu), " mtu %d", LONGEST_MTU);
	fprintf(file, " peer name %s arp off%s netns %s numtxqueues 1 numrxqueues 1\n", port, mtu,
		space);
}

// Writes the command that makes this machine's end of a link to another machine. A VXLAN's packets
// leave from the network namespace in which it is created, not from that of the switch. An
// interface of the machine itself is later returned unchanged, so none of its properties are set.
static void write_wire_out(FILE *file, const struct plan *plan, const struct topo_link *link,
			   uint32_t id)
{
	bool up = plan_has(plan, link->lower.layer, link->lower.label);
	const struct drb_end *own = up ? &link->lower : &link->upper;
	const struct machine *other = plan_machine(plan, up ? &link->upper : &link->lower);
	enum plan_link kind = plan_link(plan, link);
	char space[DRB_NAME_MAX], port[DRB_NAME_MAX];

	drb_instance_name(space, plan->topo.fabric, own->layer, own->label);
	drb_end_port(port, own);
	if (kind == PLAN_CABLE) {
		fprintf(file, "link set dev %s netns %s name %s\n", plan_interface(plan, link, own),
			space, port);
		return;
	}
	fprintf(file, "link add");
	if (kind == PLAN_VLAN)
		fprintf(file, " link %s", plan_interface(plan, link, own));
	fprintf(file, " name %s arp off mtu %u netns %s type", port, plan->mtu, space);
	if (kind == PLAN_VLAN)
		fprintf(file, " vlan id %u\n", id);
	else
		fprintf(file, " vxlan id %u local %s remote %s dstport %u nolearning%s\n", id,
			plan->machine->address, other->address, plan->machines->udp_port,
			other->ipv6 ? " udp6zerocsumtx udp6zerocsumrx" : "");
}

static int write_wires(const struct plan *plan)
{
	struct plan_walk walk = {0};
	struct topo_link link;
	uint32_t id;
	struct output o;

	if (begin_file(&o) < 0)
		return -ENOMEM;
	while (plan_links_next(plan, &walk, &link, &id)) {
		enum plan_link kind = plan_link(plan, &link);
		if (kind == PLAN_VETH)
			write_wire(o.file, plan, &link);
		else if (kind != PLAN_MEMIF)
			write_wire_out(o.file, plan, &link, id);
	}
	return end_file(&o, plan, PLAN_WIRES);
}

static int write_host(const struct plan *plan, uint32_t host)
{
	const struct drb_addr_plan *a = &plan->topo.addresses;
	char name[DRB_NAME_MAX], ipv4[TOPO_ADDR_MAX], ipv6[TOPO_ADDR_MAX];

	plan_batch_name(name, 0, host);
	topo_ipv4(ipv4, &plan->topo, host);
	topo_ipv6(ipv6, &plan->topo, host);
	struct output o;
	if (begin_file(&o) < 0)
		return -ENOMEM;
	fprintf(o.file, "link set dev lo up\n");
	fprintf(o.file, "address add %s/%u dev " DRB_HOST_INTERFACE "\n", ipv4, a->ipv4_len);
	fprintf(o.file, "address add %s/%u dev " DRB_HOST_INTERFACE " nodad\n", ipv6, a->ipv6_len);
	fprintf(o.file, "link set dev " DRB_HOST_INTERFACE " up\n");
	return end_file(&o, plan, name);
}

// The link at a port, down-ports first.
static struct topo_link link_of(const struct plan *plan, uint32_t layer, uint32_t label,
				uint32_t port)
{
	const struct drb_tree *t = &plan->topo.tree;
	uint32_t down = drb_tree_down_ports(t, layer);
	struct topo_link link = {.upper = {layer, label, port, false}};

	if (port < down) {
		link.lower = drb_tree_down_peer(t, layer, label, port);
	} else {
		link.lower = (struct drb_end){layer, label, port - down, true};
		link.upper = drb_tree_up_peer(t, layer, label, port - down);
	}
	return link;
}

static int write_switch(const struct plan *plan, uint32_t layer, uint32_t label)
{
	const struct drb_tree *t = &plan->topo.tree;
	uint32_t down = drb_tree_down_ports(t, layer), up = drb_tree_up_ports(t, layer);
	char name[DRB_NAME_MAX], port[DRB_NAME_MAX];

	plan_batch_name(name, layer, label);
	struct output o;
	if (begin_file(&o) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < down + up; i++) {
		bool is_up = i >= down;
		struct topo_link link = link_of(plan, layer, label, i);
		if (plan_link(plan, &link) == PLAN_MEMIF)
			continue;
		drb_port_name(port, is_up, is_up ? i - down : i);
		fprintf(o.file, "link set dev %s up\n", port);
	}
	return end_file(&o, plan, name);
}

int plan_write_batches(const struct plan *plan)
{
	const struct drb_tree *t = &plan->topo.tree;
	int rc = write_namespaces(plan);

	if (rc == 0)
		rc = write_wires(plan);
	for (uint32_t h = 0; rc == 0 && h < t->hosts; h++)
		rc = plan_has(plan, 0, h) ? write_host(plan, h) : 0;
	for (uint32_t m = 1; m <= t->layers; m++) {
		for (uint32_t s = 0; rc == 0 && s < drb_tree_switches(t, m); s++)
			rc = plan_has(plan, m, s) ? write_switch(plan, m, s) : 0;
	}
	return rc;
}

// The driver of a port if it differs from link.driver of the config; else NULL. Links to other
// machines use af_packet, and so do, by default, ports to hosts of a switch with memif links.
static const char *port_driver(const struct plan *plan, enum plan_link kind)
{
	enum drb_driver veth = plan->link.driver;

	if (kind == PLAN_MEMIF || (veth == DRB_DRIVER_AF_PACKET && !plan->memif))
		return NULL;
	if (kind != PLAN_VETH)
		return drb_driver_name(DRB_DRIVER_AF_PACKET);
	return plan->memif && veth != DRB_DRIVER_AF_PACKET ? drb_driver_name(veth) : NULL;
}

static int add_ports(const struct plan *plan, uint32_t layer, uint32_t label, char **text,
		     size_t *length)
{
	const struct drb_tree *t = &plan->topo.tree;
	uint32_t down = drb_tree_down_ports(t, layer), up = drb_tree_up_ports(t, layer);
	const char *head = "ports:\n";
	char port[DRB_NAME_MAX], *base = *text;
	FILE *file;

	*text = NULL;
	file = open_memstream(text, length);
	if (!file) {
		free(base);
		return -ENOMEM;
	}
	fputs(base, file);
	for (uint32_t i = 0; i < down + up; i++) {
		struct topo_link link = link_of(plan, layer, label, i);
		const char *driver = port_driver(plan, plan_link(plan, &link));
		if (!driver)
			continue;
		drb_port_name(port, i >= down, i >= down ? i - down : i);
		fprintf(file, "%s  - {name: %s, driver: %s}\n", head, port, driver);
		head = "";
	}
	free(base);
	return fclose(file) == 0 ? 0 : -ENOMEM;
}

// Makes the config of a switch, and writes it if the plan has a folder. The reader that drbswitch
// uses must accept it.
static int make_config(const struct plan *plan, uint32_t layer, uint32_t label)
{
	struct drb_config_values config = plan->config;
	char m[12], n[12], file[DRB_NAME_MAX];

	snprintf(m, sizeof(m), "%u", layer);
	snprintf(n, sizeof(n), "%u", label);
	drb_config_set(&config, "switch.layer", m);
	drb_config_set(&config, "switch.label", n);
	plan_config_name(file, layer, label);

	struct drb_setup *setup = malloc(sizeof(*setup));
	char *text = NULL;
	size_t length;
	int rc = setup ? drb_config_format(&config, &text, &length) : -ENOMEM;
	if (rc == 0)
		rc = add_ports(plan, layer, label, &text, &length);
	if (rc == 0)
		rc = drb_config_load_text(file, text, length, setup);
	if (rc == 0 && plan->out)
		rc = plan_write_text(plan, file, text, length);
	free(setup);
	free(text);
	return rc;
}

int plan_check_configs(const struct plan *plan)
{
	struct plan unwritten = *plan;
	int rc = 0;

	unwritten.out = NULL;
	for (uint32_t m = 1; rc == 0 && m <= plan->topo.tree.layers; m++)
		rc = make_config(&unwritten, m, 0);
	return rc;
}

int plan_write_configs(const struct plan *plan)
{
	const struct drb_tree *t = &plan->topo.tree;
	int rc = 0;

	for (uint32_t m = 1; m <= t->layers; m++) {
		for (uint32_t s = 0; rc == 0 && s < drb_tree_switches(t, m); s++)
			rc = plan_has(plan, m, s) ? make_config(plan, m, s) : 0;
	}
	return rc;
}
