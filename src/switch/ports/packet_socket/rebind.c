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

static int bind_again(struct drb_port *port)
{
	struct drb_packet_queue *q = port->own;
	const unsigned index = if_nametoindex(port->setup->interface);

	if (index == 0)
		return -ENODEV;
	int rc = drb_rx_ring_rebind(&q->in, index);
	return rc == 0 ? drb_tx_socket_rebind(&q->out, index) : rc;
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

static int swap_rings(struct drb_rx_ring *ring, struct drb_rx_ring *fresh)
{
	const struct drb_rx_ring old = {.fd = fresh->fd,
					.frame = ring->frame,
					.frames = ring->frames,
					.frame_size = ring->frame_size,
					.gso = ring->gso};
	int rc = swap_descriptors(ring->fd, fresh->fd);

	if (rc < 0)
		return rc;
	fresh->fd = ring->fd;
	fresh->lost = ring->lost; // counters go on
	*ring = *fresh;
	*fresh = old;
	return 0;
}

// Puts fresh sockets at the descriptors of q, which its worker, parked now, sleeps on. The old ones are
// `fresh` then, to be closed when workers run: for each the kernel waits until no CPU uses it, 15 ms and more.
static int swap_sockets(struct drb_packet_queue *q, struct drb_packet_queue *fresh)
{
	const int out = q->out.fd;

	if (q->out.owned != fresh->out.owned)
		return -EOPNOTSUPP; // no longer such a device
	int rc = q->out.owned ? swap_descriptors(out, fresh->out.fd) : 0;
	if (rc < 0)
		return rc;
	q->out = fresh->out;
	q->out.fd = out;
	return swap_rings(&q->in, &fresh->in);
}

static int replace(struct drb_port *port, const struct drb_port_parking *parking)
{
	struct drb_packet_queue *queues = port->own, *fresh = NULL;
	const size_t size = port->workers * sizeof(*fresh);
	const char *step;
	int rc = 0;

	if (posix_memalign((void **)&fresh, _Alignof(struct drb_packet_queue), size) != 0)
		return -ENOMEM;
	memset(fresh, 0, size);
	for (uint32_t n = 0; n < port->workers; n++)
		fresh[n].in.fd = fresh[n].out.fd = fresh[n].hellos = -1;
	for (uint32_t n = 0; rc == 0 && n < port->workers; n++)
		rc = drb_packet_queue_open(port, &fresh[n], &fresh[0], &step);
	if (rc == 0)
		rc = parking->park(parking->workers);
	if (rc == 0) {
		for (uint32_t n = 0; rc == 0 && n < port->workers; n++)
			rc = swap_sockets(&queues[n], &fresh[n]);
		parking->unpark(parking->workers);
	}
	for (uint32_t n = 0; n < port->workers; n++)
		drb_packet_queue_close(&fresh[n]);
	free(fresh);
	return rc;
}

int drb_packet_port_rebind(struct drb_port *port, const struct drb_port_parking *parking)
{
	const struct drb_packet_queue *first = port->own;
	const unsigned index = if_nametoindex(port->setup->interface);
	int rc;

	if (index == 0)
		return -ENODEV;
	if (port->workers > 1) {
		rc = replace(port, parking);
	} else if ((rc = parking->park(parking->workers)) == 0) {
		rc = bind_again(port);
		parking->unpark(parking->workers);
	}
	return rc == 0 && first->hellos >= 0 ? drb_hello_socket_bind(first->hellos, index) : rc;
}
