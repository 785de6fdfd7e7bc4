// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/hello_sockets.h"

#include <string.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "switch/datapath/hellos.h"
#include "switch/ports/packet_socket/hello_outbox.h"
#include "switch/ports/packet_socket/tx_socket.h"

// Interval at which a worker that is awake reads all hello sockets.
#define LOOK_EVERY_NS 5000000
// Most hellos read from one socket in one pass, so that a neighbour that floods it gets no more.
#define AT_ONCE 16

// Records how many packets each port has received, each time all hello sockets are read.
static void note_seen(struct drb_worker *w)
{
	struct drb_hello_io *io = &w->hello_io;

	for (uint32_t i = 0; i < w->egress.ports; i++) {
		io->port[i].seen_before = io->port[i].seen;
		io->port[i].seen = w->port[i].in_packets - io->port[i].refused;
	}
}

// Finds the ports that have a hello socket. Call once the ports are attached.
int drb_hello_sockets_find(struct drb_worker *w)
{
	struct drb_hello_io *io = &w->hello_io;
	bool together = false;

	io->look_ns = UINT64_MAX;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		const struct drb_port *port = w->port[i].queue ? w->port[i].queue->port : NULL;
		const struct drb_hello_ops *ops = port ? port->kind->hello : NULL;
		io->port[i].fd = ops ? ops->fd(port) : -1;
		together |= io->port[i].fd >= 0 && ops->interface;
		if (io->port[i].fd >= 0)
			io->look_ns = 0;
	}
	io->out_fd = together ? drb_packet_socket() : -1;
	if (together && io->out_fd < 0)
		drb_error("cannot open a packet socket to send hellos: %s", strerror(-io->out_fd));
	return together && io->out_fd < 0 ? io->out_fd : 0;
}

void drb_hello_sockets_free(struct drb_worker *w)
{
	if (w->hello_io.out_fd >= 0)
		close(w->hello_io.out_fd);
	w->hello_io.out_fd = -1;
}

bool drb_hello_sockets_send(struct drb_worker *w, uint32_t i, const uint8_t *frame, uint32_t len)
{
	const struct drb_port *port = w->port[i].queue->port;
	const struct drb_hello_ops *ops = port->kind->hello;
	const unsigned interface = ops && ops->interface ? ops->interface(port) : 0;

	if (interface == 0 || w->capture || (w->links.off >> i & 1) ||
	    w->egress.now_ns < w->hello_io.apart_until_ns)
		return false;
	drb_hello_outbox_add(w->hello_io.out, interface, frame, len);
	return true;
}

void drb_hello_sockets_look(struct drb_worker *w, uint32_t i)
{
	w->hello_io.readable |= UINT64_C(1) << i;
}

void drb_hello_sockets_told(struct drb_worker *w, uint64_t now_ns)
{
	if (w->hello_io.look_ns == UINT64_MAX)
		return;
	w->hello_io.look_ns = now_ns + LOOK_EVERY_NS;
	note_seen(w);
}

// Takes up to at_most hellos from the socket of port i. False: there may be more. Waiting times are
// limited to the time since the last pass, in which every socket was read.
static bool take_from_socket(struct drb_worker *w, uint32_t i, uint32_t at_most)
{
	const struct drb_port *port = w->port[i].queue->port;
	const uint64_t most = w->egress.now_ns - w->hello_io.looked_ns;
	struct drb_hello_taken got;

	for (uint32_t taken = 0; taken < at_most; taken++) {
		if (!port->kind->hello->read(port, &got))
			return true;
		const struct drb_hello_frame frame = {got.octets, got.length,
						      got.waited_ns < most ? got.waited_ns : most};
		if (got.lost)
			drb_liveness_lost_here(&w->liveness, i, w->egress.now_ns);
		if (frame.length >= DRB_ETHER_HEADER && drb_hello_is(frame.octets))
			drb_hellos_hear(w, i, &frame, false);
	}
	return false;
}

// Reads all hello sockets. If one of them holds more hellos, the worker counts as woken by a
// packet. Hello sockets then wake it again, so that this socket does not fill up.
static void look_at_sockets(struct drb_worker *w)
{
	struct drb_hello_io *io = &w->hello_io;
	bool all = true;

	for (uint32_t i = 0; i < w->egress.ports; i++) {
		if (io->port[i].fd >= 0)
			all &= take_from_socket(w, i, AT_ONCE);
	}
	note_seen(w);
	io->looked_ns = w->egress.now_ns;
	io->look_ns = w->egress.now_ns + LOOK_EVERY_NS;
	if (!all)
		w->idle.woken_ns = w->egress.now_ns;
}

// Takes hellos from the sockets that are known to be readable. If hello sockets end the worker's
// sleeps, it knows all that are readable, and each mostly holds one hello. Otherwise the worker
// reads all sockets before it judges links, and every few ms while awake.
void drb_hello_sockets_take(struct drb_worker *w)
{
	struct drb_hello_io *io = &w->hello_io;
	const uint64_t news = atomic_exchange(&io->news, 0);
	const bool judges = !w->idle.hellos_tell && w->egress.now_ns >= w->liveness.due_ns;

	if (news) // more hellos may follow; a quiet worker would sleep on
		w->idle.woken_ns = w->egress.now_ns;
	for (uint64_t left = io->readable | news; left; left &= left - 1) {
		const uint32_t i = (uint32_t)__builtin_ctzll(left);
		take_from_socket(w, i, news >> i & 1 ? AT_ONCE : 1);
	}
	io->readable = 0;
	if (judges || w->egress.now_ns >= io->look_ns)
		look_at_sockets(w);
}
