// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/transmit.h"

#include <errno.h>

#include <rte_mbuf.h>

#include "switch/datapath/capture.h"
#include "switch/ports/interface.h"

// Time until a packet that the driver refused is offered again.
#define RETRY_NS 50000
#define REVIEW_NS 1000000000

int drb_transmit_attach(struct drb_worker *w, uint32_t i)
{
	const struct drb_port_queue *q = w->port[i].queue;

	if (!q->review)
		return 0;
	if (w->egress.changes_fd < 0)
		w->egress.changes_fd = drb_interfaces_watch();
	w->egress.review_ns = 0;
	return w->egress.changes_fd < 0 ? -errno : 0;
}

void drb_transmit_review(struct drb_worker *w)
{
	w->egress.review_ns = w->egress.now_ns + REVIEW_NS;
	if (!drb_interfaces_changed(w->egress.changes_fd))
		return;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		struct drb_port_queue *q = w->port[i].queue;
		if (q && q->review)
			q->review(q);
	}
}

// Frees the packets on the delayed link of port i; returns how many. Their bytes were counted as
// sent when they left the queue, so that is undone.
static uint32_t free_line(struct drb_worker *w, uint32_t i)
{
	struct drb_delay_line *line = &w->egress.line[i];
	uint32_t length = drb_delay_line_length(line);

	for (; line->head < line->tail; line->head++) {
		struct rte_mbuf *m = line->packet[line->head & line->mask];
		w->port[i].out_octets -= m->pkt_len;
		rte_pktmbuf_free(m);
	}
	return length;
}

uint32_t drb_transmit_free(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress.queue[i];
	uint32_t length = drb_egress_length(q);

	for (uint32_t n = 0; n < length; n++)
		rte_pktmbuf_free(q->packet[drb_egress_ring_index(q, n)]);
	drb_egress_clear(q, w->egress.now_ns);
	return length + free_line(w, i);
}

static uint64_t packets_octets(void **packets, uint32_t count)
{
	uint64_t octets = 0;

	for (uint32_t i = 0; i < count; i++)
		octets += ((const struct rte_mbuf *)packets[i])->pkt_len;
	return octets;
}

// The same as send_by(), with copies for the reader of a capture.
static __attribute__((noinline)) uint32_t send_captured(struct drb_worker *w, uint32_t i,
							struct rte_mbuf **packets, uint32_t count,
							struct drb_send_result *result)
{
	struct drb_capture_batch batch;

	drb_capture_begin_send(w, i, packets, count, &batch);
	uint32_t sent = drb_port_send(w->port[i].queue, packets, count, result);
	drb_capture_end_send(w, &batch, sent);
	return sent;
}

// Frees packets to a port that is off, as if its cable were cut.
static __attribute__((noinline)) uint32_t lose(struct drb_worker *w, uint32_t i,
					       struct rte_mbuf **packets, uint32_t count,
					       struct drb_send_result *result)
{
	*result = (struct drb_send_result){.lost = count};
	for (uint32_t n = 0; n < count; n++) {
		result->lost_octets += packets[n]->pkt_len;
		if (w->capture)
			drb_capture_dropped(w, i, packets[n], DRB_CAPTURE_DROP_OUT,
					    DRB_DROP_port_down);
		rte_pktmbuf_free(packets[n]);
	}
	return count;
}

static inline bool is_off(const struct drb_worker *w, uint32_t i)
{
	return w->links.off >> i & 1;
}

static inline __attribute__((always_inline)) uint32_t send_by(struct drb_worker *w, uint32_t i,
							      struct rte_mbuf **packets,
							      uint32_t count,
							      struct drb_send_result *result)
{
	struct drb_port_queue *q = w->port[i].queue;

	if (unlikely(is_off(w, i)))
		return lose(w, i, packets, count, result);
	w->egress.unflushed |= (uint64_t)q->flushed << i;
	if (unlikely(w->capture))
		return send_captured(w, i, packets, count, result);
	return drb_port_send(q, packets, count, result);
}

uint32_t drb_transmit_now(struct drb_worker *w, uint32_t i, struct rte_mbuf **packets,
			  uint32_t count, struct drb_send_result *result)
{
	if (!drb_port_is_without_peer(w->port[i].queue))
		return send_by(w, i, packets, count, result);
	*result = (struct drb_send_result){0};
	return 0;
}

void drb_transmit_flush(struct drb_worker *w)
{
	for (; w->egress.unflushed; w->egress.unflushed &= w->egress.unflushed - 1) {
		struct drb_port_queue *q = w->port[__builtin_ctzll(w->egress.unflushed)].queue;
		q->kind->flush(q);
	}
}

static void count_lost(struct drb_worker *w, uint32_t i, uint32_t packets, enum drb_drop reason)
{
	w->port[i].lost += packets;
	w->drop[reason] += packets;
}

// Drops the packets queued at port i, whose peer is gone: they would be stale when another peer
// comes.
static void abandon(struct drb_worker *w, uint32_t i)
{
	const struct drb_egress *q = &w->egress.queue[i];

	for (uint32_t n = 0; unlikely(w->capture) && n < drb_egress_length(q); n++)
		drb_capture_dropped(w, i, q->packet[drb_egress_ring_index(q, n)],
				    DRB_CAPTURE_DROP_OUT, DRB_DROP_port_down);
	uint32_t length = drb_transmit_free(w, i);
	count_lost(w, i, length, DRB_DROP_port_down);
	w->egress.occupancy[i] = 0;
	w->egress.queued -= length;
}

