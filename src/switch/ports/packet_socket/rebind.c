// SPDX-License-Identifier: BSD-3-Clause
// An interface that is deleted leaves its sockets behind, bound to nothing. One that has its name later
// is bound again: by the same sockets, which takes no privilege, or, with several workers, by new ones: a
// socket that shares frames with others cannot be bound again.
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

// The only worker has its sockets bound to something else.
static void begin_anew(uint32_t n, void *port)
{
	struct drb_packet_queue *queues = ((struct drb_port *)port)->own;

	queues[n].out.full = false;
	drb_tx_socket_review(&queues[n].out);
}

static int bind_again(struct drb_port *port, unsigned index)
{
	struct drb_packet_queue *q = port->own;
	int rc = drb_port_apply(port, NULL, NULL);

	if (rc == 0)
		rc = drb_rx_ring_rebind(&q->in, index);
	if (rc == 0)
		rc = drb_tx_socket_rebind(&q->out, index);
	return rc == 0 ? drb_port_apply(port, begin_anew, port) : rc;
}

// Each of two descriptors becomes what the other was.
static int swap_descriptors(int one, int other)
{
	int kept = fcntl(one, F_DUPFD_CLOEXEC, 0);

	if (kept < 0)
		return -errno;
	int rc = dup3(other, one, O_CLOEXEC) < 0 || dup3(kept, other, O_CLOEXEC) < 0 ? -errno : 0;
	close(kept);
	return rc;
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
		r->queue[n].in.fd = r->queue[n].out.fd = r->queue[n].hellos = -1;
	return r;
}

// For each socket that is closed the kernel waits until no CPU uses it, 15 ms and more.
static void free_replacement(struct replacement *r)
{
	for (uint32_t n = 0; n < r->port->workers; n++)
		drb_packet_queue_close(&r->queue[n]);
	free(r);
}

// A worker has slept on these descriptors, and goes on to.
static int swap_sockets(struct replacement *r)
{
	const struct drb_packet_queue *queues = r->port->own;
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < r->port->workers; n++) {
		if (queues[n].out.owned != r->queue[n].out.owned)
			return -EOPNOTSUPP; // no longer such a device
		rc = swap_descriptors(queues[n].in.fd, r->queue[n].in.fd);
		if (rc == 0 && queues[n].out.owned)
			rc = swap_descriptors(queues[n].out.fd, r->queue[n].out.fd);
	}
	return rc;
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

static int replace(struct drb_port *port)
{
	struct replacement *r = new_replacement(port);
	const char *step;
	int rc = 0;

	if (!r)
		return -ENOMEM;
	for (uint32_t n = 0; rc == 0 && n < port->workers; n++)
		rc = drb_packet_queue_open(port, &r->queue[n], &r->queue[0], &step);
	if (rc == 0)
		rc = drb_port_apply(port, NULL, NULL);
	if (rc == 0)
		rc = swap_sockets(r);
	if (rc == 0) {
		rc = drb_port_apply(port, swap_rings, r);
		if (rc == -ETIMEDOUT)
			swap_sockets(r);
	}
	if (rc != -EINPROGRESS)
		free_replacement(r);
	return rc;
}

int drb_packet_port_rebind(struct drb_port *port)
{
	const struct drb_packet_queue *first = port->own;
	const unsigned index = if_nametoindex(port->setup->interface);

	if (index == 0)
		return -ENODEV;
	// First: a port whose other sockets have the interface is not looked at again, also where a worker got stuck.
	int rc = first->hellos >= 0 ? drb_hello_socket_bind(first->hellos, index) : 0;
	if (rc < 0)
		return rc;
	rc = port->workers > 1 ? replace(port) : bind_again(port, index);
	return rc == -EINPROGRESS ? 0 : rc; // it holds, and the worker that got stuck will use it
}
