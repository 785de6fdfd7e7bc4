// SPDX-License-Identifier: BSD-3-Clause
#include <sys/socket.h>

#include <rte_common.h>

#include "core/packet/wire.h"
#include "switch/ports/join.h"
#include "switch/ports/unfinished.h"
#include "switch/ports/xdp/xsk_ring.h"

// Parts of a frame that are kept: one more than the longest frame has, so that a longer one is
// noticed.
#define PARTS_MAX (DRB_XSK_PARTS + 1)
#define FILL_AT_ONCE 256
// If fewer buffers are free than this, besides workers' caches, sockets may soon lack buffers to
// fill.
#define FEW 512

// Lends as many buffers as the ring of received frames has entries, so that no frame lacks an
// entry.
void drb_xsk_fill(struct drb_xsk *x)
{
	struct rte_mbuf *fresh[FILL_AT_ONCE];
	uint32_t at = *x->fill.producer;

	x->starved = false;
	while (x->lent < x->fill.size) {
		uint32_t n = RTE_MIN(x->fill.size - x->lent, (uint32_t)FILL_AT_ONCE);
		while (n > 0 && rte_pktmbuf_alloc_bulk(x->pool, fresh, n) != 0) {
			x->starved = true;
			n /= 2;
		}
		for (uint32_t i = 0; i < n; i++)
			*drb_xsk_entry(&x->fill, at + i) = drb_xsk_address(x, fresh[i]);
		at += n;
		x->lent += n;
		if (x->starved)
			break;
	}
	__atomic_store_n(x->fill.producer, at, __ATOMIC_RELEASE);
	if (unlikely(drb_xsk_wants_waking(&x->fill)))
		recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

// Returns the buffer of a part of a frame, with offset and length as the kernel filled it.
static struct rte_mbuf *part_buffer(const struct drb_xsk *x, const struct xdp_desc *d)
{
	struct rte_mbuf *m = drb_xsk_buffer(x, d->addr);

	m->data_off = (uint16_t)((d->addr >> XSK_UNALIGNED_BUF_OFFSET_SHIFT) -
				 ((uint8_t *)m->buf_addr - (uint8_t *)m));
	m->data_len = (uint16_t)d->len;
	m->pkt_len = d->len;
	return m;
}

// Joins the parts of a frame in the first one's buffer.
static struct rte_mbuf *parts_join(struct rte_mbuf **parts, uint32_t count, uint32_t max)
{
	for (uint32_t i = 1; i < count; i++)
		parts[i - 1]->next = parts[i];
	return drb_join(parts[0], max);
}

// Collects the first PARTS_MAX parts of the frame at index `at`; the ring is filled up to `end`.
// Returns the number of all its parts; 0: the frame is not complete yet.
static uint32_t gather(const struct drb_xsk *x, uint32_t at, uint32_t end, struct rte_mbuf **parts)
{
	uint32_t n = 0;
	bool more = true;

	for (; more && at != end; at++, n++) {
		const struct xdp_desc *d = drb_xsk_place(&x->rx, at);
		if (n < PARTS_MAX)
			parts[n] = part_buffer(x, d);
		more = d->options & XDP_PKT_CONTD;
	}
	return more ? 0 : n;
}

// Takes the frame at the ring's front; the ring is filled up to `end`. NULL: it is not complete
// yet.
static struct rte_mbuf *take_frame(struct drb_xsk *x, uint32_t end)
{
	struct rte_mbuf *parts[PARTS_MAX], *m;
	const uint32_t at = *x->rx.consumer, entries = gather(x, at, end, parts);

	if (entries == 0)
		return NULL;
	for (uint32_t i = PARTS_MAX; i < entries; i++)
		rte_pktmbuf_free(drb_xsk_buffer(x, drb_xsk_place(&x->rx, at + i)->addr));
	m = parts_join(parts, RTE_MIN(entries, (uint32_t)PARTS_MAX), x->frame_max + 1);
	// The kernel does not report to AF_XDP that a checksum was left to a device.
	drb_find_unfinished(m);
	__atomic_store_n(x->rx.consumer, at + entries, __ATOMIC_RELEASE);
	return m;
}

// Copies packets to other buffers when lent ones run short. Packets that wait in egress queues
// would otherwise keep buffers that the kernel needs.
static void keep_apart(const struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *copy = NULL;
		if (packets[i]->pool == x->pool)
			copy = rte_pktmbuf_copy(packets[i], x->packets, 0, UINT32_MAX);
		if (copy) {
			rte_pktmbuf_free(packets[i]);
			packets[i] = copy;
		}
	}
}

uint32_t drb_xsk_receive(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count)
{
	const uint32_t end = drb_xsk_index(x->rx.producer), begin = *x->rx.consumer;
	uint32_t n = 0;

	while (n < count && *x->rx.consumer != end) {
		packets[n] = take_frame(x, end);
		if (!packets[n])
			break;
		n++;
	}
	x->lent -= *x->rx.consumer - begin;
	if (unlikely(n > 0 && rte_mempool_ops_get_count(x->pool) < FEW))
		keep_apart(x, packets, n);
	// Also retry after a shortage: without buffers the kernel drops all frames, so that no
	// received frame would lead to a retry.
	if (*x->rx.consumer != begin || x->starved)
		drb_xsk_fill(x);
	return n;
}
