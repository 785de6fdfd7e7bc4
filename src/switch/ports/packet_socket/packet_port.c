// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/packet_port.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "switch/ports/interface.h"
#include "switch/ports/packet_socket/hello_socket.h"
#include "switch/ports/packet_socket/packet_queue.h"
#include "switch/ports/packet_socket/veth_offload.h"

static struct drb_packet_queue *packet_queue_of(struct drb_port_queue *q)
{
	return (struct drb_packet_queue *)q; // its first member is q
}

static int packet_port_check(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	(void)workers;
	return drb_interface_check(path, p);
}

// A group of sockets must ignore frames that other sockets send. Kernels before 5.17 accept the
// flag for that, but ignore it.
bool drb_packet_port_may_send_apart(uint32_t workers)
{
	return workers == 1 || drb_kernel_at_least(5, 17);
}

static int cannot(const struct drb_port_setup *p, const char *path, const char *step, int rc)
{
	return drb_config_bad_port(
		path, p, "driver", "port %s: cannot %s its packet socket on \"%s\": %s%s", p->name,
		step, p->interface, strerror(-rc), rc == -EPERM ? " (it takes CAP_NET_RAW)" : "");
}

// Hosts send no hellos.
static bool has_hellos(const struct drb_port *port)
{
	return port->setup->peer.layer > 0;
}

static void review(struct drb_port_queue *q)
{
	drb_tx_socket_review(&packet_queue_of(q)->out, q->paced);
}

int drb_packet_queue_open(const struct drb_port *port, struct drb_packet_queue *q,
			  const struct drb_packet_queue *first, int (*open_socket)(void),
			  const char **step)
{
	const bool apart = drb_packet_port_may_send_apart(port->workers);

	*step = "open";
	int rc = q->in.fd = open_socket();
	if (rc >= 0)
		rc = drb_rx_ring_open(&q->in, port, open_socket != drb_packet_socket, step);
	if (rc < 0)
		return rc;
	if (port->workers > 1) {
		*step = "share packets by";
		rc = drb_rx_ring_join(&q->in, &first->in);
		if (rc < 0)
			return rc;
	}
	*step = "open a second one beside";
	q->base.fd = q->in.fd;
	rc = drb_tx_socket_open(&q->out, port->setup, apart ? open_socket() : q->in.fd, apart,
				q->in.room);
	q->base.review = review;
	q->base.unfinished = rc == 0;
	return rc;
}

// Logs once if packets to other switches cannot join to GSO packets although their veths take them.
static void say_no_gso(const struct drb_port *port, const struct drb_packet_queue *q)
{
	static bool said; // main thread alone

	if (said || !has_hellos(port) || q->in.room || port->setup->rate.value > 0 ||
	    !drb_veth_takes_gso(port->setup->interface))
		return;
	said = true;
	drb_info("port %s and other veths to switches send each packet in a frame of its own, "
		 "which makes TCP slower: GSO packets take CAP_BPF and Linux 5.12",
		 port->setup->name);
}

static int packet_port_start(struct drb_port *port, const char *path)
{
	struct drb_packet_queue *queues = drb_port_own(port, port->workers * sizeof(*queues));
	const char *step = NULL;
	int rc = 0;

	if (!queues)
		return -ENOMEM;
	for (uint32_t n = 0; n < port->workers; n++) {
		drb_port_add_queue(port, n, &queues[n].base);
		queues[n].in.fd = queues[n].out.fd = queues[n].hellos.fd = -1;
	}
	for (uint32_t n = 0; rc == 0 && n < port->workers; n++)
		rc = drb_packet_queue_open(port, &queues[n], queues, drb_packet_socket, &step);
	if (rc == 0 && has_hellos(port)) {
		step = "open for hellos";
		const unsigned index = drb_interface_index(port->setup->interface);
		rc = drb_hello_socket_open(&queues[0].hellos, index);
		queues[0].interface = drb_packet_port_may_send_apart(port->workers) ? index : 0;
	}
	port->rx_queues = (uint16_t)port->workers;
	if (rc < 0)
		cannot(port->setup, path, step, rc);
	else
		say_no_gso(port, queues);
	return rc >= 0         ? 0
	       : rc == -ENODEV ? rc
			       : -EINVAL; // unless the interface is gone, the config is wrong
}

void drb_packet_queue_close(struct drb_packet_queue *q)
{
	drb_hello_socket_close(&q->hellos);
	drb_tx_socket_close(&q->out);
	drb_rx_ring_close(&q->in);
}

static void packet_port_stop(struct drb_port *port)
{
	struct drb_packet_queue *queues = port->own;

	for (uint32_t n = 0; queues && n < port->workers; n++)
		drb_packet_queue_close(&queues[n]);
	free(queues);
}

static uint32_t packet_port_receive(struct drb_port_queue *q, struct rte_mbuf **packets,
				    uint32_t count)
{
	return drb_rx_ring_receive(&packet_queue_of(q)->in, q->port->pool, packets, count);
}

static uint32_t packet_port_send(struct drb_port_queue *q, struct rte_mbuf **packets,
				 uint32_t count, struct drb_send_result *result)
{
	return drb_tx_socket_send(&packet_queue_of(q)->out, packets, count, result);
}

static int hello_fd(const struct drb_port *port)
{
	const struct drb_packet_queue *first = port->own;

	return first->hellos.fd;
}

static bool read_hello(const struct drb_port *port, struct drb_hello_taken *hello)
{
	struct drb_packet_queue *first = port->own;

	return drb_hello_socket_read(&first->hellos, hello);
}

static unsigned hello_interface(const struct drb_port *port)
{
	const struct drb_packet_queue *first = port->own;

	return atomic_load_explicit(&first->interface, memory_order_relaxed);
}

static bool is_empty(const struct drb_port_queue *q)
{
	return drb_rx_ring_is_empty(&((const struct drb_packet_queue *)q)->in);
}

static uint64_t rings(const struct drb_port *port)
{
	const struct drb_packet_queue *queues = port->own;
	uint64_t octets = queues[0].hellos.size;

	for (uint32_t n = 0; n < port->workers; n++)
		octets += drb_rx_ring_size(&queues[n].in);
	return octets;
}

static struct drb_port_losses losses(struct drb_port_queue *q)
{
	return drb_rx_ring_losses(&packet_queue_of(q)->in);
}

const struct drb_port_kind drb_packet_port = {
	.name = "af_packet",
	.start = packet_port_start,
	.stop = packet_port_stop,
	.receive = packet_port_receive,
	.send = packet_port_send,
	.carrier = drb_interface_port_carrier,
	.mac = drb_interface_port_mac,
	.check = packet_port_check,
	.losses = losses,
	.mtu = drb_interface_port_mtu,
	.interface = &(const struct drb_interface_ops){.is_bound = drb_packet_port_is_bound,
						       .rebind = drb_packet_port_rebind,
						       .rings = rings},
	.hello = &(const struct drb_hello_ops){.fd = hello_fd,
					       .read = read_hello,
					       .interface = hello_interface,
					       .is_empty = is_empty},
	.unfinished = true,
};
