// SPDX-License-Identifier: BSD-3-Clause
// Reads the ports of a switch from `link` (all ports) and `ports` (single ports).
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/config/complaint.h"
#include "common/config/reader.h"

#define DEFAULT_HELLO_NS 100000000
#define HELLO_UNSAID UINT64_MAX // the file gives no period: use the driver's default
#define DEFAULT_CATCHUP_NS 2000000
// If the rate of a link is its speed, a late worker recovers almost no link time on it. Packets
// that catch up would wait in the card's ring, where no decision sees them. A worker that never
// sleeps is rarely later than this time.
#define LINK_CATCHUP_NS 20000
#define CATCHUP_UNSAID UINT64_MAX
#define SHORTEST_FRAME 60 // bytes, without FCS

const char *drb_port_device(const struct drb_port_setup *port)
{
	switch (port->driver) {
	case DRB_DRIVER_AF_PACKET:
	case DRB_DRIVER_AF_XDP:
		return port->interface;
	case DRB_DRIVER_MEMIF:
		return port->socket;
	case DRB_DRIVER_VDEV:
	case DRB_DRIVER_PCI:
		return port->device;
	case DRB_DRIVER_NONE:
	case DRB_DRIVER_COUNT:
		break;
	}
	return "";
}

// Both ends of a memif link derive the same socket: the socket of the up-port at its lower end.
static void default_socket(const struct drb_setup *s, struct drb_port_setup *port)
{
	char lower[DRB_NAME_MAX], name[DRB_NAME_MAX];

	if (port->up) {
		drb_instance_name(lower, s->fabric, s->layer, s->label);
		drb_port_name(name, true, port->number);
	} else {
		drb_instance_name(lower, s->fabric, port->peer.layer, port->peer.label);
		drb_port_name(name, port->peer.layer > 0, port->peer.port);
	}
	snprintf(port->socket, sizeof(port->socket), "%s/%s-%.8s.memif", s->memif_dir, lower, name);
}

static void default_ports(struct drb_setup *s)
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *p = &s->ports[i];
		*p = (struct drb_port_setup){
			.up = i >= s->down_ports,
			.number = i < s->down_ports ? i : i - s->down_ports,
			.hello_ns = HELLO_UNSAID,
			.catchup_ns = CATCHUP_UNSAID,
		};
		p->peer = p->up ? drb_tree_up_peer(&s->tree, s->layer, s->label, p->number)
				: drb_tree_down_peer(&s->tree, s->layer, s->label, p->number);
		drb_port_name(p->name, p->up, p->number);
		snprintf(p->key, sizeof(p->key), "link.");
		drb_port_name(p->interface, p->up, p->number);
		default_socket(s, p);
	}
}

// Length of the name of a vdev or PCI device, without its arguments.
static size_t device_name_length(const char *device)
{
	return strcspn(device, ",");
}

// True for [domain:]bus:device.function, perhaps followed by a comma and device arguments.
static bool is_pci_address(const char *text)
{
	static const char *const forms[] = {"xxxx:xx:xx.o", "xx:xx.o"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *f = forms[i], *t = text;
		while (*f && (*f == 'x'   ? isxdigit((unsigned char)*t) != 0
			      : *f == 'o' ? *t >= '0' && *t <= '7'
					  : *f == *t)) {
			f++;
			t++;
		}
		if (*f == '\0' && (*t == '\0' || *t == ','))
			return true;
	}
	return false;
}

// Writes the address in full and in lower case, as the kernel does, so that two spellings of one
// card are equal.
static int spell_address(const char *path, struct drb_port_setup *port)
{
	static const char domain[] = "0000:";
	char *device = port->device;
	size_t length = strlen(device);

	if (!is_pci_address(device))
		return drb_config_bad_port(path, port, "device",
					   "\"%s\" is not a PCI address such as 0000:3b:00.0",
					   device);
	if (device_name_length(device) < sizeof("0000:3b:00.0") - 1) {
		if (length + sizeof(domain) > sizeof(port->device))
			return drb_config_bad_port(path, port, "device",
						   "too long: the address is completed with %s",
						   domain);
		memmove(device + sizeof(domain) - 1, device, length + 1);
		memcpy(device, domain, sizeof(domain) - 1);
	}
	for (size_t i = 0; i < device_name_length(device); i++)
		device[i] = (char)tolower((unsigned char)device[i]);
	return 0;
}

