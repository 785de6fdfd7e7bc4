// SPDX-License-Identifier: BSD-3-Clause
// The replies about ports: expected and actual neighbour, device, link model, counters.
#include <stdio.h>
#include <string.h>

#include <rte_ether.h>

#include "core/counters.h"
#include "core/fabric/names.h"
#include "switch/control/replies.h"
#include "switch/control/switch.h"

const struct drb_port *drb_port_device_of(const struct drb_switch *self, uint32_t i)
{
	const struct drb_port_queue *q = self->workers.worker[0].port[i].queue;

	return q ? q->port : NULL;
}

static const char *port_state(const struct drb_switch *self, uint32_t i,
			      const struct drb_port_link *live)
{
	const struct drb_port *port = drb_port_device_of(self, i);

	if (!port)
		return "none";
	const char *state = drb_port_state(port);
	// A switch that has not sent a hello yet is unknown. A host sends no hellos, so its port is
	// up.
	if (live->watched && strcmp(state, "up") == 0 &&
	    (self->setup.ports[i].peer.layer > 0 || live->state != DRB_LINK_UNKNOWN))
		return drb_liveness_state(live);
	return state;
}

// A drained port takes traffic while it is needed. A port without hellos takes traffic while it has
// a carrier.
static bool takes_traffic(const struct drb_port *port, const struct drb_port_link *live)
{
	if (!port || strcmp(drb_port_state(port), "up") != 0)
		return false;
	return !live->watched || live->needed || live->state == DRB_LINK_UP ||
	       live->state == DRB_LINK_UNKNOWN;
}

// Names the part that counts as the port's occupancy. The ring counts only if the config says so
// and the device can report it.
static const char *occupancy_of(const struct drb_switch *self, uint32_t i)
{
	const struct drb_port_queue *q = self->workers.worker[0].port[i].queue;
	bool tells = q && q->in_ring;

	return drb_occupancy_name(tells ? self->setup.ports[i].occupancy : DRB_OCCUPANCY_QUEUE);
}

// Adds the expected peer, the neighbour by its hellos, and the share of hellos that the link lost.
static void add_peer(json_t *port, const struct drb_port_setup *p, const struct drb_port_link *live)
{
	char peer[DRB_END_NAME_MAX], neighbour[DRB_END_NAME_MAX] = "";

	drb_end_name(peer, &p->peer);
	if (live->heard)
		drb_end_name(neighbour, &live->last.from);
	json_object_set_new(port, "peer", json_string(peer));
	json_object_set_new(port, "neighbour", json_string(neighbour));
	drb_json_add_count(port, "since_ns", live->watched ? live->since_ns : 0);
	drb_json_add_count(port, "hellos_in", live->hellos_in);
	drb_json_add_count(port, "hellos_out", live->hellos_out);
	drb_json_add_count(port, "loss_in_ppm", live->loss_in);
	drb_json_add_count(port, "loss_out_ppm", live->heard ? live->last.loss : 0);
}

static void add_device(json_t *object, const struct drb_port *port, const struct drb_port_setup *p)
{
	char text[RTE_ETHER_ADDR_FMT_SIZE], device[128]; // the most that readers store
	struct rte_ether_addr mac;

	if (port && port->kind->mac(port, mac.addr_bytes)) {
		rte_ether_format_addr(text, sizeof(text), &mac);
		json_object_set_new(object, "mac", json_string(text));
	}
	snprintf(device, sizeof(device), "%s", drb_port_device(p));
	json_object_set_new(object, "driver", json_string(drb_driver_name(p->driver)));
	json_object_set_new(object, "device", drb_text_json(device));
}

static void add_counters(json_t *object, const struct drb_port *port,
			 const struct drb_port_counters *count)
{
	struct drb_xdp_counters xdp; // counted by the kernel in front of an af_xdp port

#define X(key, meaning) drb_json_add_count(object, #key, count->key);
	DRB_PORT_COUNTERS(X)
#undef X
	if (!port || !port->kind->xdp || !port->kind->xdp->count(port, &xdp))
		return;
#define X(key, meaning) drb_json_add_count(object, #key, xdp.key);
	DRB_XDP_COUNTERS(X)
#undef X
}

json_t *drb_port_counters_json(const struct drb_switch *self, const struct drb_snapshot *s,
			       uint32_t i)
{
	json_t *counters = json_object();

	add_counters(counters, drb_port_device_of(self, i), &s->port[i]);
	return counters;
}

json_t *drb_port_json(const struct drb_switch *self, const struct drb_snapshot *s, uint32_t i)
{
	const struct drb_port_setup *p = &self->setup.ports[i];
	const struct drb_port *device = drb_port_device_of(self, i);
	const struct drb_port_link *live = &s->live[i];
	char rate[128];

	drb_format_rate(&p->rate, rate, sizeof(rate));
	json_t *port = json_pack("{s:s, s:s, s:i, s:s, s:i, s:i, s:s, s:i, s:I}", "name", p->name,
				 "state", port_state(self, i, live), "usable",
				 takes_traffic(device, live), "rate", rate, "overhead", p->overhead,
				 "queue", p->queue, "occupancy", occupancy_of(self, i), "slotted",
				 p->slotted, "catchup_ns", (json_int_t)p->catchup_ns);
	add_peer(port, p, live);
	add_device(port, device, p);
	add_counters(port, device, &s->port[i]);
	return port;
}

json_t *drb_reply_port(const char *parameter, void *context)
{
	const struct drb_switch *self = context;
	const uint32_t count = drb_reply_ports_count(self);
	const struct drb_snapshot *s = drb_reply_snapshot(self);
	uint32_t i = 0;

	while (i < count && (!parameter || strcmp(self->setup.ports[i].name, parameter) != 0))
		i++;
	return i < count && s ? drb_port_json(self, s, i) : NULL;
}

json_t *drb_reply_ports(const char *parameter, void *context)
{
	const struct drb_switch *self = context;
	const uint32_t count = drb_reply_ports_count(self);
	const struct drb_snapshot *s = drb_reply_snapshot(self);
	json_t *names, *list;

	(void)parameter;
	if (!s)
		return NULL;
	names = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(names, json_string(self->setup.ports[i].name));
	json_t *ports = json_pack("{s:s, s:I, s:o}", "switch", self->setup.name, "time_ns",
				  (json_int_t)s->time_ns, "name", names);
#define X(key, meaning)                                                                            \
	list = json_array();                                                                       \
	for (uint32_t i = 0; i < count; i++)                                                       \
		json_array_append_new(list, json_integer((json_int_t)s->port[i].key));             \
	json_object_set_new_nocheck(ports, #key, list);
	DRB_PORT_COUNTERS(X)
#undef X
	return ports;
}
