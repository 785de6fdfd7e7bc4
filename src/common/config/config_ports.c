// SPDX-License-Identifier: BSD-3-Clause
// The ports of a switch: what `link` says of all and `ports` of each.
#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "core/links/hello.h"

#include "common/config/config.h"
#include "common/config/config_file.h"

#define DEFAULT_OVERHEAD 24 // preamble 7, SFD 1, FCS 4, gap 12
// 16 ports of this many buffers of 4 KiB are 4 GiB.
#define QUEUE_MAX 65536
#define DEFAULT_QUEUE 512
#define DEFAULT_CATCHUP_NS 2000000
#define DEFAULT_HELLO_NS 100000000
#define HELLO_MIN_NS 10000000
#define HELLO_UNSAID UINT64_MAX // by the file: what suits the driver
#define DEFAULT_MEMIF_DIR "/run/drbswitch"

static const char *const driver_names[DRB_DRIVER_COUNT] = {
	[DRB_DRIVER_AF_PACKET] = "af_packet",
	[DRB_DRIVER_AF_XDP] = "af_xdp",
	[DRB_DRIVER_MEMIF] = "memif",
	[DRB_DRIVER_VDEV] = "vdev",
	[DRB_DRIVER_PCI] = "pci",
	[DRB_DRIVER_NONE] = "none",
};

const char *drb_driver_name(enum drb_driver driver)
{
	return driver_names[driver];
}

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

int drb_config_lookup(const char *text, const char *const names[], int count)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
	}
	return -1;
}

// The driver's arguments end at commas and nest in brackets.
static bool is_xdp(const char *text, size_t size)
{
	if (strcmp(text, DRB_XDP_STEER) == 0 || strcmp(text, DRB_XDP_ALL) == 0)
		return true;
	return strchr(text, '/') && !strpbrk(text, ",[]()") && strlen(text) < size;
}

// Fills the link properties of port from l, leaving alone what l does not say. key is the path of
// l's mapping in the file, with a trailing dot.
static int resolve_link(const char *path, const char *at, const struct drb_config_link *l,
			struct drb_port_setup *port)
{
	char key[64];
	int driver;

#define KEY(name) (snprintf(key, sizeof(key), "%s" name, at), key)
	if (l->driver) {
		driver = drb_config_lookup(l->driver, driver_names, DRB_DRIVER_COUNT);
		if (driver < 0)
			return drb_config_bad(
				path, KEY("driver"),
				"\"%s\" is none of af_packet, af_xdp, memif, vdev, pci, none",
				l->driver);
		port->driver = (enum drb_driver)driver;
	}
	if (l->rate && drb_parse_rate(l->rate, &port->rate) < 0)
		return drb_config_bad(path, KEY("rate"),
				      "\"%s\" is not a rate such as 500pps, 10Mbit or none",
				      l->rate);
	if (l->slotted)
		port->slotted = *l->slotted;
	if (l->overhead && *l->overhead > 1024)
		return drb_config_bad(path, KEY("overhead"), "%u is not in 0..1024 bytes",
				      *l->overhead);
	if (l->overhead)
		port->overhead = *l->overhead;
	if (l->queue && (*l->queue < 1 || *l->queue > QUEUE_MAX))
		return drb_config_bad(path, KEY("queue"), "%u is not in 1..%u packets", *l->queue,
				      QUEUE_MAX);
	if (l->queue)
		port->queue = *l->queue;
	if (l->catchup && (drb_parse_time(l->catchup, &port->catchup_ns) < 0 ||
			   port->catchup_ns > UINT64_C(10000000000)))
		return drb_config_bad(path, KEY("catchup"),
				      "\"%s\" is not a time of at most 10s, such as 2ms",
				      l->catchup);
	if (l->xdp && !is_xdp(l->xdp, sizeof(port->xdp)))
		return drb_config_bad(path, KEY("xdp"),
				      "\"%s\" is neither steer nor all nor a path of at most %zu "
				      "characters, without comma or bracket",
				      l->xdp, sizeof(port->xdp) - 1);
	if (l->xdp)
		snprintf(port->xdp, sizeof(port->xdp), "%s", l->xdp);
	if (l->hello && strcmp(l->hello, "off") == 0)
		port->hello_ns = 0;
	else if (l->hello && (drb_parse_time(l->hello, &port->hello_ns) < 0 ||
			      port->hello_ns < HELLO_MIN_NS || port->hello_ns % 1000000 != 0 ||
			      port->hello_ns > DRB_HELLO_PERIOD_MAX_MS * UINT64_C(1000000)))
		return drb_config_bad(path, KEY("hello"),
				      "\"%s\" is neither off nor a whole number of milliseconds "
				      "from 10ms to %ds",
				      l->hello, DRB_HELLO_PERIOD_MAX_MS / 1000);
#undef KEY
	return 0;
}

// Both ends of a memif link derive the same socket: that of the lower end's up-port.
static void default_socket(const struct drb_setup *s, const char *dir, struct drb_port_setup *port)
{
	char lower[DRB_NAME_MAX], name[DRB_NAME_MAX];

	if (port->up) {
		drb_instance_name(lower, s->fabric, s->layer, s->label);
		drb_port_name(name, true, port->number);
	} else {
		drb_instance_name(lower, s->fabric, port->peer.layer, port->peer.label);
		drb_port_name(name, port->peer.layer > 0, port->peer.port);
	}
	snprintf(port->socket, sizeof(port->socket), "%.50s/%s-%.8s.memif", dir, lower, name);
}