// Checks the combination of a port's keys, after all of them were read.
static int check_port(const char *path, struct drb_port_setup *port)
{
	bool vdev = port->driver == DRB_DRIVER_VDEV, pci = port->driver == DRB_DRIVER_PCI;

	if (port->link_rate && !vdev && !pci && port->driver != DRB_DRIVER_NONE)
		return drb_config_bad_port(path, port, "rate",
					   "link: the speed of port %s is not known to its driver, "
					   "%s: give a rate such as 1Gbit, or none",
					   port->name, drb_driver_name(port->driver));
	if (port->slotted && !drb_rate_has_slots(&port->rate))
		return drb_config_bad_port(
			path, port, "slotted",
			"needs a rate of at most 1Mpps, such as 500pps (port %s)", port->name);
	if (port->peer.layer > 0 && port->delay_ns && !(port->rate.value > 0))
		return drb_config_bad_port(path, port, "delay",
					   "needs a rate such as 500pps or 1Gbit (port %s)",
					   port->name);
	if ((vdev || pci) && !*port->device)
		return drb_config_bad_port(path, port, "device",
					   "key is missing for port %s, driver %s", port->name,
					   drb_driver_name(port->driver));
	if (vdev && device_name_length(port->device) >= DRB_DEVICE_MAX)
		return drb_config_bad_port(path, port, "device",
					   "the name before the comma is longer than %d characters",
					   DRB_DEVICE_MAX - 1);
	return pci ? spell_address(path, port) : 0;
}

// Returns the index of the port that an entry of `ports` configures. -EINVAL if there is no such
// port, or if an earlier entry configures it.
static int find_port(const char *path, uint32_t entry, const struct drb_setup *s, const bool seen[])
{
	const char *name = drb_config_entry_name(entry);
	uint32_t number;
	char key[32];
	bool up;

	snprintf(key, sizeof(key), "ports[%u].name", entry);
	if (drb_port_parse(name, &up, &number) < 0 || number >= (up ? s->up_ports : s->down_ports))
		return drb_config_bad(
			path, key,
			"\"%s\" is no port of this switch (%u down-ports d0.., %u up-ports u0..)",
			name, s->down_ports, s->up_ports);
	uint32_t index = up ? s->down_ports + number : number;
	if (seen[index])
		return drb_config_bad(path, key, "port %s is listed twice", name);
	return (int)index;
}

static int read_entries(const char *path, struct drb_setup *s)
{
	bool seen[DRB_PORTS_MAX] = {false};

	for (uint32_t i = 0; i < drb_config_entries(); i++) {
		int index = find_port(path, i, s, seen);
		if (index < 0)
			return -EINVAL;
		struct drb_port_setup *port = &s->ports[index];
		seen[index] = true;
		snprintf(port->key, sizeof(port->key), "ports[%u].", i);
		if (drb_config_read_entry(path, i, port) < 0)
			return -EINVAL;
	}
	return 0;
}

// Reads `link` into every port.
static int read_link(const char *path, struct drb_setup *s)
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *port = &s->ports[i];
		if (drb_config_read(path, DRB_SECTION_LINK, port) < 0)
			return -EINVAL;
		// Only switches share memory; a host has a kernel interface.
		if (port->driver == DRB_DRIVER_MEMIF && port->peer.layer == 0)
			port->driver = DRB_DRIVER_AF_PACKET;
	}
	return 0;
}

