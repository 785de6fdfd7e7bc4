// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/port_set.h"

#include <errno.h>
#include <stdio.h>

#include <rte_config.h>
#include <rte_errno.h>
#include <rte_mempool.h>

#include "common/cli/log.h"
#include "common/cli/text.h"
#include "common/config/complaint.h"
#include "switch/ports/dpdk/dpdk_port.h"
#include "switch/ports/memif/memif_port.h"
#include "switch/ports/packet_pool.h"
#include "switch/ports/packet_socket/packet_port.h"
#include "switch/ports/xdp/xdp_port.h"

// Kinds by driver. NULL: no device.
static const struct drb_port_kind *const kinds[DRB_DRIVER_COUNT] = {
	[DRB_DRIVER_AF_PACKET] = &drb_packet_port, [DRB_DRIVER_AF_XDP] = &drb_xdp_port,
	[DRB_DRIVER_MEMIF] = &drb_memif_port,      [DRB_DRIVER_PCI] = &drb_pci_port,
	[DRB_DRIVER_VDEV] = &drb_vdev_port,
};

const struct drb_port_kind *drb_port_kind_of(enum drb_driver driver)
{
	return kinds[driver];
}

// Checks that the config needs no more devices than DPDK supports.
static int check_room(const char *path, const struct drb_setup *s)
{
	uint32_t devices = 0;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_kind *kind = kinds[s->ports[i].driver];
		devices += kind && kind->is_driven;
	}
	if (devices <= RTE_MAX_ETHPORTS)
		return 0;
	return drb_config_bad(
		path, "ports",
		"%u devices of DPDK, which supports %d: use af_packet or memif for others", devices,
		RTE_MAX_ETHPORTS);
}

int drb_ports_check(const char *path, const struct drb_setup *s)
{
	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_kind *kind = kinds[s->ports[i].driver];
		if (kind && kind->check && kind->check(path, &s->ports[i], s->workers) < 0)
			return -EINVAL;
	}
	return check_room(path, s);
}

uint32_t drb_ports_buffers(const struct drb_setup *s)
{
	uint32_t n = (DRB_POOL_CACHE * 2 + s->burst) * s->workers + s->buffers;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_kind *kind = kinds[s->ports[i].driver];
		n += s->ports[i].queue + s->ports[i].on_link + 2; // 2 for hellos
		n += kind && kind->buffers ? kind->buffers(s) : 0;
	}
	return n;
}

bool drb_ports_driven(const struct drb_setup *s)
{
	bool driven = false;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_kind *kind = kinds[s->ports[i].driver];
		driven |= kind && kind->is_driven;
	}
	return driven;
}

static uint32_t count_lent(const struct drb_setup *s, bool *packed)
{
	uint32_t n = 0;

	*packed = true;
	for (int i = 0; i < DRB_DRIVER_COUNT; i++)
		n += kinds[i] && kinds[i]->xdp ? kinds[i]->xdp->lent(s, packed) : 0;
	return n;
}

uint32_t drb_ports_lent(const struct drb_setup *s)
{
	bool packed;

	return count_lent(s, &packed);
}

void drb_port_share_queues(struct drb_port *port)
{
	for (uint32_t n = 0; n < port->workers; n++) {
		port->queue[n]->rx = (uint16_t)drb_port_rx_queue(port, n);
		port->queue[n]->tx = (uint16_t)n;
	}
}

static int start_port(struct drb_port_set *set, const char *path, const struct drb_setup *s,
		      uint32_t i)
{
	struct drb_port *port = &set->port[i];

	port->kind = kinds[s->ports[i].driver];
	if (!port->kind)
		return 0;
	set->setup[i] = s->ports[i];
	port->setup = &set->setup[i];
	port->plan = &s->addr;
	port->pool = set->pool;
	port->lent = set->lent;
	port->mtu = s->mtu;
	port->frame_max = drb_frame_max(s->mtu);
	port->index = i;
	port->ports = set->count;
	port->workers = s->workers;
	port->users = set->users;
	int rc = port->kind->start(port, path);
	if (rc == 0)
		drb_port_share_queues(port);
	return rc;
}

static void share_finishing(struct drb_port_set *set)
{
	bool any = false;

	for (uint32_t i = 0; i < set->count; i++)
		any = any || (set->port[i].kind && set->port[i].kind->unfinished);
	for (uint32_t i = 0; i < set->count; i++) {
		for (uint32_t n = 0; n < set->port[i].workers; n++) {
			struct drb_port_queue *q = set->port[i].queue[n];
			q->finishes = any && !q->unfinished;
		}
	}
}

// Logs the ports without a device, which carry no packets: they are for tests, or a mistake.
static void say_none(const struct drb_setup *s)
{
	char names[DRB_PORTS_MAX * 5] = "";

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		if (!kinds[s->ports[i].driver])
			drb_text_add(names, sizeof(names), " %s", s->ports[i].name);
	}
	if (*names)
		drb_info("ports without a device (driver none), which carry no packets:%s; "
			 "af_packet gives them interfaces",
			 names);
}

static int make_pools(struct drb_port_set *set, const struct drb_setup *s, uint32_t buffers)
{
	bool packed;
	const uint32_t lent = count_lent(s, &packed);

	set->pool = drb_pool_new(s, buffers, drb_ports_driven(s));
	if (set->pool && lent > 0)
		set->lent = drb_pool_new_lent(s, lent, packed);
	if (set->pool && (set->lent || lent == 0))
		return 0;
	const int rc = -rte_errno;
	drb_error("cannot allocate %u packet buffers: %s (process.memory sets the MiB)",
		  buffers + lent, rte_strerror(-rc));
	rte_mempool_free(set->pool);
	set->pool = NULL;
	return rc;
}

int drb_ports_start(struct drb_port_set *set, const char *path, const struct drb_setup *s,
		    uint32_t buffers, const struct drb_port_users *users)
{
	*set = (struct drb_port_set){.count = s->down_ports + s->up_ports, .users = users};
	int rc = make_pools(set, s, buffers);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < set->count; i++)
		rc = start_port(set, path, s, i);
	if (rc < 0)
		drb_ports_stop(set);
	if (rc == 0) {
		share_finishing(set);
		say_none(s);
	}
	return rc;
}

void drb_ports_stop(struct drb_port_set *set)
{
	for (uint32_t i = set->count; i-- > 0;) {
		struct drb_port *port = &set->port[i];
		if (port->kind)
			port->kind->stop(port);
		*port = (struct drb_port){0};
	}
	for (int i = 0; i < DRB_DRIVER_COUNT; i++) {
		if (kinds[i] && kinds[i]->end)
			kinds[i]->end();
	}
	rte_mempool_free(set->lent);
	rte_mempool_free(set->pool);
	set->lent = set->pool = NULL;
}
