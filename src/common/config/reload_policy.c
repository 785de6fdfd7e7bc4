// SPDX-License-Identifier: BSD-3-Clause
// What of a config cannot change while the switch runs.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/config/config_file.h"

struct kept {
	char *text;
	size_t size, used;
};

// Adds a key once.
static void name_key(struct kept *kept, const char *at, const char *key)
{
	char name[64];
	size_t length = (size_t)snprintf(name, sizeof(name), "%s%s", at, key);
	const char *found = strstr(kept->text, name);

	if ((found && (found[length] == ',' || found[length] == '\0')) ||
	    kept->used + length + 2 >= kept->size)
		return;
	kept->used += (size_t)snprintf(kept->text + kept->used, kept->size - kept->used, "%s%s",
				       kept->used ? ", " : "", name);
}

static bool same_addresses(const struct drb_addr_plan *a, const struct drb_addr_plan *b)
{
	return memcmp(a->mac, b->mac, sizeof(a->mac)) == 0 && a->ipv4 == b->ipv4 &&
	       a->ipv4_len == b->ipv4_len && memcmp(a->ipv6, b->ipv6, sizeof(a->ipv6)) == 0 &&
	       a->ipv6_len == b->ipv6_len;
}

static int check_same_switch(const char *path, const struct drb_setup *now,
			     const struct drb_setup *s)
{
	if (strcmp(now->fabric, s->fabric) != 0 || now->tree.layers != s->tree.layers ||
	    now->tree.arity != s->tree.arity || !same_addresses(&now->addr, &s->addr))
		return drb_config_bad(path, "fabric",
				      "another fabric than that of the switch that "
				      "runs; it needs a restart");
	if (now->layer != s->layer || now->label != s->label)
		return drb_config_bad(path, "switch", "%s, but %s runs; it needs a restart",
				      s->name, now->name);
	return 0;
}

// What the driver opens.
static void keep_devices(const struct drb_setup *now, struct drb_setup *s, struct kept *kept)
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_setup *old = &now->ports[i];
		struct drb_port_setup *p = &s->ports[i];
		if (old->driver != p->driver)
			name_key(kept, p->key, "driver");
		else if (strcmp(drb_port_device(old), drb_port_device(p)) != 0)
			name_key(kept, p->key,
				 p->driver == DRB_DRIVER_MEMIF    ? "socket"
				 : p->driver <= DRB_DRIVER_AF_XDP ? "interface"
								  : "device");
		else if (p->driver == DRB_DRIVER_AF_XDP && strcmp(old->xdp, p->xdp) != 0)
			name_key(kept, p->key, "xdp");
		p->driver = old->driver;
		memcpy(p->xdp, old->xdp, sizeof(p->xdp));
		memcpy(p->interface, old->interface, sizeof(p->interface));
		memcpy(p->socket, old->socket, sizeof(p->socket));
		memcpy(p->device, old->device, sizeof(p->device));
	}
}

// The packet buffers were made for the queues of the start, and process.buffers more.
static void keep_queues(const struct drb_setup *now, struct drb_setup *s, struct kept *kept)
{
	uint64_t room = now->buffers, wanted = 0;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		room += now->ports[i].queue_made;
		wanted += s->ports[i].queue;
	}
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		struct drb_port_setup *p = &s->ports[i];
		p->queue_made = now->ports[i].queue_made;
		if (wanted <= room || p->queue == now->ports[i].queue)
			continue;
		name_key(kept, p->key, "queue");
		p->queue = now->ports[i].queue;
	}
}

int drb_config_keep(const char *path, const struct drb_setup *now, struct drb_setup *s, char *text,
		    size_t size)
{
	struct kept kept = {.text = text, .size = size};

	text[0] = '\0';
	if (check_same_switch(path, now, s) < 0)
		return -EINVAL;
#define KEEP(field, key)                                                                           \
	if (memcmp(&now->field, &s->field, sizeof(s->field)) != 0) {                               \
		name_key(&kept, "", key);                                                          \
		memcpy(&s->field, &now->field, sizeof(s->field));                                  \
	}
	KEEP(seed, "routing.seed")
	// A table that flows are in does not become another.
	if (s->unit == now->unit && s->unit != DRB_UNIT_PACKET) {
		KEEP(flow_max, "routing.flow_max")
	}
	KEEP(idle, "process.idle")
	KEEP(workers, "process.workers")
	KEEP(burst, "process.burst")
	KEEP(cpus, "process.cpus")
	KEEP(hugepages, "process.hugepages")
	KEEP(memory_mb, "process.memory")
	KEEP(buffers, "process.buffers")
#undef KEEP
	s->choice.salt = now->choice.salt;
	keep_devices(now, s, &kept);
	keep_queues(now, s, &kept);
	return 0;
}