// Counts the results of a send, and how many packets were refused.
static inline void account(struct drb_worker *w, uint32_t i, uint32_t refused,
			   const struct drb_send_result *result)
{
	w->counters.gso_packets += result->gso_packets;
	if (unlikely(result->lost > 0))
		count_lost(w, i, result->lost,
			   is_off(w, i) ? DRB_DROP_port_down : DRB_DROP_not_sent);
	w->port[i].tx_refused += refused;
}

// Puts the first `due` packets of port i's queue on its delayed link. Returns how many fit.
static __attribute__((noinline)) uint32_t put_on_link(struct drb_worker *w, uint32_t i,
						      uint32_t due, struct drb_send_result *result)
{
	uint32_t put =
		drb_delay_line_put(&w->egress.line[i], &w->egress.queue[i], due, w->egress.now_ns);

	*result = (struct drb_send_result){0};
	w->egress.queued += put;
	return put;
}

static inline bool is_delayed(const struct drb_worker *w, uint32_t i)
{
	return unlikely(w->egress.delayed >> i & 1);
}

// Hands the first `due` packets of port i's queue to its driver, or puts them on its delayed link.
// octets: bytes of these packets, added up before: the driver owns packets once they are sent. True
// if some were refused.
static inline __attribute__((always_inline)) bool hand_over(struct drb_worker *w, uint32_t i,
							    void **front, uint32_t due,
							    uint64_t octets)
{
	struct drb_worker_port *port = &w->port[i];
	struct drb_send_result result;
	uint32_t sent = is_delayed(w, i) ? put_on_link(w, i, due, &result)
					 : send_by(w, i, (struct rte_mbuf **)front, due, &result);

	if (unlikely(sent < due))
		octets -= packets_octets(front + sent, due - sent);
	drb_egress_pop(&w->egress.queue[i], sent, octets, w->egress.now_ns);
	port->out_octets += octets - result.lost_octets;
	w->egress.occupancy[i] -= sent;
	w->egress.queued -= sent;
	account(w, i, due - sent, &result);
	return sent < due;
}

// Hands packets that may leave now to port i's driver. True if the driver refused some.
static bool transmit(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress.queue[i];
	uint32_t due;

	if (unlikely(drb_port_is_without_peer(w->port[i].queue))) {
		abandon(w, i);
		return false;
	}
	while (w->egress.occupancy[i] > 0 &&
	       (due = drb_egress_due(q, w->egress.now_ns, w->egress.tx_burst)) > 0) {
		void **front = drb_egress_front(q, &due);
		uint64_t octets = due == w->egress.occupancy[i] ? q->octets
				  : q->paced                    ? drb_egress_octets(q, due)
								: packets_octets(front, due);
		if (unlikely(hand_over(w, i, front, due, octets)))
			return true;
	}
	return false;
}

// The same if the whole queue leaves in one call, as it mostly does without a rate.
static inline bool transmit_whole(struct drb_worker *w, uint32_t i)
{
	struct drb_egress *q = &w->egress.queue[i];

	q->max = drb_egress_max(q);
	return hand_over(w, i, q->packet, w->egress.occupancy[i], q->octets);
}

static inline bool is_whole(const struct drb_worker *w, uint32_t i)
{
	return drb_egress_is_whole(&w->egress.queue[i]) &&
	       w->egress.occupancy[i] <= w->egress.tx_burst &&
	       !drb_port_is_without_peer(w->port[i].queue);
}

// Hands packets whose delay on the link is over to port i's driver. Returns when the next are due.
static uint64_t come_off_link(struct drb_worker *w, uint32_t i)
{
	struct drb_delay_line *line = &w->egress.line[i];
	struct drb_send_result result;
	uint32_t due;

	if (drb_delay_line_length(line) > 0 && drb_port_is_without_peer(w->port[i].queue))
		abandon(w, i);
	for (;;) {
		due = w->egress.tx_burst;
		void **front = drb_delay_line_due(line, w->egress.now_ns, &due);
		if (due == 0)
			return drb_delay_line_next_ns(line);
		uint32_t sent = send_by(w, i, (struct rte_mbuf **)front, due, &result);
		drb_delay_line_pop(line, sent);
		w->egress.queued -= sent;
		w->port[i].out_octets -= result.lost_octets;
		account(w, i, due - sent, &result);
		if (sent < due)
			return w->egress.now_ns + RETRY_NS;
	}
}

void drb_transmit(struct drb_worker *w, uint64_t *next_ns)
{
	*next_ns = UINT64_MAX;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		if (w->egress.occupancy[i] == 0)
			continue;
		bool refused = likely(is_whole(w, i)) ? transmit_whole(w, i) : transmit(w, i);
		if (likely(w->egress.occupancy[i] == 0))
			continue;
		uint64_t next = drb_egress_next_ns(&w->egress.queue[i]);
		if (refused && next < w->egress.now_ns + RETRY_NS)
			next = w->egress.now_ns + RETRY_NS;
		*next_ns = next < *next_ns ? next : *next_ns;
	}
	for (uint64_t left = w->egress.delayed; unlikely(left); left &= left - 1) {
		uint64_t next = come_off_link(w, (uint32_t)__builtin_ctzll(left));
		*next_ns = next < *next_ns ? next : *next_ns;
	}
}
