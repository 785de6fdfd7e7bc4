// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/xdp/xdp_port.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/config/complaint.h"
#include "switch/ports/if_xdp.h"
#include "switch/ports/interface.h"
#include "switch/ports/packet_pool.h"
#include "switch/ports/packet_socket/packet_port.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/packet_socket/veth_offload.h"
#include "switch/ports/xdp/steer.h"
#include "switch/ports/xdp/xsk.h"

// Lent buffers that may wait in egress queues before buffers run short.
#define HELD 1024

struct xdp_queue {
	_Alignas(64) struct drb_port_queue base;
	struct drb_xsk in;
	struct drb_tx_socket out; // fd -1: `in` sends
};

struct xdp_port {
	int promiscuous_fd; // keeps the interface promiscuous
	unsigned interface; // its index, when the port was opened
	struct xdp_queue queue[];
};

static struct xdp_port *own_of(const struct drb_port *port)
{
	return port->own;
}

static struct xdp_queue *xdp_queue_of(struct drb_port_queue *q)
{
	return (struct xdp_queue *)q; // its first member is q
}

// Returns the queues of an interface: one if it has no combined channels.
static uint32_t queues_of(const char *interface)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};

	return drb_interface_ethtool(interface, &channels) && channels.max_combined
		       ? channels.combined_count
		       : 1;
}

static int xdp_port_check(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	if (drb_interface_check(path, p) < 0)
		return -EINVAL;
	uint32_t queues = queues_of(p->interface);
	if (queues < workers)
		return drb_config_bad(path, "process.workers",
				      "port %s: the af_xdp driver needs a channel of interface "
				      "\"%s\" for each of %u workers and finds %u (ethtool -l; a "
				      "veth has 1): take fewer workers or another driver",
				      p->name, p->interface, workers, queues);
	return 0;
}

// A card may read a buffer in place, so a buffer must not cross a page. For veths, the kernel
// copies the packet.
static uint32_t lent(const struct drb_setup *s, bool *packed)
{
	const uint32_t ports = s->down_ports + s->up_ports;
	uint32_t sockets = 0;

	for (uint32_t i = 0; i < ports; i++) {
		if (s->ports[i].driver != DRB_DRIVER_AF_XDP)
			continue;
		sockets += s->workers;
		*packed = *packed && drb_is_veth(s->ports[i].interface);
	}
	if (sockets == 0)
		return 0;
	return drb_xsk_buffers(drb_frame_max(s->mtu), ports * s->workers) * sockets + HELD +
	       2 * DRB_POOL_CACHE * s->workers;
}

static int refused(const struct drb_port *port, const char *path, const char *step, int rc)
{
	const struct drb_port_setup *p = port->setup;
	const char *cure = rc == -EPERM   ? " (it takes CAP_NET_RAW and CAP_NET_ADMIN)"
			   : rc == -EBUSY ? " (another socket has its queue)"
			   : rc == -ENOMEM || rc == -ENOBUFS
				   ? " (it takes CAP_IPC_LOCK, or ulimit -l)"
				   : "";

	if ((rc == -EINVAL || rc == -EOPNOTSUPP) && strcmp(step, "bind") == 0)
		cure = own_of(port)->queue[0].in.parts > 1
			       ? ": packets of fabric.mtu come in parts, which takes Linux 6.6"
			       : ": neither its driver nor this kernel has them";
	return drb_config_bad_port(path, p, "driver",
				   "port %s: cannot %s an AF_XDP socket at \"%s\": %s%s; driver: "
				   "af_packet does without",
				   p->name, step, p->interface, strerror(-rc), cure);
}

