// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/exceptions.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "common/cli/clock.h"
#include "core/packet/bytes.h"
#include "core/packet/packet_too_big.h"
#include "core/packet/wire.h"

#include "switch/datapath/arp_nd_proxy.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/hellos.h"
#include "switch/datapath/detour_packets.h"

// Drops a frame, and reports the fault if a host has sent it.
static void drop_fault(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, enum drb_drop reason,
		       enum drb_host_fault fault)
{
	if (w->port[in].host != DRB_NO_LABEL)
		drb_host_fault(w, in, fault, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
	drb_drop(w, in, m, reason);
}

// Answers cost more time than other packets, and other hosts lose that time. A host therefore gets
// at most ANSWERS_MAX answers at once, and one more each ANSWER_NS. answer_ns is a virtual clock:
// the time at which the host earned the last answer that it has used.
#define ANSWER_NS UINT64_C(100000)
#define ANSWERS_MAX 2048

static bool may_answer(struct drb_worker *w, uint32_t in)
{
	const uint64_t now = drb_clock_now(), oldest = now - ANSWERS_MAX * ANSWER_NS;

	if (w->receive.answer_ns[in] < oldest)
		w->receive.answer_ns[in] = oldest;
	if (w->receive.answer_ns[in] + ANSWER_NS > now)
		return false;
	w->receive.answer_ns[in] += ANSWER_NS;
	return true;
}

// True if a host's frame may ask for a neighbour: any ARP or ICMPv6, well-formed or not.
static bool is_question(const uint8_t *frame, uint32_t len)
{
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);

	return type == DRB_ETHERTYPE_ARP ||
	       (type == DRB_ETHERTYPE_IPV6 && len > DRB_ETHER_HEADER + DRB_IPV6_HEADER &&
		frame[DRB_ETHER_HEADER + DRB_IPV6_NEXT] == DRB_PROTOCOL_ICMPV6);
}

// Answers a host's request for a neighbour; drops any other broadcast or multicast frame.
static void answer(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	enum drb_neighbour what = DRB_NEIGHBOUR_OTHER;
	uint32_t len = m->data_len;

	if (w->port[in].host != DRB_NO_LABEL && is_question(rte_pktmbuf_mtod(m, uint8_t *), len) &&
	    !may_answer(w, in)) {
		drb_drop(w, in, m, DRB_DROP_too_many_questions);
		return;
	}
	if (w->port[in].host != DRB_NO_LABEL && m->nb_segs == 1)
		what = drb_neighbour_answer(&w->addr, w->port[in].host,
					    rte_pktmbuf_mtod(m, uint8_t *), &len,
					    len + rte_pktmbuf_tailroom(m));
	switch (what) {
	case DRB_NEIGHBOUR_ARP:
	case DRB_NEIGHBOUR_ND:
		m->data_len = (uint16_t)len;
		m->pkt_len = len;
		w->decide.routing.arp_replies += what == DRB_NEIGHBOUR_ARP;
		w->decide.routing.nd_replies += what == DRB_NEIGHBOUR_ND;
		drb_enqueue(w, in, m);
		break;
	case DRB_NEIGHBOUR_OTHER:
		drb_drop(w, in, m, DRB_DROP_multicast);
		break;
	case DRB_NEIGHBOUR_UNKNOWN:
		if (drb_load16(rte_pktmbuf_mtod(m, uint8_t *) + DRB_ETHER_TYPE) ==
		    DRB_ETHERTYPE_ARP)
			drop_fault(w, in, m, DRB_DROP_unknown_neighbour, DRB_HOST_FAULT_ADDRESS);
		else // a host may ask about its own link-local addresses
			drb_drop(w, in, m, DRB_DROP_unknown_neighbour);
		break;
	case DRB_NEIGHBOUR_SPOOFED:
		drb_drop(w, in, m, DRB_DROP_spoofed_source);
		break;
	case DRB_NEIGHBOUR_BAD:
		drb_drop(w, in, m, DRB_DROP_bad_frame);
		break;
	}
}

