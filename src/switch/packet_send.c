// SPDX-License-Identifier: BSD-3-Clause
// The driver copies a packet into a ring, from which the kernel makes a packet of borrowed pages,
// which a veth copies again, page by page: sendmmsg() has the kernel copy it once. What it has not
// passed on is bounded by the socket's buffer; then packets stay where they are.
#include "packet_send.h"

#include <errno.h>
#include <sys/socket.h>

#include <rte_mbuf.h>

// Packets per system call.
#define AT_ONCE 64

// How many the kernel took; -errno, and it took none.
static int offer(int fd, struct rte_mbuf **packets, uint32_t count)
{
	struct mmsghdr message[AT_ONCE];
	struct iovec frame[AT_ONCE];

	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		// Only what is longer than any frame that is forwarded comes in pieces.
		frame[i] = (struct iovec){rte_pktmbuf_mtod(m, void *), m->data_len};
		message[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &frame[i], .msg_iovlen = 1}};
	}
	int n = sendmmsg(fd, message, count, MSG_DONTWAIT);
	return n > 0 ? n : -errno;
}

// How many of count packets, of which the kernel refused the first for this reason, are lost.
static uint32_t given_up(int error, uint32_t count)
{
	switch (error) {
	case -EAGAIN:
		return 0;
	case -ENETDOWN:
	case -ENXIO:
		return count; // none of them fares better
	default:
		return 1;
	}
}

uint32_t drb_packet_send(int fd, struct rte_mbuf **packets, uint32_t count,
			 struct drb_packet_lost *lost)
{
	uint32_t done = 0;

	*lost = (struct drb_packet_lost){0};
	while (done < count) {
		uint32_t left = count - done;
		int n = offer(fd, packets + done, left < AT_ONCE ? left : AT_ONCE);
		uint32_t bad = n < 0 ? given_up(n, left) : 0;
		if (n < 0 && bad == 0)
			break;
		lost->packets += bad;
		for (uint32_t i = 0; i < bad; i++)
			lost->octets += packets[done + i]->pkt_len;
		done += n < 0 ? bad : (uint32_t)n;
	}
	rte_pktmbuf_free_bulk(packets, done);
	return done;
}
