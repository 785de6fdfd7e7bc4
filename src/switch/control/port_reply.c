// SPDX-License-Identifier: BSD-3-Clause
// The reply about one port: who must be at its other end and who is, device, link model, counters.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_ether.h>

#include "core/counters.h"
#include "core/fabric/names.h"
#include "switch/control/replies.h"

// NULL: the port has no device.
static const struct drb_port *device_of(uint32_t i)
{
	const struct drb_port_queue *q = drb_reply_context.workers->worker[0].port[i].queue;

	return q ? q->port : NULL;
}

static const char *port_state(uint32_t i, const struct drb_port_link *live)
{
	const struct drb_port_setup *p = &drb_reply_context.setup->ports[i];
	const struct drb_port *port = device_of(i);

	if (!port)
		return "none";
	const char *state = drb_port_state(port);
	// A switch that says hello and was not heard yet is unknown; a host never speaks.
	if (live->watched && strcmp(state, "up") == 0 &&
	    (p->peer.layer > 0 || live->state != DRB_LINK_UNKNOWN))
		return drb_liveness_state(live);
	return state;
}

// A drained port does while it is needed; one that nobody watches does while it is plugged in.
static bool takes_traffic(uint32_t i, const struct drb_port_link *live)
{
	const struct drb_port *port = device_of(i);

	if (!port || strcmp(drb_port_state(port), "up") != 0)
		return false;
	return !live->watched || live->needed || live->state == DRB_LINK_UP ||
	       live->state == DRB_LINK_UNKNOWN;
}

// Who says hello at the other end.
static void add_neighbour(struct rte_tel_data *d, const struct drb_port_link *live)
{
	char text[DRB_END_NAME_MAX] = "";

	if (live->heard)
		drb_end_name(text, &live->last.from);
	rte_tel_data_add_dict_string(d, "neighbour", text);
	add_dict_u64(d, "since_ns", live->watched ? live->since_ns : 0);
	add_dict_u64(d, "hellos_in", live->hellos_in);
	add_dict_u64(d, "hellos_out", live->hellos_out);
	add_dict_u64(d, "loss_in_ppm", live->loss_in);
	add_dict_u64(d, "loss_out_ppm", live->heard ? live->last.loss : 0);
}

// What counts as the port's occupancy: its ring where the config says so and its device can tell.
static const char *occupancy_of(uint32_t i)
{
	const struct drb_port_queue *q = drb_reply_context.workers->worker[0].port[i].queue;
	bool tells = q && q->in_ring;

	return drb_occupancy_name(tells ? drb_reply_context.setup->ports[i].occupancy
					: DRB_OCCUPANCY_QUEUE);
}

static void add_device(struct rte_tel_data *d, uint32_t i, const struct drb_port_link *live)
{
	struct rte_ether_addr mac;
	char text[RTE_ETHER_ADDR_FMT_SIZE];
	const struct drb_port_setup *p = &drb_reply_context.setup->ports[i];

	const struct drb_port *port = device_of(i);

	if (port && port->kind->mac(port, mac.addr_bytes)) {
		rte_ether_format_addr(text, sizeof(text), &mac);
		rte_tel_data_add_dict_string(d, "mac", text);
	}
	rte_tel_data_add_dict_string(d, "state", port_state(i, live));
	add_dict_u64(d, "usable", takes_traffic(i, live));
	rte_tel_data_add_dict_string(d, "driver", drb_driver_name(p->driver));
	rte_tel_data_add_dict_string(d, "device", drb_port_device(p));
}

// What the kernel counts in front of an af_xdp port.
static void add_xdp(struct rte_tel_data *d, uint32_t i)
{
	const struct drb_port *port = device_of(i);
	struct drb_xdp_counters count;

	if (!port || !port->kind->xdp || !port->kind->xdp->count(port, &count))
		return;
#define X(key, meaning) add_dict_u64(d, #key, count.key);
	DRB_XDP_COUNTERS(X)
#undef X
}

