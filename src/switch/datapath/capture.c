// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/capture.h"

#include <pcap/bpf.h>
#include <rte_mbuf.h>

#include "common/cli/clock.h"

_Static_assert(sizeof(struct drb_capture_insn) == sizeof(struct bpf_insn), "the same instructions");
_Static_assert(DRB_PORTS_MAX <= DRB_CAPTURE_PORTS, "a counter for each port");

// Position in the ring while packets are copied. publish() then hands them to the reader.
struct cursor {
	uint64_t tail, head;
	uint32_t lost, matched;
};

static struct cursor cursor_of(const struct drb_capture *c)
{
	return (struct cursor){.tail = atomic_load_explicit(&c->ring->tail, memory_order_relaxed),
			       .head = atomic_load_explicit(&c->ring->head, memory_order_acquire)};
}

static bool wanted(const struct drb_capture *c, uint32_t port, const struct rte_mbuf *m)
{
	if (!(c->ports >> port & 1))
		return false;
	return c->insns == 0 ||
	       bpf_filter((const struct bpf_insn *)(const void *)c->insn,
			  rte_pktmbuf_mtod(m, const u_char *), m->pkt_len, m->data_len) != 0;
}

// Finds how a packet leaves by this port, from its destination and mark.
static enum drb_capture_way way_of(const struct drb_worker *w, uint32_t port,
				   const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	if (m->data_len < 14 || !drb_addr_has_label(&w->addr, frame))
		return DRB_CAPTURE_NO_WAY;
	if (drb_addr_mark(&w->addr, frame))
		return DRB_CAPTURE_DETOUR;
	if (port < w->egress.down_ports)
		return DRB_CAPTURE_DOWN;
	uint32_t def = drb_hop_default(&w->hop, drb_addr_label_octets(frame));
	return def == port - w->egress.down_ports ? DRB_CAPTURE_DEFAULT : DRB_CAPTURE_REDIRECTED;
}

// Returns the next slot. NULL: the ring is full, or the reader's head is beyond the tail.
static struct drb_capture_slot *next_slot(const struct drb_capture *c, struct cursor *at)
{
	at->matched++;
	if (at->tail - at->head >= DRB_CAPTURE_SLOTS) {
		at->lost++;
		return NULL;
	}
	return &c->ring->slot[at->tail++ % DRB_CAPTURE_SLOTS];
}

static void copy(const struct drb_capture *c, struct drb_capture_slot *slot,
		 const struct rte_mbuf *m)
{
	uint32_t captured = m->data_len < c->snap ? m->data_len : c->snap;

	slot->length = (uint16_t)m->pkt_len;
	slot->captured = (uint16_t)captured;
	memcpy(slot->bytes, rte_pktmbuf_mtod(m, const void *), captured);
}

static void publish(const struct drb_capture *c, uint32_t port, const struct cursor *at)
{
	atomic_fetch_add_explicit(&c->ring->matched[port], at->matched, memory_order_relaxed);
	atomic_fetch_add_explicit(&c->ring->lost[port], at->lost, memory_order_relaxed);
	atomic_store_explicit(&c->ring->tail, at->tail, memory_order_release);
}

void drb_capture_received(struct drb_worker *w, uint32_t in, struct rte_mbuf *const *packets,
			  uint32_t count)
{
	const struct drb_capture *c = w->capture;
	struct cursor at = cursor_of(c);
	uint64_t now = drb_clock_now();

	for (uint32_t i = 0; i < count; i++) {
		struct drb_capture_slot *slot;
		if (!wanted(c, in, packets[i]) || !(slot = next_slot(c, &at)))
			continue;
		slot->time_ns = now;
		slot->port = (uint8_t)in;
		slot->kind = DRB_CAPTURE_IN;
		slot->way = DRB_CAPTURE_NO_WAY;
		slot->queue = 0;
		copy(c, slot, packets[i]);
	}
	publish(c, in, &at);
}

void drb_capture_dropped(struct drb_worker *w, uint32_t port, const struct rte_mbuf *m,
			 enum drb_capture_kind kind, enum drb_drop reason)
{
	const struct drb_capture *c = w->capture;
	struct cursor at = cursor_of(c);
	struct drb_capture_slot *slot;

	if (!wanted(c, port, m))
		return;
	if ((slot = next_slot(c, &at))) {
		slot->time_ns = drb_clock_now();
		slot->port = (uint8_t)port;
		slot->kind = (uint8_t)kind;
		slot->way = DRB_CAPTURE_NO_WAY;
		slot->reason = (uint8_t)reason;
		slot->queue = w->egress.occupancy[port];
		copy(c, slot, m);
	}
	publish(c, port, &at);
}

void drb_capture_begin_send(struct drb_worker *w, uint32_t port, struct rte_mbuf *const *packets,
			    uint32_t count, struct drb_capture_batch *batch)
{
	const struct drb_capture *c = w->capture;
	struct cursor at = cursor_of(c);
	uint64_t now = drb_clock_now();

	batch->port = port;
	for (uint32_t i = 0; i < count; i++) {
		struct drb_capture_slot *slot;
		if (wanted(c, port, packets[i]) && (slot = next_slot(c, &at))) {
			slot->time_ns = now;
			slot->port = (uint8_t)port;
			slot->kind = DRB_CAPTURE_OUT;
			slot->way = (uint8_t)way_of(w, port, packets[i]);
			slot->queue =
				w->egress.occupancy[port] > i ? w->egress.occupancy[port] - i : 0;
			copy(c, slot, packets[i]);
		}
		batch->tail[i] = at.tail;
		batch->lost[i] = at.lost;
		batch->matched[i] = at.matched;
	}
}

void drb_capture_end_send(struct drb_worker *w, const struct drb_capture_batch *batch,
			  uint32_t sent)
{
	if (sent > 0)
		publish(w->capture, batch->port,
			&(struct cursor){.tail = batch->tail[sent - 1],
					 .lost = batch->lost[sent - 1],
					 .matched = batch->matched[sent - 1]});
}
