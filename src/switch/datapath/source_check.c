// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/source_check.h"

#include <rte_mbuf.h>

#include "switch/datapath/enqueue.h"

// What is wrong with a frame, if that is not for exceptions.c to find: its length or its source MAC.
static enum drb_source fault_of(const struct drb_worker_port *port, const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	if (m->data_len < DRB_FRAME_MIN || m->data_len > DRB_FRAME_MAX ||
	    !drb_classifier_source_ok(&port->classifier, frame))
		return DRB_SOURCE_OK;
	return drb_source_check(&port->source, frame, m->data_len);
}

// Drops a frame that is not in order. False if it is.
static __attribute__((noinline)) bool refuse(struct drb_worker *w, struct drb_burst *b,
					     struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	enum drb_source fault = fault_of(&w->port[b->in], m);

	if (fault == DRB_SOURCE_OK)
		return false;
	b->counters.octets += m->pkt_len;
	if (fault == DRB_SOURCE_BAD) {
		drb_drop(w, b->in, m, DRB_DROP_bad_frame);
	} else if (fault == DRB_SOURCE_IP) {
		drb_host_fault(w, b->in, DRB_HOST_FAULT_IP, frame, m->pkt_len);
		drb_drop(w, b->in, m, DRB_DROP_spoofed_ip);
	} else {
		drb_host_fault(w, b->in, DRB_HOST_FAULT_NEIGHBOUR, frame, m->pkt_len);
		drb_drop(w, b->in, m, DRB_DROP_spoofed_neighbour);
	}
	return true;
}

// True if all are untagged IPv4 packets from the host's address, or all that matters of them is the MAC.
static inline bool all_plain(const struct drb_source_rule *rule, const struct drb_burst *b)
{
	const struct drb_source_rule r = *rule;
	uint32_t differs = 0, short_of = 0;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < b->count; i++) {
		const struct rte_mbuf *m = b->packets[i];
		// A buffer's room is far above these octets, however short the frame.
		differs |= drb_source_differs(&r, rte_pktmbuf_mtod(m, const uint8_t *));
		short_of |= m->data_len - (uint32_t)(DRB_ETHER_HEADER + DRB_IPV4_HEADER);
	}
	return differs == 0 && short_of <= INT32_MAX;
}

void drb_source_check_burst(struct drb_worker *w, struct drb_burst *b)
{
	uint32_t left = 0;

	if (likely(all_plain(&w->port[b->in].source, b)))
		return;
	for (uint32_t i = 0; i < b->count; i++) {
		struct rte_mbuf *m = b->packets[i];
		if (!refuse(w, b, m))
			b->packets[left++] = m;
	}
	b->count = left;
}