static void default_ports(const struct drb_setup *s, const char *memif_dir,
			  struct drb_port_setup ports[])
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *p = &ports[i];
		*p = (struct drb_port_setup){
			.up = i >= s->down_ports,
			.number = i < s->down_ports ? i : i - s->down_ports,
			.overhead = DEFAULT_OVERHEAD,
			.queue = DEFAULT_QUEUE,
			.catchup_ns = DEFAULT_CATCHUP_NS,
			.xdp = DRB_XDP_STEER,
			.hello_ns = HELLO_UNSAID,
		};
		p->peer = p->up ? drb_tree_up_peer(&s->tree, s->layer, s->label, p->number)
				: drb_tree_down_peer(&s->tree, s->layer, s->label, p->number);
		drb_port_name(p->name, p->up, p->number);
		snprintf(p->key, sizeof(p->key), "link.");
		snprintf(p->interface, sizeof(p->interface), "%s", p->name);
		default_socket(s, memif_dir, p);
	}
}

// The name of a vdev or PCI device, without its arguments.
static size_t device_name_length(const char *device)
{
	return strcspn(device, ",");
}

// [domain:]bus:device.function, with device arguments behind a comma if need be.
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

// Checks what the driver needs, after every source of it was read.
static int check_port(const char *path, const struct drb_port_setup *port)
{
	char key[64];

#define KEY(name) (snprintf(key, sizeof(key), "%s" name, port->key), key)
	bool has_interface =
		port->driver == DRB_DRIVER_AF_PACKET || port->driver == DRB_DRIVER_AF_XDP;
	bool needs_device = port->driver == DRB_DRIVER_VDEV || port->driver == DRB_DRIVER_PCI;
	if (has_interface && strlen(port->interface) >= IF_NAMESIZE)
		return drb_config_bad(path, KEY("interface"), "\"%s\" is longer than %d characters",
				      port->interface, IF_NAMESIZE - 1);
	if (port->slotted && !drb_rate_has_slots(&port->rate))
		return drb_config_bad(path, KEY("slotted"),
				      "needs a rate of at most 1Mpps, such as 500pps (port %s)",
				      port->name);
	if (needs_device && !*port->device)
		return drb_config_bad(path, KEY("device"), "key is missing for port %s, driver %s",
				      port->name, drb_driver_name(port->driver));
	if (port->driver == DRB_DRIVER_VDEV && device_name_length(port->device) >= DRB_DEVICE_MAX)
		return drb_config_bad(path, KEY("device"),
				      "the name before the comma is longer than %d characters",
				      DRB_DEVICE_MAX - 1);
	if (port->driver == DRB_DRIVER_PCI && !is_pci_address(port->device))
		return drb_config_bad(path, KEY("device"),
				      "\"%s\" is not a PCI address such as 0000:3b:00.0",
				      port->device);
#undef KEY
	return 0;
}

static int resolve_port(const char *path, const struct drb_config_port *c, const char *at,
			struct drb_setup *s, bool seen[])
{
	char key[64];
	uint32_t number, index;
	bool up;

	snprintf(key, sizeof(key), "%sname", at);
	if (drb_port_parse(c->name, &up, &number) < 0 ||
	    number >= (up ? s->up_ports : s->down_ports))
		return drb_config_bad(
			path, key,
			"\"%s\" is no port of this switch (%u down-ports d0.., %u up-ports u0..)",
			c->name, s->down_ports, s->up_ports);
	index = up ? s->down_ports + number : number;
	if (seen[index])
		return drb_config_bad(path, key, "port %s is listed twice", c->name);
	seen[index] = true;
	struct drb_port_setup *port = &s->ports[index];
	snprintf(port->key, sizeof(port->key), "%s", at);
	if (resolve_link(path, at, &c->link, port) < 0)
		return -EINVAL;
	if (c->interface)
		snprintf(port->interface, sizeof(port->interface), "%s", c->interface);
	if (c->socket && strlen(c->socket) >= sizeof(port->socket)) {
		snprintf(key, sizeof(key), "%ssocket", at);
		return drb_config_bad(path, key, "longer than %zu characters",
				      sizeof(port->socket) - 1);
	}
	if (c->socket)
		snprintf(port->socket, sizeof(port->socket), "%s", c->socket);
	if (c->device)
		snprintf(port->device, sizeof(port->device), "%s", c->device);
	return check_port(path, port);
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

// No two ports may use the same interface, socket or device.
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

int drb_config_ports(const char *path, const struct drb_config *c, struct drb_setup *s)
{
	const char *dir = c->process.memif_dir ? c->process.memif_dir : DEFAULT_MEMIF_DIR;
	bool seen[DRB_PORTS_MAX] = {false};
	char at[32];

	if (strlen(dir) > 50)
		return drb_config_bad(path, "process.memif_dir", "longer than 50 characters");
	default_ports(s, dir, s->ports);
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		if (resolve_link(path, "link.", &c->link, &s->ports[i]) < 0)
			return -EINVAL;
		// Switches share memory; a plain host has a kernel interface.
		if (s->ports[i].driver == DRB_DRIVER_MEMIF && s->ports[i].peer.layer == 0)
			s->ports[i].driver = DRB_DRIVER_AF_PACKET;
	}
	for (uint32_t i = 0; i < c->ports_count; i++) {
		snprintf(at, sizeof(at), "ports[%u].", i);
		if (resolve_port(path, &c->ports[i], at, s, seen) < 0)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *p = &s->ports[i];
		if (!seen[i] && check_port(path, p) < 0)
			return -EINVAL;
		p->queue_made = p->queue;
		// Behind a device of a benchmark there is no switch.
		if (p->hello_ns == HELLO_UNSAID)
			p->hello_ns = p->driver >= DRB_DRIVER_VDEV && p->driver != DRB_DRIVER_PCI
					      ? 0
					      : DEFAULT_HELLO_NS;
	}
	return check_sharing(path, s);
}