// Number of slots of `link` that a packet takes on a port. It is more than one if the rate of
// `link` is a whole multiple of the port's own rate. Otherwise the port has slots of its own.
static uint32_t slots_of(const struct drb_rate *link, const struct drb_rate *port)
{
	double slots = round(port->value > 0 ? link->value / port->value : 1);
	bool whole = fabs(slots * port->value - link->value) <= 1e-9 * link->value;

	return link->per_packet && port->per_packet && whole && slots > 1 && slots <= DRB_SLOTS_MAX
		       ? (uint32_t)slots
		       : 1;
}

double drb_port_packets_a_second(const struct drb_port_setup *port)
{
	const double shortest = 8.0 * (SHORTEST_FRAME + port->overhead);

	return port->rate.per_packet ? port->rate.value : port->rate.value / shortest;
}

uint32_t drb_config_on_link(const struct drb_port_setup *port)
{
	const double away_s = (double)(port->delay_ns + port->catchup_ns) * 1e-9;
	const double packets = away_s * drb_port_packets_a_second(port) + 1;

	if (port->peer.layer == 0 || port->delay_ns == 0)
		return 0;
	return port->rate.value > 0 && packets <= DRB_ON_LINK_MAX ? (uint32_t)packets
								  : DRB_ON_LINK_MAX + 1;
}

static int count_on_link(const char *path, struct drb_port_setup *port)
{
	port->on_link = drb_config_on_link(port);
	if (port->on_link > DRB_ON_LINK_MAX)
		return drb_config_bad_port(path, port, "delay",
					   "more than %d packets would be on the link of port %s: "
					   "take a shorter delay or a lower rate",
					   DRB_ON_LINK_MAX, port->name);
	return 0;
}

// Virtual devices do not lead to a switch, so they have no hellos by default.
static uint64_t default_hello(enum drb_driver driver)
{
	return driver == DRB_DRIVER_VDEV || driver == DRB_DRIVER_NONE ? 0 : DEFAULT_HELLO_NS;
}

static bool same_device(const struct drb_port_setup *a, const struct drb_port_setup *b)
{
	bool kernel_a = a->driver <= DRB_DRIVER_AF_XDP, kernel_b = b->driver <= DRB_DRIVER_AF_XDP;
	size_t len = device_name_length(a->device);

	if (kernel_a && kernel_b)
		return strcmp(a->interface, b->interface) == 0;
	if (a->driver != b->driver || a->driver == DRB_DRIVER_NONE)
		return false;
	if (a->driver == DRB_DRIVER_MEMIF)
		return strcmp(a->socket, b->socket) == 0;
	return len == device_name_length(b->device) && strncmp(a->device, b->device, len) == 0;
}

// Checks that no two ports use the same interface, socket or device.
static int check_sharing(const char *path, const struct drb_setup *s)
{
	uint32_t ports = s->down_ports + s->up_ports;

	for (uint32_t i = 0; i < ports; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (same_device(&s->ports[i], &s->ports[j]))
				return drb_config_bad(
					path, "ports",
					"ports %s and %s use the same interface, socket or device",
					s->ports[j].name, s->ports[i].name);
		}
	}
	return 0;
}

int drb_config_ports(const char *path, struct drb_setup *s)
{
	struct drb_rate link;

	default_ports(s);
	if (read_link(path, s) < 0)
		return -EINVAL;
	link = s->ports[0].rate;
	if (read_entries(path, s) < 0)
		return -EINVAL;
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *port = &s->ports[i];
		if (!port->rate_given)
			port->link_rate = port->driver == DRB_DRIVER_PCI;
		if (check_port(path, port) < 0)
			return -EINVAL;
		port->slots = slots_of(&link, &port->rate);
		port->queue_made = port->queue;
		if (port->hello_ns == HELLO_UNSAID)
			port->hello_ns = default_hello(port->driver);
		if (port->catchup_ns == CATCHUP_UNSAID)
			port->catchup_ns = port->link_rate && s->idle == DRB_IDLE_POLL
						   ? LINK_CATCHUP_NS
						   : DEFAULT_CATCHUP_NS;
		if (count_on_link(path, port) < 0)
			return -EINVAL;
	}
	return check_sharing(path, s);
}
