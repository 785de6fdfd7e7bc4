// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/ring.h"

#include <string.h>

#include <rte_mbuf.h>

#include "switch/ports/port.h"
#include "switch/ports/unfinished.h"

// A descriptor's metadata for an unfinished checksum: a flag, the bytes from the start of the
// summed part to the field, and that start.
#define UNFINISHED UINT32_C(0x80000000)
#define FIELD_SHIFT 16
#define FIELD_MASK 0xff

// Copies a descriptor once, because the other end may write to it at any time.
static struct drb_memif_desc read_desc(const struct drb_doorbell *b, uint16_t at)
{
	return *(volatile const struct drb_memif_desc *)&b->ring->desc[at & (b->size - 1)];
}

// Returns the data of a descriptor. NULL: it is outside of the link's memory.
static uint8_t *desc_octets(const struct drb_doorbell *b, const struct drb_memif_desc *d,
			    uint32_t length)
{
	if (unlikely(d->region >= b->memory->count))
		return NULL;
	uint64_t size = b->memory->region[d->region].size;
	if (unlikely(d->offset > size || length > size - d->offset))
		return NULL;
	return b->memory->region[d->region].at + d->offset;
}

static uint32_t mark_of(const struct rte_mbuf *m)
{
	return drb_is_unfinished(m)
		       ? UNFINISHED | (uint32_t)m->l4_len << FIELD_SHIFT | (uint32_t)m->l3_len
		       : 0;
}

static void take_mark(struct rte_mbuf *m, uint32_t mark)
{
	uint32_t start = mark & DRB_UNFINISHED_START_MAX, field = mark >> FIELD_SHIFT & FIELD_MASK;

	if ((mark & UNFINISHED) && drb_fits_mark(start, field, m->data_len))
		drb_mark_unfinished(m, start, field);
}

// Copies a packet of one or several descriptors, at most `waiting`. Returns the number of
// descriptors.
static uint32_t receive_one(const struct drb_doorbell *rx, const struct drb_memif_packets *p,
			    uint32_t waiting, struct rte_mbuf *m)
{
	const uint32_t room = p->frame_max + 1;
	uint8_t *to = rte_pktmbuf_mtod(m, uint8_t *);
	struct drb_memif_desc d = read_desc(rx, rx->next);
	const uint32_t mark = d.metadata;
	uint32_t used = 0, octets = 0;
	bool bad = false;

	for (;; d = read_desc(rx, (uint16_t)(rx->next + used))) {
		const uint8_t *from = desc_octets(rx, &d, d.length);
		uint32_t part = d.length < room - octets ? d.length : room - octets;
		bad = bad || !from;
		if (!bad)
			memcpy(to + octets, from, part);
		octets += part;
		used++;
		if (likely(!(d.flags & DRB_MEMIF_NEXT)) || used == waiting)
			break;
	}
	m->pkt_len = bad ? 0 : octets;
	m->data_len = (uint16_t)m->pkt_len;
	if (p->marked && mark)
		take_mark(m, mark);
	return used;
}

// Lends the sender the buffers of received descriptors, and buffers that were not lent before.
static void lend(struct drb_doorbell *rx, uint32_t buffer)
{
	const uint16_t end = (uint16_t)(rx->next + rx->size);

	if (rx->lent == end)
		return;
	for (; rx->lent != end; rx->lent++)
		rx->ring->desc[rx->lent & (rx->size - 1)].length = buffer;
	atomic_store_explicit(&rx->ring->head, end, memory_order_release);
}

uint32_t drb_memif_receive(struct drb_doorbell *rx, const struct drb_memif_packets *p,
			   struct rte_mempool *pool, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_memif_ring *ring = rx->ring;
	uint32_t n = 0;

	if (unlikely(!ring))
		return 0;
	const bool lends = rx->empty > 0;
	uint32_t waiting = (uint16_t)(atomic_load_explicit(lends ? &ring->tail : &ring->head,
							   memory_order_acquire) -
				      rx->next);
	waiting = waiting < rx->size ? waiting : rx->size;
	count = count < waiting ? count : waiting;
	while (count > 0 && rte_pktmbuf_alloc_bulk(pool, packets, count) != 0)
		count /= 2;
	for (; n < count && waiting > 0; n++) {
		uint32_t used = receive_one(rx, p, waiting, packets[n]);
		rx->next = (uint16_t)(rx->next + used);
		waiting -= used;
	}
	if (unlikely(n < count)) // packets took several descriptors
		rte_pktmbuf_free_bulk(packets + n, count - n);
	if (lends)
		lend(rx, p->buffer);
	else if (n > 0)
		atomic_store_explicit(&ring->tail, rx->next, memory_order_release);
	return n;
}

// The fate of a packet to send.
enum outcome { SENT, NO_ROOM, LOST };

// Writes a packet to the next descriptors, at most `room`. *used becomes the number of descriptors.
static enum outcome send_one(const struct drb_doorbell *tx, const struct drb_memif_packets *p,
			     const struct rte_mbuf *m, uint32_t room, uint32_t *used)
{
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint32_t mark = p->marked ? mark_of(m) : 0;
	uint32_t left = m->data_len;

	for (*used = 0; *used < room;) {
		const uint16_t at = (uint16_t)(tx->next + *used);
		struct drb_memif_desc d = read_desc(tx, at),
				      *to = &tx->ring->desc[at & (tx->size - 1)];
		// A client knows its own buffers; a server reads offset and length from the
		// descriptor.
		uint32_t part = tx->empty > 0 ? d.length : p->buffer;
		part = left < part ? left : part;
		if (tx->empty == 0) {
			const uint32_t n = (tx->used + *used) & (tx->size - 1u);
			to->offset = d.offset = tx->buffers + n * p->buffer;
		}
		uint8_t *octets = desc_octets(tx, &d, part);
		++*used;
		if (unlikely(!octets || (part == 0 && left > 0))) {
			to->flags = 0;
			to->length = 0;
			return LOST;
		}
		memcpy(octets, from, part);
		from += part;
		left -= part;
		to->length = part;
		to->metadata = mark;
		to->flags = left > 0 ? DRB_MEMIF_NEXT : 0;
		if (likely(left == 0))
			return SENT;
	}
	return NO_ROOM;
}

uint32_t drb_memif_send(struct drb_doorbell *tx, const struct drb_memif_packets *p,
			struct rte_mbuf **packets, uint32_t count, struct drb_send_result *result)
{
	struct drb_memif_ring *ring = tx->ring;
	uint32_t sent = 0, used;

	if (unlikely(!ring))
		return 0;
	const bool lent = tx->empty > 0;
	uint32_t room =
		lent ? (uint16_t)(atomic_load_explicit(&ring->head, memory_order_acquire) -
				  tx->next)
		     : tx->size - (uint32_t)(uint16_t)(tx->next -
						       atomic_load_explicit(&ring->tail,
									    memory_order_acquire));
	if (!lent && room >= tx->size)
		tx->used = 0;
	room = room < tx->size ? room : tx->size;
	for (; sent < count; sent++) {
		enum outcome outcome = send_one(tx, p, packets[sent], room, &used);
		if (outcome == NO_ROOM)
			break;
		if (unlikely(outcome == LOST)) {
			result->lost++;
			result->lost_octets += packets[sent]->pkt_len;
		}
		tx->next = (uint16_t)(tx->next + used);
		tx->used = (uint16_t)(tx->used + used);
		room -= used;
	}
	if (sent == 0)
		return 0;
	atomic_store_explicit(lent ? &ring->tail : &ring->head, tx->next, memory_order_release);
	rte_pktmbuf_free_bulk(packets, sent);
	return sent;
}
