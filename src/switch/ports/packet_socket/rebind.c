// SPDX-License-Identifier: BSD-3-Clause
// A deleted interface leaves its sockets behind, bound to nothing. A later interface of the same name is
// bound again: with the same sockets, which takes no privilege, or, with several workers, with new ones from
// the broker, because a socket that shares frames with others cannot be bound again.
#include "switch/ports/packet_socket/packet_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "switch/ports/interface.h"
#include "switch/ports/packet_socket/hello_socket.h"

bool drb_packet_port_is_bound(const struct drb_port *port)
{
	const struct drb_packet_queue *queues = port->own;
	const unsigned index = drb_interface_index(port->setup->interface);

	for (uint32_t n = 0; index > 0 && n < port->workers; n++) {
		if (drb_rx_ring_interface(&queues[n].in) != index)
			return false;
	}
	return index > 0;
}

// The socket that receives is the last: while it has no interface the rest is tried again. What is sent there is reviewed by
// its worker.
static int bind_again(struct drb_port *port, unsigned index)
{
	struct drb_packet_queue *q = port->own;
	int rc = drb_tx_socket_rebind(&q->out, index);

	return rc == 0 ? drb_rx_ring_rebind(&q->in, index) : rc;
}

// What takes the place of a port's sockets; afterwards, what did. Freed when no worker uses it.
struct replacement {
	struct drb_port *port;
	struct drb_packet_queue queue[];
};

static struct replacement *new_replacement(struct drb_port *port)
{
	const size_t size =
		sizeof(struct replacement) + port->workers * sizeof(struct drb_packet_queue);
	struct replacement *r = NULL;

	if (posix_memalign((void **)&r, _Alignof(struct drb_packet_queue), size) != 0)
		return NULL;
	memset(r, 0, size);
	r->port = port;
	for (uint32_t n = 0; n < port->workers; n++)
		r->queue[n].in.fd = r->queue[n].out.fd = r->queue[n].hellos.fd = -1;
	return r;
}

// For each socket that is closed the kernel waits until no CPU uses it, 15 ms and more.
static void free_replacement(struct replacement *r)
{
	for (uint32_t n = 0; n < r->port->workers; n++)
		drb_packet_queue_close(&r->queue[n]);
	free(r);
}

// Each of two descriptors becomes what the other was. None is made, so nothing can fail.
static void swap_descriptors(int one, int other, int spare)
{
	dup3(one, spare, O_CLOEXEC);
	dup3(other, one, O_CLOEXEC);
	dup3(spare, other, O_CLOEXEC);
}

// A worker has slept on these descriptors, and goes on to.
static void swap_sockets(const struct replacement *r, int spare)
{
	const struct drb_packet_queue *queues = r->port->own;

	for (uint32_t n = 0; n < r->port->workers; n++) {
		swap_descriptors(queues[n].in.fd, r->queue[n].in.fd, spare);
		if (queues[n].out.owned)
			swap_descriptors(queues[n].out.fd, r->queue[n].out.fd, spare);
	}
}

// A worker takes over the rings of the sockets that are at its descriptors now.
static void swap_rings(uint32_t n, void *replacement)
{
	struct replacement *r = replacement;
	struct drb_packet_queue *q = (struct drb_packet_queue *)r->port->own + n;
	struct drb_packet_queue *fresh = &r->queue[n];
	const struct drb_rx_ring in = q->in;
	const struct drb_tx_socket out = q->out;

	q->in = fresh->in;
	q->in.fd = in.fd;
	q->in.lost = in.lost; // counters go on
	q->out = fresh->out;
	q->out.fd = out.fd;
	const int in_fd = fresh->in.fd, out_fd = fresh->out.fd;
	fresh->in = in;
	fresh->in.fd = in_fd;
	fresh->out = out;
	fresh->out.fd = out_fd;
}

// The interface is gone: no packet is lost while only the descriptors are exchanged.
static int exchange(struct replacement *r)
{
	const int spare = fcntl(r->queue[0].in.fd, F_DUPFD_CLOEXEC, 0);

	if (spare < 0)
		return -errno;
	swap_sockets(r, spare);
	int rc = drb_port_apply(r->port, swap_rings, r);
	if (rc == -ETIMEDOUT)
		swap_sockets(r, spare);
	close(spare);
	return rc;
}

static int replace(struct drb_port *port)
{
	struct replacement *r = new_replacement(port);
	const char *step;
	int rc = r ? 0 : -ENOMEM;

	for (uint32_t n = 0; rc == 0 && n < port->workers; n++)
		rc = drb_packet_queue_open(port, &r->queue[n], &r->queue[0],
					   port->users->open_socket, &step);
	if (rc == 0)
		rc = exchange(r);
	if (r && rc != -EINPROGRESS)
		free_replacement(r);
	return rc;
}

int drb_packet_port_rebind(struct drb_port *port)
{
	struct drb_packet_queue *first = port->own;
	const unsigned index = if_nametoindex(port->setup->interface);

	if (index == 0)
		return -ENODEV;
	// First: a port whose other sockets have the interface is not looked at again, also where a worker got stuck.
	int rc = first->hellos.fd >= 0 ? drb_hello_socket_bind(first->hellos.fd, index) : 0;
	if (rc < 0)
		return rc;
	if (first->interface > 0)
		atomic_store_explicit(&first->interface, index, memory_order_relaxed);
	rc = port->workers > 1 ? replace(port) : bind_again(port, index);
	return rc == -EINPROGRESS ? 0 : rc; // it holds, and the worker that got stuck will use it
}
