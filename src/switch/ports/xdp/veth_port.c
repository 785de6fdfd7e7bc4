// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/xdp/veth_port.h"

#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "switch/ports/dpdk/kernel_socket.h"
#include "switch/ports/interface.h"
#include "switch/ports/packet_socket/packet_port.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/packet_socket/veth_offload.h"
#include "switch/ports/xdp/steer.h"
#include "switch/ports/xdp/xsk.h"

struct veth_port {
	_Alignas(64) struct drb_port_queue base;
	struct drb_xsk in;
	struct drb_tx_socket out;
	struct drb_kernel_socket counted; // in's
	int ask_fd;                       // to ask for the carrier by
	unsigned interface;               // its index, when the port was opened
};

static const struct drb_port_kind veth_port;

static struct veth_port *own_of(const struct drb_port *port)
{
	return port->own;
}

static struct veth_port *queue_of(struct drb_port_queue *q)
{
	return (struct veth_port *)q; // begins with it
}

static void stop(struct drb_port *port)
{
	struct veth_port *own = own_of(port);

	drb_steer_detach(port->setup);
	drb_tx_socket_close(&own->out);
	drb_xsk_close(&own->in);
	if (own->ask_fd >= 0)
		close(own->ask_fd);
	free(own);
	port->own = NULL;
}

static bool open_sockets(struct drb_port *port, struct veth_port *own)
{
	const char *interface = port->setup->interface;
	const bool bundles = drb_packet_port_may_bundle(port);

	own->ask_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	own->interface = if_nametoindex(interface);
	if (own->ask_fd < 0 ||
	    drb_xsk_open(&own->in, interface, port->pool, port->frame_max, bundles) < 0 ||
	    !drb_tx_socket_open(&own->out, interface, -1) ||
	    drb_interface_promiscuous(own->out.fd, own->interface) < 0)
		return false;
	if (bundles)
		drb_tx_socket_may_bundle(&own->out, port->frame_max);
	own->counted.fd = own->in.fd;
	return drb_steer_attach(port->setup, own->in.fd) == 0;
}

bool drb_veth_port_start(struct drb_port *port)
{
	struct veth_port *own;

	if (port->workers != 1 || !drb_is_veth(port->setup->interface))
		return false;
	own = drb_port_own(port, sizeof(*own));
	if (!own)
		return false;
	own->in.fd = own->out.fd = own->ask_fd = -1;
	if (!open_sockets(port, own)) {
		stop(port);
		return false;
	}
	port->kind = &veth_port;
	drb_port_add_queue(port, 0, &own->base);
	own->base.fd = own->in.fd;
	own->base.reviewed = own->base.unfinished = true;
	port->rx_queues = 1;
	return true;
}

bool drb_veth_port_is(const struct drb_port *port)
{
	return port->kind == &veth_port;
}

void drb_veth_port_count(const struct drb_port *port, struct drb_xdp_counters *counts)
{
	drb_kernel_socket_xdp(&own_of(port)->counted, counts);
}

static uint32_t receive_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count)
{
	return drb_xsk_receive(&queue_of(q)->in, packets, count);
}

static uint32_t send_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			   struct drb_send_result *result)
{
	return drb_tx_socket_send(&queue_of(q)->out, packets, count, result);
}

static uint16_t bundle_mtu(const struct drb_port *port)
{
	return drb_tx_socket_bundle_mtu(&own_of(port)->out);
}

static void set_bundle_mtu(const struct drb_port *port, uint16_t octets)
{
	drb_tx_socket_set_bundle_mtu(&own_of(port)->out, octets);
}

// An interface that was made again has another index, mostly.
static bool is_bound(const struct drb_port *port)
{
	return if_nametoindex(port->setup->interface) == own_of(port)->interface;
}

static bool carrier(const struct drb_port *port)
{
	return is_bound(port) && drb_interface_up(own_of(port)->ask_fd, port->setup->interface);
}

static uint16_t mtu(const struct drb_port *port)
{
	return drb_interface_mtu(own_of(port)->ask_fd, port->setup->interface);
}

static const char *state(const struct drb_port *port)
{
	return is_bound(port) ? drb_interface_state(port->setup->interface) : "gone";
}

static bool mac(const struct drb_port *port, uint8_t address[6])
{
	return drb_interface_mac(own_of(port)->ask_fd, port->setup->interface, address);
}

static uint64_t missed(struct drb_port_queue *q)
{
	drb_kernel_socket_count(&queue_of(q)->counted);
	return queue_of(q)->counted.missed;
}

static void review(struct drb_port_queue *q)
{
	drb_tx_socket_review(&queue_of(q)->out);
}

static const struct drb_port_kind veth_port = {
	.name = "af_xdp",
	.yields_unfinished = true,
	.stop = stop,
	.receive = receive_burst,
	.send = send_burst,
	.carrier = carrier,
	.mtu = mtu,
	.bundle_mtu = bundle_mtu,
	.set_bundle_mtu = set_bundle_mtu,
	.state = state,
	.mac = mac,
	.missed = missed,
	.is_bound = is_bound,
	.review = review,
};
