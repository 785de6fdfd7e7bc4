// SPDX-License-Identifier: BSD-3-Clause
// Sends with the AF_XDP socket itself, on all interfaces except veths, because a driver may read
// packets in place. On veths, it sends only if workers cannot have packet sockets for that. A
// packet takes one entry of the ring per part. Each entry keeps its part until the kernel returns
// it.
#include <errno.h>
#include <sys/socket.h>

#include <rte_mbuf.h>

#include "switch/ports/port.h"
#include "switch/ports/xdp/xsk_ring.h"

// Entries that the kernel sends in one call if it copies.
#define KERNEL_BURST 32

static void take_completions(struct drb_xsk *x)
{
	const uint32_t end = drb_xsk_index(x->completions.producer);
	uint32_t at = *x->completions.consumer;

	x->sending -= end - at;
	for (; at != end; at++)
		rte_pktmbuf_free(drb_xsk_buffer(x, *drb_xsk_entry(&x->completions, at)));
	__atomic_store_n(x->completions.consumer, at, __ATOMIC_RELEASE);
}

// Returns the packet itself if it is in memory that is lent to the kernel; otherwise, moves it
// there. NULL: there is no free buffer, and the packet is unchanged.
static struct rte_mbuf *lendable(struct drb_xsk *x, struct rte_mbuf *m)
{
	struct rte_mbuf *copy;

	if (likely(m->pool == x->pool && RTE_MBUF_DIRECT(m)))
		return m;
	copy = rte_pktmbuf_copy(m, x->pool, 0, UINT32_MAX);
	if (copy)
		rte_pktmbuf_free(m);
	return copy;
}

static uint32_t add_packet(struct drb_xsk *x, uint32_t at, struct rte_mbuf *m)
{
	const uint32_t length = m->data_len, parts = (length + x->part - 1) / x->part;
	const uint64_t offset = (uint64_t)(rte_pktmbuf_mtod(m, uint8_t *) - (uint8_t *)m);

	rte_mbuf_refcnt_update(m, (int16_t)(parts - 1));
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t from = i * x->part;
		*drb_xsk_place(&x->tx, at + i) = (struct xdp_desc){
			.addr = drb_xsk_address(x, m) | (offset + from)
								<< XSK_UNALIGNED_BUF_OFFSET_SHIFT,
			.len = RTE_MIN(x->part, length - from),
			.options = i + 1 < parts ? XDP_PKT_CONTD : 0,
		};
	}
	return parts;
}

// Makes the kernel process the ring, with as many calls as all entries need.
static void kick(const struct drb_xsk *x)
{
	uint32_t calls = 1 + x->sending / KERNEL_BURST;

	if (!drb_xsk_wants_waking(&x->tx))
		return;
	while (calls-- > 0 && sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && errno == EAGAIN)
		;
}

uint32_t drb_xsk_send(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count,
		      struct drb_send_result *result)
{
	const uint32_t room = x->tx.size / 4 * x->parts;
	uint32_t at = *x->tx.producer, n = 0;

	take_completions(x);
	for (; n < count && x->sending + x->parts <= room; n++) {
		struct rte_mbuf *m = packets[n];
		uint32_t length = m->data_len;
		struct rte_mbuf *lent = length <= x->frame_max ? lendable(x, m) : NULL;
		if (!lent && length <= x->frame_max && x->sending > 0)
			break; // wait until the kernel returns a buffer
		if (!lent) {
			result->lost++;
			result->lost_octets += length;
			rte_pktmbuf_free(m);
			continue;
		}
		uint32_t parts = add_packet(x, at, lent);
		at += parts;
		x->sending += parts;
	}
	__atomic_store_n(x->tx.producer, at, __ATOMIC_RELEASE);
	if (x->sending > 0)
		kick(x);
	return n;
}