// Tells a host the fabric's MTU, in reply to a packet that exceeds it (ICMP packet too big).
static void tell_mtu(struct drb_worker *w, uint32_t in, const struct rte_mbuf *m)
{
	struct rte_mbuf *reply = may_answer(w, in) ? rte_pktmbuf_alloc(m->pool) : NULL;

	if (!reply)
		return;
	uint32_t len = drb_packet_too_big(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, w->mtu,
					  rte_pktmbuf_mtod(reply, uint8_t *));
	if (len == 0) {
		rte_pktmbuf_free(reply);
		return;
	}
	reply->data_len = (uint16_t)len;
	reply->pkt_len = len;
	w->decide.routing.too_big_replies++;
	drb_enqueue(w, in, reply);
}

static void drop_oversize(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	const struct drb_worker_port *port = &w->port[in];

	if (port->host != DRB_NO_LABEL &&
	    drb_classifier_source_ok(&port->classifier, rte_pktmbuf_mtod(m, const uint8_t *)))
		tell_mtu(w, in, m);
	drop_fault(w, in, m, DRB_DROP_oversize, DRB_HOST_FAULT_LENGTH);
}

static void hello(struct drb_worker *w, struct drb_burst *b, struct rte_mbuf *m)
{
	uint32_t octets = m->pkt_len;

	if (w->port[b->in].host != DRB_NO_LABEL) {
		drb_drop(w, b->in, m, DRB_DROP_hello_from_host);
	} else if (!drb_hellos_receive(w, b->in, m)) {
		drb_drop(w, b->in, m, DRB_DROP_bad_hello);
	} else {
		b->counters.packets--;
		b->counters.octets -= octets;
	}
}

// Delivers a packet from above to a host of this switch. The packet has the mark of a scheme that
// this switch no longer uses, or does not use yet. The switches of a fabric change their scheme one
// after the other.
static void arrive(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint32_t host)
{
	uint32_t out = drb_hop_digit(&w->hop, host);

	if (w->links.dead >> out & 1) {
		drb_detour_packet(w, in, m, 0);
	} else {
		w->decide.routing.down++;
		drb_enqueue(w, out, m);
	}
}

static void exception(struct drb_worker *w, struct drb_burst *b, struct rte_mbuf *m)
{
	const uint32_t in = b->in;
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t host = drb_addr_of_mac(&w->addr, frame);
	uint8_t mark = drb_addr_mark(&w->addr, frame);
	bool to_hosts = in >= w->egress.down_ports && w->links.node.layer == 1;

	// A hello's source may look like that of a host with a mark.
	if (to_hosts && m->data_len >= DRB_FRAME_MIN && !drb_hello_is(frame) &&
	    drb_addr_mark(&w->addr, frame + 6))
		frame[DRB_MARK_AT] = w->addr.mac[1];
	if (drb_is_oversize(&w->class_tables, m))
		drop_oversize(w, in, m);
	else if (m->data_len < DRB_FRAME_MIN)
		drb_drop(w, in, m, DRB_DROP_bad_frame);
	else if (drb_hello_is(frame))
		hello(w, b, m);
	else if (!drb_classifier_source_ok(&w->port[in].classifier, frame))
		drop_fault(w, in, m, DRB_DROP_spoofed_source, DRB_HOST_FAULT_SOURCE);
	else if (mark && w->port[in].host != DRB_NO_LABEL)
		drb_drop(w, in, m, DRB_DROP_spoofed_mark);
	else if (mark)
		drb_detour_packet(w, in, m, mark);
	else if (host == DRB_NO_LABEL && (frame[0] & 1))
		answer(w, in, m);
	else if (host == DRB_NO_LABEL)
		drb_drop(w, in, m, DRB_DROP_unknown_destination);
	else if (to_hosts && drb_hop_below(&w->hop, host))
		arrive(w, in, m, host);
	else if (drb_hop_below(&w->hop, host))
		drb_drop(w, in, m, DRB_DROP_same_port);
	else
		drb_drop(w, in, m, DRB_DROP_not_below);
}

void drb_exceptions(struct drb_worker *w, struct drb_burst *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		exception(w, b, b->exception[i]);
}
