// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/bundle.h"

#include <string.h>

#include <rte_mbuf.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"
#include "switch/ports/unfinished.h"

#define VERSION 1

// A group address that no bridge forwards, which hellos have, too.
static const struct drb_bundle_head beginning = {
	.destination = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e},
	.source = {0x06},
	.type = {DRB_ETHERTYPE_BUNDLE >> 8, DRB_ETHERTYPE_BUNDLE & 0xff},
	.version = VERSION,
};

bool drb_bundle_is(const uint8_t *frame)
{
	return memcmp(frame, &beginning, DRB_ETHER_HEADER) == 0;
}

// Whether the receiver takes the packet in a bundle: one that does not fit must not cost others.
static bool fits(const struct rte_mbuf *m, uint32_t slot)
{
	return m->nb_segs == 1 && m->data_len >= DRB_ETHER_HEADER && m->data_len <= slot &&
	       (!drb_is_unfinished(m) || drb_fits_mark(m->l3_len, m->l4_len, m->data_len));
}

uint32_t drb_bundle_count(struct rte_mbuf *const *packets, uint32_t count, uint32_t slot,
			  uint32_t max)
{
	uint32_t n = 0, end = sizeof(struct drb_bundle_head);

	for (; n < count && n < DRB_BUNDLE_PACKETS && fits(packets[n], slot); n++) {
		end = drb_bundle_place(end, slot, packets[n]->data_len) + packets[n]->data_len;
		if (end > max)
			break;
	}
	return n;
}

void drb_bundle_write(struct drb_bundle_head *head, struct rte_mbuf *const *packets, uint32_t count,
		      uint32_t slot)
{
	*head = beginning;
	head->count = (uint8_t)count;
	drb_store16(head->slot, (uint16_t)slot);
	for (uint32_t i = 0; i < count; i++) {
		struct drb_bundle_packet *p = &head->packet[i];
		drb_store16(p->length, packets[i]->data_len);
		if (!drb_is_unfinished(packets[i]))
			continue;
		drb_store16(p->start, packets[i]->l3_len);
		p->field = packets[i]->l4_len;
	}
}

static bool is_sound(const struct drb_bundle_packet *p, uint32_t slot)
{
	uint32_t length = drb_load16(p->length), start = drb_load16(p->start);

	if (length < DRB_ETHER_HEADER || length > slot || p->zero)
		return false;
	if (start == 0)
		return p->field == 0;
	return drb_fits_mark(start, p->field, length);
}

uint32_t drb_bundle_check(const struct drb_bundle_head *head, uint32_t length, uint32_t slot)
{
	uint32_t end = sizeof(*head);

	if (!drb_bundle_is((const uint8_t *)head) || head->version != VERSION || head->count == 0 ||
	    head->count > DRB_BUNDLE_PACKETS || drb_load16(head->slot) != slot)
		return 0;
	for (uint32_t i = 0; i < head->count; i++) {
		const struct drb_bundle_packet *p = &head->packet[i];
		uint32_t octets = drb_load16(p->length);
		if (!is_sound(p, slot))
			return 0;
		end = drb_bundle_place(end, slot, octets) + octets;
	}
	return end == length ? head->count : 0;
}

static void finish_packet(struct rte_mbuf *m, const struct drb_bundle_packet *p)
{
	m->data_len = drb_load16(p->length);
	m->pkt_len = m->data_len;
	m->ol_flags = 0;
	if (drb_load16(p->start) > 0)
		drb_mark_unfinished(m, drb_load16(p->start), p->field);
}

static struct rte_mbuf *copy_of(const uint8_t *octets, const struct drb_bundle_packet *p,
				struct rte_mempool *pool)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	if (!m)
		return NULL;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), octets, drb_load16(p->length));
	finish_packet(m, p);
	return m;
}

uint32_t drb_bundle_copy(const uint8_t *frame, uint32_t slot, struct rte_mempool *pool,
			 struct rte_mbuf **packets)
{
	const struct drb_bundle_head *head = (const struct drb_bundle_head *)frame;
	uint32_t end = sizeof(*head), n = 0;

	for (; n < head->count; n++) {
		uint32_t length = drb_load16(head->packet[n].length);
		uint32_t at = drb_bundle_place(end, slot, length);
		packets[n] = copy_of(frame + at, &head->packet[n], pool);
		if (!packets[n])
			break;
		end = at + length;
	}
	return n;
}

// Whether packet n, which begins a slot, has it alone.
static bool is_alone(const struct drb_bundle_head *head, uint32_t n, uint32_t slot)
{
	uint32_t length = drb_load16(head->packet[n].length);

	return n + 1 == head->count || length + drb_load16(head->packet[n + 1].length) > slot;
}

uint32_t drb_bundle_open(struct rte_mbuf **slots, uint32_t count, struct rte_mempool *pool,
			 struct rte_mbuf **packets)
{
	const struct drb_bundle_head *head =
		rte_pktmbuf_mtod(slots[0], const struct drb_bundle_head *);
	uint32_t end = sizeof(*head), slot = drb_load16(head->slot), n = 0;
	const uint32_t all = head->count;

	for (; n < all; n++) {
		uint32_t length = drb_load16(head->packet[n].length);
		uint32_t at = drb_bundle_place(end, slot, length);
		struct rte_mbuf **own = &slots[at / slot];
		if (at % slot == 0 && is_alone(head, n, slot)) {
			packets[n] = *own;
			*own = NULL;
			finish_packet(packets[n], &head->packet[n]);
		} else {
			packets[n] = copy_of(rte_pktmbuf_mtod_offset(*own, uint8_t *, at % slot),
					     &head->packet[n], pool);
		}
		if (!packets[n])
			break;
		end = at + length;
	}
	rte_pktmbuf_free_bulk(slots, count);
	return n;
}