int drb_reply_port(const char *cmd, const char *params, struct rte_tel_data *d)
{
	const struct drb_setup *setup = drb_reply_context.setup;
	struct drb_snapshot s;
	uint32_t total = setup->down_ports + setup->up_ports, i = 0;
	char text[128], peer[DRB_END_NAME_MAX];

	(void)cmd;
	while (i < total && (!params || strcmp(setup->ports[i].name, params) != 0))
		i++;
	if (i == total)
		return -EINVAL;
	if (drb_reply_snapshot(&s) < 0)
		return -EIO;
	const struct drb_port_setup *p = &setup->ports[i];
	rte_tel_data_start_dict(d);
	rte_tel_data_add_dict_string(d, "name", p->name);
	drb_end_name(peer, &p->peer);
	rte_tel_data_add_dict_string(d, "peer", peer);
	add_neighbour(d, &s.live[i]);
	add_device(d, i, &s.live[i]);
	drb_format_rate(&p->rate, text, sizeof(text));
	rte_tel_data_add_dict_string(d, "rate", text);
	add_dict_u64(d, "overhead", p->overhead);
	add_dict_u64(d, "queue", p->queue);
	rte_tel_data_add_dict_string(d, "occupancy", occupancy_of(i));
	add_dict_u64(d, "slotted", p->slotted);
	add_dict_u64(d, "catchup_ns", p->catchup_ns);
#define X(key, meaning) add_dict_u64(d, #key, s.port[i].key);
	DRB_PORT_COUNTERS(X)
#undef X
	add_xdp(d, i);
	return 0;
}

enum link_text { NAME, PEER, NEIGHBOUR, STATE, DRIVER, DEVICE, RATE, OCCUPANCY, LINK_TEXTS };

static void link_text(enum link_text what, uint32_t i, const struct drb_port_link *live,
		      char text[128])
{
	const struct drb_port_setup *p = &drb_reply_context.setup->ports[i];
	const char *word = "";

	text[0] = '\0';
	switch (what) {
	case NAME:
		word = p->name;
		break;
	case PEER:
		drb_end_name(text, &p->peer);
		return;
	case NEIGHBOUR:
		if (live->heard)
			drb_end_name(text, &live->last.from);
		return;
	case STATE:
		word = port_state(i, live);
		break;
	case DRIVER:
		word = drb_driver_name(p->driver);
		break;
	case DEVICE:
		word = drb_port_device(p);
		break;
	case OCCUPANCY:
		word = occupancy_of(i);
		break;
	case RATE:
	case LINK_TEXTS:
		drb_format_rate(&p->rate, text, 128);
		return;
	}
	snprintf(text, 128, "%s", word);
}

int drb_fill_port_links(struct rte_tel_data *d, const struct drb_snapshot *s,
			struct drb_port_range range)
{
	static const char *const keys[LINK_TEXTS] = {"name",   "peer",   "neighbour", "state",
						     "driver", "device", "rate",      "occupancy"};
	uint64_t usable[DRB_PORTS_MAX], queue[DRB_PORTS_MAX];
	char text[128];

	for (enum link_text what = NAME; what < LINK_TEXTS; what++) {
		struct rte_tel_data *column = rte_tel_data_alloc();
		if (!column)
			return -ENOMEM;
		rte_tel_data_start_array(column, RTE_TEL_STRING_VAL);
		for (uint32_t i = range.first; i < range.end; i++) {
			link_text(what, i, &s->live[i], text);
			rte_tel_data_add_array_string(column, text);
		}
		rte_tel_data_add_dict_container(d, keys[what], column, 0);
	}
	for (uint32_t i = range.first; i < range.end; i++) {
		usable[i] = takes_traffic(i, &s->live[i]);
		queue[i] = drb_reply_context.setup->ports[i].queue;
	}
	int rc = drb_fill_array(d, "usable", usable + range.first, range.end - range.first);
	return rc < 0 ? rc
		      : drb_fill_array(d, "queue", queue + range.first, range.end - range.first);
}
