// SPDX-License-Identifier: BSD-3-Clause
// Binds ports to interfaces that were created again. A deleted interface leaves its sockets behind,
// bound to nothing. With one worker, the same sockets are bound to a later interface of the same
// name, which needs no privilege. With several workers, the broker opens new sockets, because a
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

// The new sockets of a port; after the exchange, the old ones. With one worker there are none,
// because its sockets are bound again.
struct replacement {
	struct drb_port *port;
	uint32_t workers;
	unsigned interface; // index of the new interface
	int rc, spare;      // spare: a descriptor for swap_sockets()
	struct drb_change change;
	struct drb_packet_queue queue[];
};

static struct replacement *new_replacement(struct drb_port *port, unsigned interface)
{
	const uint32_t workers = port->workers > 1 ? port->workers : 0;
	const size_t size = sizeof(struct replacement) + workers * sizeof(struct drb_packet_queue);
	struct replacement *r = NULL;

	if (posix_memalign((void **)&r, _Alignof(struct drb_packet_queue), size) != 0)
		return NULL;
	memset(r, 0, size);
	*r = (struct replacement){.port = port, .workers = workers, .interface = interface};
	for (uint32_t n = 0; n < workers; n++)
		r->queue[n].in.fd = r->queue[n].out.fd = r->queue[n].hellos.fd = -1;
	return r;
}

static void close_queues(void *replacement)
{
	struct replacement *r = replacement;

	for (uint32_t n = 0; n < r->workers; n++)
		drb_packet_queue_close(&r->queue[n]);
}

// Closes sockets in another thread: for each, the kernel waits until no CPU uses it, 15 ms and
// more.
static void free_replacement(struct replacement *r)
{
	const struct drb_port_users *users = r->port->users;

	if (r->workers)
		users->run(users->context, close_queues, free, r);
	else
		free(r);
}

// Exchanges the files of two descriptors. No descriptor is allocated, so nothing can fail.
static void swap_descriptors(int one, int other, int spare)
{
	dup3(one, spare, O_CLOEXEC);
	dup3(other, one, O_CLOEXEC);
	dup3(spare, other, O_CLOEXEC);
}

// Keeps the numbers of the port's descriptors, because workers sleep on them.
static void swap_sockets(const struct replacement *r)
{
	const struct drb_packet_queue *queues = r->port->own;

	for (uint32_t n = 0; n < r->workers; n++) {
		swap_descriptors(queues[n].in.fd, r->queue[n].in.fd, r->spare);
		if (queues[n].out.owned)
			swap_descriptors(queues[n].out.fd, r->queue[n].out.fd, r->spare);
	}
}

// A worker switches to the rings of the sockets that its descriptors refer to now.
static void swap_rings(struct drb_worker *w, uint32_t n, void *replacement)
{
	struct replacement *r = replacement;
	struct drb_packet_queue *q = (struct drb_packet_queue *)r->port->own + n;
	struct drb_packet_queue *fresh = &r->queue[n];
	const struct drb_rx_ring in = q->in;
	const struct drb_tx_socket out = q->out;

	(void)w;
	q->in = fresh->in;
	q->in.fd = in.fd;
	q->in.lost = in.lost; // keep counting
	q->out = fresh->out;
	q->out.fd = out.fd;
	const int in_fd = fresh->in.fd, out_fd = fresh->out.fd;
	fresh->in = in;
	fresh->in.fd = in_fd;
	fresh->out = out;
	fresh->out.fd = out_fd;
}

static void replacement_end(struct replacement *r, int rc)
{
	const struct drb_port_users *users = r->port->users;

	users->bound(users->context, r->port, rc);
	free_replacement(r);
}

static void has_changed(void *replacement, int rc)
{
	struct replacement *r = replacement;

	if (rc < 0)
		swap_sockets(r);
	close(r->spare);
	replacement_end(r, rc);
}

// Exchanges descriptors first, then rings. No packet is lost in between, because the old interface
// is gone.
static void exchange(struct replacement *r)
{
	const struct drb_port_users *users = r->port->users;

	r->spare = fcntl(r->queue[0].in.fd, F_DUPFD_CLOEXEC, 0);
	if (r->spare < 0) {
		replacement_end(r, -errno);
		return;
	}
	swap_sockets(r);
	r->change = (struct drb_change){
		.make = swap_rings, .done = has_changed, .context = r, .sockets = true};
	users->post(users->context, &r->change);
}

// Opens or binds sockets, in another thread, because the kernel and the broker may take a while.
// The socket that receives packets is last: once it is bound, drb_packet_port_is_bound() is true
// and no further attempt is made.
static void prepare(void *replacement)
{
	struct replacement *r = replacement;
	struct drb_port *port = r->port;
	struct drb_packet_queue *first = port->own;
	const char *step;

	if (first->hellos.fd >= 0)
		r->rc = drb_hello_socket_bind(first->hellos.fd, r->interface);
	for (uint32_t n = 0; r->rc == 0 && n < r->workers; n++)
		r->rc = drb_packet_queue_open(port, &r->queue[n], &r->queue[0],
					      port->users->open_socket, &step);
	if (r->rc == 0 && r->workers == 0)
		r->rc = drb_tx_socket_rebind(&first->out, r->interface);
	if (r->rc == 0 && r->workers == 0)
		r->rc = drb_rx_ring_rebind(&first->in, r->interface);
}

static void is_prepared(void *replacement)
{
	struct replacement *r = replacement;
	struct drb_packet_queue *first = r->port->own;

	if (r->rc == 0 && first->interface > 0)
		atomic_store_explicit(&first->interface, r->interface, memory_order_relaxed);
	if (r->rc == 0 && r->workers > 0)
		exchange(r);
	else
		replacement_end(r, r->rc);
}

int drb_packet_port_rebind(struct drb_port *port)
{
	const unsigned interface = drb_interface_index(port->setup->interface);
	struct replacement *r = interface > 0 ? new_replacement(port, interface) : NULL;

	if (!r)
		return interface > 0 ? -ENOMEM : -ENODEV;
	port->users->run(port->users->context, prepare, is_prepared, r);
	return -EINPROGRESS;
}
