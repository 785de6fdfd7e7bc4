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

static uint32_t offer(int fd, struct rte_mbuf **packets, uint32_t count)
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
	if (n > 0)
		return (uint32_t)n;
	// The first was dropped on its way, or cannot be sent at all.
	return errno != EAGAIN;
}

uint32_t drb_packet_send(int fd, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t sent = 0, n;

	do {
		n = count - sent < AT_ONCE ? count - sent : AT_ONCE;
		n = offer(fd, packets + sent, n);
		sent += n;
	} while (n > 0 && sent < count);
	rte_pktmbuf_free_bulk(packets, sent);
	return sent;
}
