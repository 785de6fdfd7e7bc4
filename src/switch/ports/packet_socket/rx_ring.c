// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_ring.h"

#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_mbuf.h>

#include "switch/ports/packet_socket/rx_frame.h"

static struct tpacket2_hdr *frame_at(const struct drb_rx_ring *ring, uint32_t at)
{
	return (struct tpacket2_hdr *)(ring->frame + at);
}

// Returns the offset of the next frame. The rest of a block is unused if it is too short for a
// frame.
static uint32_t after(const struct drb_rx_ring *ring, uint32_t at)
{
	at += ring->frame_size;
	if (at % DRB_RX_BLOCK + ring->frame_size > DRB_RX_BLOCK)
		at = RTE_ALIGN_CEIL(at, DRB_RX_BLOCK);
	return at < ring->blocks * DRB_RX_BLOCK ? at : 0;
}

// Counts the received frames, at most `most`, up to a GSO packet or a long frame. A frame that is
// longer than a frame of the ring was also copied to the socket's buffer.
static uint32_t count_plain(const struct drb_rx_ring *ring, uint32_t most)
{
	uint32_t count = 0;

	for (uint32_t i = ring->next; count < most; i = after(ring, i), count++) {
		const struct tpacket2_hdr *f = frame_at(ring, i);
		uint32_t status = __atomic_load_n(&f->tp_status, __ATOMIC_ACQUIRE);
		if (!(status & TP_STATUS_USER) || (status & TP_STATUS_COPY) ||
		    drb_rx_cut(f).gso_type != VIRTIO_NET_HDR_GSO_NONE)
			break;
	}
	return count;
}

static void free_frame(struct drb_rx_ring *ring)
{
	__atomic_store_n(&frame_at(ring, ring->next)->tp_status, TP_STATUS_KERNEL,
			 __ATOMIC_RELEASE);
	ring->next = after(ring, ring->next);
	ring->taken++;
}

static uint32_t receive_plain(struct drb_rx_ring *ring, struct rte_mempool *pool,
			      struct rte_mbuf **packets, uint32_t count)
{
	uint32_t n = count_plain(ring, count);

	while (n > 0 && rte_pktmbuf_alloc_bulk(pool, packets, n) != 0)
		n /= 2;
	for (uint32_t i = 0; i < n; i++) {
		drb_rx_copy(frame_at(ring, ring->next), ring->frame_max, packets[i]);
		free_frame(ring);
	}
	return n;
}

static void count_bad(struct drb_rx_ring *ring, bool begun, uint32_t octets)
{
	if (begun || ring->gso.too_long)
		return;
	ring->lost.bad_gso++;
	ring->lost.bad_gso_octets += octets;
}

static void begin_in_ring(struct drb_rx_ring *ring, const struct tpacket2_hdr *f)
{
	struct virtio_net_hdr cut = drb_rx_cut(f);
	struct drb_vlan_tag tag = drb_rx_tag(f);
	struct drb_rx_gso *gso = &ring->gso;

	memcpy(gso->octets + DRB_TAG_ROOM, drb_rx_octets(f), f->tp_snaplen);
	bool begun = drb_rx_gso_begin(gso, &cut, f->tp_len, &tag, ring->frame_max);
	if (f->tp_snaplen == f->tp_len) {
		count_bad(ring, begun, f->tp_len);
		return;
	}
	// The socket's buffer had no space for a copy. The headers are in the ring.
	ring->lost.missed += begun ? gso->segments : 1;
	gso->segments = 0;
	gso->too_long = false;
}

static void begin_copied(struct drb_rx_ring *ring)
{
	bool whole = false;
	uint32_t octets = drb_rx_gso_read(&ring->gso, ring->fd, ring->frame_max, &whole);

	if (octets > 0)
		count_bad(ring, whole, octets);
}

// Drops the copy of a frame that is too long and no GSO packet. Its beginning is in the ring.
static void drop_copy(struct drb_rx_ring *ring)
{
	bool whole;

	drb_rx_gso_read(&ring->gso, ring->fd, ring->frame_max, &whole);
}

// Begins to cut a GSO packet. True if its segments are too long: m then becomes its beginning.
static bool take_gso(struct drb_rx_ring *ring, const struct tpacket2_hdr *f, struct rte_mbuf *m)
{
	const struct drb_rx_gso *gso = &ring->gso;

	ring->gso.too_long = false;
	if (f->tp_status & TP_STATUS_COPY)
		begin_copied(ring);
	else
		begin_in_ring(ring, f);
	if (!gso->too_long)
		return false;
	m->pkt_len = drb_rx_shortened(gso->gso.length, ring->frame_max);
	m->data_len = (uint16_t)m->pkt_len;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), gso->octets + gso->start, m->pkt_len);
	return true;
}

// Takes the next frame if it is a GSO packet, which is then cut, or if it is too long for the ring.
// If the frame or its segments are too long to be forwarded, yields the beginning of the frame,
// which is too long as well. False if it took no frame.
static bool take_long(struct drb_rx_ring *ring, struct rte_mempool *pool, struct rte_mbuf **packets,
		      uint32_t *count)
{
	const struct tpacket2_hdr *f = frame_at(ring, ring->next);
	uint32_t status = __atomic_load_n(&f->tp_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	bool is_gso = drb_rx_cut(f).gso_type != VIRTIO_NET_HDR_GSO_NONE;
	if (!is_gso && !(status & TP_STATUS_COPY))
		return false; // receive_plain() takes it
	if (rte_pktmbuf_alloc_bulk(pool, packets, 1) != 0)
		return false;
	if (!is_gso) {
		drb_rx_copy(f, ring->frame_max, packets[0]);
		drop_copy(ring);
		++*count;
	} else if (take_gso(ring, f, packets[0])) {
		++*count;
	} else {
		rte_pktmbuf_free(packets[0]);
	}
	free_frame(ring);
	return true;
}

uint32_t drb_rx_ring_receive(struct drb_rx_ring *ring, struct rte_mempool *pool,
			     struct rte_mbuf **packets, uint32_t count)
{
	struct drb_rx_gso *gso = &ring->gso;
	uint32_t n = 0;

	do {
		if (unlikely(drb_rx_gso_is_open(gso)) && !drb_rx_gso_waits(gso, n, count))
			n += drb_rx_gso_cut(gso, pool, packets + n, count - n);
		if (unlikely(drb_rx_gso_is_open(gso)))
			break;
		n += receive_plain(ring, pool, packets + n, count - n);
	} while (n < count && take_long(ring, pool, packets + n, &n));
	if (ring->room)
		drb_rx_room_take(ring->room, ring->taken);
	return n;
}

struct drb_port_losses drb_rx_ring_losses(struct drb_rx_ring *ring)
{
	struct tpacket_stats since;
	socklen_t size = sizeof(since);

	// The kernel clears its counters when they are read. The kernel may drop frames that the
	// filter accepted, such as GSO packets of other protocols.
	if (getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &since, &size) == 0) {
		ring->lost.missed += since.tp_drops;
		ring->taken += since.tp_drops;
	}
	if (ring->room) {
		ring->lost.missed += drb_rx_room_lost(ring->room);
		drb_rx_room_take(ring->room, ring->taken);
	}
	return ring->lost;
}

bool drb_rx_ring_is_empty(const struct drb_rx_ring *ring)
{
	return !drb_rx_gso_is_open(&ring->gso) &&
	       !(__atomic_load_n(&frame_at(ring, ring->next)->tp_status, __ATOMIC_ACQUIRE) &
		 TP_STATUS_USER);
}
