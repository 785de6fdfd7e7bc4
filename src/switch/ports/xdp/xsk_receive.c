// SPDX-License-Identifier: BSD-3-Clause
#include <sys/socket.h>

#include <rte_common.h>

#include "core/packet/wire.h"
#include "switch/ports/join.h"
#include "switch/ports/unfinished.h"
#include "switch/ports/xdp/xsk_ring.h"

// Entries of the ring that a frame may have: those of the longest bundle.
#define PARTS_MAX DRB_BUNDLE_SLOTS
#define FILL_AT_ONCE 256
// Buffers that nobody has, besides those that workers keep at hand: what sockets still need that have less than they should.
#define FEW 512

// Until as many are lent as the ring of received frames has places, so that none of them is dropped for want of one.
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

// The buffer of a part of a frame, as the kernel has filled it.
static struct rte_mbuf *part_of(const struct drb_xsk *x, const struct xdp_desc *d)
{
	struct rte_mbuf *m = drb_xsk_buffer(x, d->addr);

	m->data_off = (uint16_t)((d->addr >> XSK_UNALIGNED_BUF_OFFSET_SHIFT) -
				 ((uint8_t *)m->buf_addr - (uint8_t *)m));
	m->data_len = (uint16_t)d->len;
	m->pkt_len = d->len;
	return m;
}

// The frame, or slot, that so many parts are, in the first one's buffer.
static struct rte_mbuf *join(struct rte_mbuf **parts, uint32_t count, uint32_t max)
{
	for (uint32_t i = 1; i < count; i++)
		parts[i - 1]->next = parts[i];
	return drb_join(parts[0], max);
}

// The parts of the frame at index `at` of those up to `end`, at most PARTS_MAX, and its octets. How many
// there are in the ring; 0: it is not all there.
static uint32_t gather(const struct drb_xsk *x, uint32_t at, uint32_t end, struct rte_mbuf **parts,
		       uint32_t *octets)
{
	uint32_t n = 0;
	bool more = true;

	*octets = 0;
	for (; more && at != end; at++, n++) {
		const struct xdp_desc *d = drb_xsk_place(&x->rx, at);
		struct rte_mbuf *m = part_of(x, d);
		more = d->options & XDP_PKT_CONTD;
		*octets += d->len;
		if (n < PARTS_MAX)
			parts[n] = m;
		else if (!more || at + 1 == end)
			*octets = UINT32_MAX; // no bundle
	}
	return more ? 0 : n;
}

// Takes the bundle that so many parts are apart, `parts` to a slot. False: they are none.
static bool take_bundle(struct drb_xsk *x, struct rte_mbuf **parts, uint32_t count, uint32_t octets)
{
	const uint8_t *frame = rte_pktmbuf_mtod(parts[0], const uint8_t *);
	uint32_t slots = 0, packets;

	if (x->bundle.slot == 0 || parts[0]->data_len < sizeof(struct drb_bundle_head) ||
	    !drb_bundle_is(frame))
		return false;
	packets = drb_rx_bundle_check(&x->bundle, frame, parts[0]->data_len, octets);
	if (packets == 0)
		return false;
	for (uint32_t i = 0; i < count; i += x->parts)
		parts[slots++] = join(parts + i, RTE_MIN(x->parts, count - i), x->bundle.slot);
	x->bundle.next = 0;
	x->bundle.count = drb_bundle_open(parts, slots, x->packets, x->bundle.packet);
	x->missed += packets - x->bundle.count; // for want of buffers
	return true;
}

// Takes the frame at the ring's front, of those up to `end`. How many packets it is at once, of a bundle none;
// *entries: how many of the ring it had.
static uint32_t take_frame(struct drb_xsk *x, uint32_t end, struct rte_mbuf **packet,
			   uint32_t *entries)
{
	struct rte_mbuf *parts[PARTS_MAX];
	const uint32_t at = *x->rx.consumer;
	uint32_t octets, count;

	*entries = gather(x, at, end, parts, &octets);
	if (*entries == 0)
		return 0;
	for (uint32_t i = PARTS_MAX; i < *entries; i++)
		rte_pktmbuf_free(drb_xsk_buffer(x, drb_xsk_place(&x->rx, at + i)->addr));
	count = RTE_MIN(*entries, (uint32_t)PARTS_MAX);
	if (take_bundle(x, parts, count, octets))
		return 0;
	*packet = join(parts, count, x->frame_max + 1);
	// The kernel does not tell an XDP program what a sender left to its device; a bundle does.
	drb_find_unfinished(*packet);
	return 1;
}

// Packets that wait in egress queues would keep buffers that the kernel needs, once there are few: they go on in others.
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
	const uint32_t end = drb_xsk_index(x->rx.producer);
	uint32_t n = drb_rx_bundle_take(&x->bundle, packets, count), entries = 1;
	const uint32_t begin = *x->rx.consumer;

	while (n < count && *x->rx.consumer != end && entries > 0) {
		n += take_frame(x, end, packets + n, &entries);
		__atomic_store_n(x->rx.consumer, *x->rx.consumer + entries, __ATOMIC_RELEASE);
		n += drb_rx_bundle_take(&x->bundle, packets + n, count - n);
	}
	x->lent -= *x->rx.consumer - begin;
	if (unlikely(n > 0 && rte_mempool_ops_get_count(x->pool) < FEW))
		keep_apart(x, packets, n);
	// What the kernel drops for want of buffers brings no frames that would make it try again.
	if (*x->rx.consumer != begin || x->starved)
		drb_xsk_fill(x);
	return n;
}
