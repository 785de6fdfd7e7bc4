// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/transmit.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "switch/ports/packet_socket/veth_offload.h"

// How soon to offer a packet again that the driver refused.
#define RETRY_NS 50000
#define REVIEW_NS 1000000000
// The kernel sends at most 32 packets of an af_xdp socket per call; a longer burst would spin
// inside the driver.
#define AF_XDP_BURST 32

void drb_transmit_by(struct drb_worker *w, uint32_t i, const struct drb_tx_socket *out,
		     enum drb_driver driver)
{
	w->port[i].out = *out;
	if (driver == DRB_DRIVER_AF_XDP && out->fd < 0 && w->tx_burst > AF_XDP_BURST)
		w->tx_burst = AF_XDP_BURST;
	if (!out->headed)
		return;
	if (w->changes_fd < 0)
		w->changes_fd = drb_veth_watch();
	if (w->changes_fd >= 0)
		w->review_ns = 0;
	else
		w->port[i].out.run_frame = 0;
}

void drb_transmit_review(struct drb_worker *w)
{
	w->review_ns = w->now_ns + REVIEW_NS;
	if (!drb_veth_may_have_changed(w->changes_fd))
		return;
	for (uint32_t i = 0; i < w->ports; i++)
		drb_tx_socket_review(&w->port[i].out);
}

uint32_t drb_transmit_free(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress[i];
	uint32_t length = drb_egress_length(q);

	for (uint32_t n = 0; n < length; n++)
		rte_pktmbuf_free(q->packet[drb_egress_ring_index(q, n)]);
	drb_egress_clear(q, w->now_ns);
	return length;
}

static uint64_t octets_of(void **packets, uint32_t count)
{
	uint64_t octets = 0;

	for (uint32_t i = 0; i < count; i++)
		octets += ((const struct rte_mbuf *)packets[i])->pkt_len;
	return octets;
}

static inline __attribute__((always_inline)) uint32_t send_by(struct drb_worker *w, uint32_t i,
							      struct rte_mbuf **packets,
							      uint32_t count,
							      struct drb_send_result *result)
{
	struct drb_worker_port *port = &w->port[i];

	if (port->out.fd >= 0)
		return drb_tx_socket_send(&port->out, packets, count, result);
	*result = (struct drb_send_result){0};
	if (drb_port_is_without_peer(port))
		return 0; // nor may the driver be asked: its device may be stopped
	if (port->memif) {
		drb_doorbell_hold(&port->memif->tx[port->tx_queue]);
		w->sent_memif |= UINT32_C(1) << i;
	}
	return rte_eth_tx_burst(port->dpdk, port->tx_queue, packets, (uint16_t)count);
}

uint32_t drb_transmit_now(struct drb_worker *w, uint32_t i, struct rte_mbuf **packets,
			  uint32_t count, struct drb_send_result *result)
{
	return send_by(w, i, packets, count, result);
}

void drb_transmit_ring(struct drb_worker *w)
{
	for (; w->sent_memif; w->sent_memif &= w->sent_memif - 1) {
		const struct drb_worker_port *port = &w->port[__builtin_ctz(w->sent_memif)];
		drb_doorbell_ring(&port->memif->tx[port->tx_queue]);
	}
}

static void count_lost(struct drb_worker *w, uint32_t i, uint32_t packets, enum drb_drop reason)
{
	w->port[i].lost += packets;
	w->drop[reason] += packets;
}

// Drops what is queued at port i, whose peer is gone: it would be old when another one comes.
static void abandon(struct drb_worker *w, uint32_t i)
{
	uint32_t length = drb_transmit_free(w, i);

	count_lost(w, i, length, DRB_DROP_port_down);
	w->occupancy[i] = 0;
	w->queued -= length;
}

// Hands port i's driver the first due packets of its queue. octets: of them; a sent packet is the
// driver's, so that they are looked at before. True if the driver refused some.
static inline __attribute__((always_inline)) bool hand_over(struct drb_worker *w, uint32_t i,
							    void **front, uint32_t due,
							    uint64_t octets)
{
	struct drb_worker_port *port = &w->port[i];
	struct drb_send_result result;
	uint32_t sent = send_by(w, i, (struct rte_mbuf **)front, due, &result);

	if (unlikely(sent < due))
		octets -= octets_of(front + sent, due - sent);
	drb_egress_pop(&w->egress[i], sent, octets, w->now_ns);
	port->out_octets += octets - result.lost_octets;
	w->counters.run_packets += result.run_packets;
	if (unlikely(result.lost > 0))
		count_lost(w, i, result.lost, DRB_DROP_not_sent);
	w->occupancy[i] -= sent;
	w->queued -= sent;
	port->tx_refused += due - sent;
	return sent < due;
}

// Hands port i's driver what may leave now. True if the driver refused some of it.
static bool transmit(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress[i];
	uint32_t due;

	if (unlikely(drb_port_is_without_peer(&w->port[i]))) {
		abandon(w, i);
		return false;
	}
	while (w->occupancy[i] > 0 && (due = drb_egress_due(q, w->now_ns, w->tx_burst)) > 0) {
		void **front = drb_egress_front(q, &due);
		uint64_t octets = due == w->occupancy[i] ? q->octets
				  : q->paced             ? drb_egress_octets(q, due)
							 : octets_of(front, due);
		if (unlikely(hand_over(w, i, front, due, octets)))
			return true;
	}
	return false;
}

// The same when it is all that is queued and goes in one call, as mostly without a rate.
static inline bool transmit_whole(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress[i];

	q->max = drb_egress_max(q);
	return hand_over(w, i, q->packet, w->occupancy[i], q->octets);
}

static inline bool is_whole(const struct drb_worker *w, uint32_t i)
{
	return drb_egress_is_whole(&w->egress[i]) && w->occupancy[i] <= w->tx_burst &&
	       !drb_port_is_without_peer(&w->port[i]);
}

void drb_transmit(struct drb_worker *w, uint64_t *next_ns)
{
	*next_ns = UINT64_MAX;
	for (uint32_t i = 0; i < w->ports; i++) {
		if (w->occupancy[i] == 0)
			continue;
		bool refused = likely(is_whole(w, i)) ? transmit_whole(w, i) : transmit(w, i);
		if (likely(w->occupancy[i] == 0))
			continue;
		uint64_t next = drb_egress_next_ns(&w->egress[i]);
		if (refused && next < w->now_ns + RETRY_NS)
			next = w->now_ns + RETRY_NS;
		*next_ns = next < *next_ns ? next : *next_ns;
	}
}