// Drivers refuse a program with different errors, depending on the MTU.
static int refused_program(const struct drb_port *port, const char *path, int rc)
{
	const struct drb_port_setup *p = port->setup;
	char cure[192];

	if (rc == -EPERM)
		snprintf(cure, sizeof(cure), "it takes CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
	else if (rc == -EBUSY || rc == -EEXIST)
		snprintf(cure, sizeof(cure), "it has another: ip link set dev %s xdp off",
			 p->interface);
	else if (rc == -ENOSYS)
		snprintf(cure, sizeof(cure), "built without BPF, meson option bpf");
	else
		snprintf(cure, sizeof(cure),
			 "many drivers take no program while packets may be longer than a page: "
			 "ip link set dev %s mtu 1500",
			 p->interface);
	return drb_config_bad_port(path, p, "driver",
				   "port %s: cannot attach an XDP program to \"%s\": %s (%s); "
				   "driver: af_packet does without",
				   p->name, p->interface, strerror(-rc), cure);
}

static void review(struct drb_port_queue *q)
{
	drb_tx_socket_review(&xdp_queue_of(q)->out, q->paced);
}

static int open_queue(const struct drb_port *port, uint32_t n, const char **step)
{
	struct xdp_queue *q = &own_of(port)->queue[n];
	const bool veth = drb_is_veth(port->setup->interface);
	// For a veth, the kernel makes a packet of each frame anyway, but a packet socket can pass
	// several frames as one GSO packet.
	const bool apart = veth && drb_packet_port_may_send_apart(port->workers);
	const struct drb_xsk_use use = {
		.interface = port->setup->interface,
		.queue = n,
		.lent = port->lent,
		.packets = port->pool,
		.frame_max = port->frame_max,
		.sockets = port->ports * port->workers,
		.copy = veth,
		.sends = !apart,
	};
	int rc = drb_xsk_open(&q->in, &use, step);

	q->base.fd = q->in.fd;
	if (rc < 0 || !apart)
		return rc;
	if (drb_tx_socket_open(&q->out, port->setup, drb_packet_socket(), true, false) < 0)
		return -EPERM;
	q->base.review = review;
	q->base.unfinished = true;
	return 0;
}

static int open_sockets(const struct drb_port *port, const char *path)
{
	struct xdp_port *own = own_of(port);
	const char *step = "open";
	int rc = 0, sockets[DRB_WORKERS_MAX];

	own->promiscuous_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); // receives nothing
	own->interface = drb_interface_index(port->setup->interface);
	if (own->promiscuous_fd < 0)
		rc = -errno;
	for (uint32_t n = 0; rc == 0 && n < port->workers; n++) {
		rc = open_queue(port, n, &step);
		sockets[n] = own->queue[n].in.fd;
	}
	if (rc == 0) {
		step = "be promiscuous beside";
		rc = drb_interface_promiscuous(own->promiscuous_fd, own->interface);
	}
	if (rc < 0)
		return refused(port, path, step, rc);
	rc = drb_steer_attach(port->setup, port->plan, sockets, port->workers);
	return rc < 0 ? refused_program(port, path, rc) : 0;
}

static int xdp_port_start(struct drb_port *port, const char *path)
{
	struct xdp_port *own =
		drb_port_own(port, sizeof(*own) + port->workers * sizeof(own->queue[0]));

	if (!own)
		return -ENOMEM;
	own->promiscuous_fd = -1;
	port->rx_queues = (uint16_t)port->workers;
	for (uint32_t n = 0; n < port->workers; n++) {
		drb_port_add_queue(port, n, &own->queue[n].base);
		own->queue[n].in.fd = own->queue[n].out.fd = -1;
	}
	return open_sockets(port, path);
}

static void xdp_port_stop(struct drb_port *port)
{
	struct xdp_port *own = own_of(port);

	if (!own)
		return;
	drb_steer_detach(port->setup);
	for (uint32_t n = 0; n < port->workers; n++) {
		drb_tx_socket_close(&own->queue[n].out);
		drb_xsk_close(&own->queue[n].in);
	}
	if (own->promiscuous_fd >= 0)
		close(own->promiscuous_fd);
	free(own);
}

static uint32_t xdp_port_receive(struct drb_port_queue *q, struct rte_mbuf **packets,
				 uint32_t count)
{
	return drb_xsk_receive(&xdp_queue_of(q)->in, packets, count);
}

static uint32_t xdp_port_send(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			      struct drb_send_result *result)
{
	struct xdp_queue *own = xdp_queue_of(q);

	if (own->out.fd >= 0)
		return drb_tx_socket_send(&own->out, packets, count, result);
	return drb_xsk_send(&own->in, packets, count, result);
}

// An interface that was created again has a different index in most cases.
static bool is_bound(const struct drb_port *port)
{
	return drb_interface_index(port->setup->interface) == own_of(port)->interface;
}

// Returns zeros if the kernel has no statistics. rx_fill_ring_empty_descs is not used: it counts
// attempts. Packets lost to an empty fill ring are in rx_dropped.
static struct xdp_statistics statistics_of(const struct xdp_queue *q)
{
	struct xdp_statistics s = {0};
	socklen_t size = sizeof(s);

	getsockopt(q->in.fd, SOL_XDP, XDP_STATISTICS, &s, &size);
	return s;
}

static struct drb_port_losses losses(struct drb_port_queue *q)
{
	const struct xdp_statistics s = statistics_of(xdp_queue_of(q));

	return (struct drb_port_losses){.missed = s.rx_dropped + s.rx_ring_full};
}

static bool xdp_port_count(const struct drb_port *port, struct drb_xdp_counters *counts)
{
	if (!drb_steer_read(port->setup->interface, counts))
		return false;
	for (uint32_t n = 0; n < port->workers; n++) {
		const struct xdp_statistics s = statistics_of(&own_of(port)->queue[n]);
		counts->xdp_ring_full += s.rx_ring_full;
		counts->xdp_dropped += s.rx_dropped;
	}
	return true;
}

const struct drb_port_kind drb_xdp_port = {
	.name = "af_xdp",
	.start = xdp_port_start,
	.stop = xdp_port_stop,
	.receive = xdp_port_receive,
	.send = xdp_port_send,
	.carrier = drb_interface_port_carrier,
	.mac = drb_interface_port_mac,
	.check = xdp_port_check,
	.losses = losses,
	.mtu = drb_interface_port_mtu,
	.interface = &(const struct drb_interface_ops){.is_bound = is_bound},
	.xdp = &(const struct drb_xdp_ops){.lent = lent, .count = xdp_port_count},
	.unfinished = true,
};
