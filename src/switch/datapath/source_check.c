// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/source_check.h"

#include <rte_mbuf.h>

#include "switch/datapath/enqueue.h"

// Checks the source of a frame. DRB_SOURCE_OK also if its length or source MAC is wrong, which
// exceptions.c handles.
static enum drb_source fault_of(const struct drb_worker *w, uint32_t in, const struct rte_mbuf *m)
{
	const struct drb_worker_port *port = &w->port[in];
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	if (m->data_len < DRB_FRAME_MIN || drb_is_oversize(&w->class_tables, m) ||
	    !drb_classifier_source_ok(&port->classifier, frame))
		return DRB_SOURCE_OK;
	return drb_source_check(&port->source, frame, m->data_len);
}

// Drops a frame whose source is another host's, that is a hello, or that is malformed. False if it
// is none of these.
static bool frame_refuse(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	switch (fault_of(w, in, m)) {
	case DRB_SOURCE_OK:
		return false;
	case DRB_SOURCE_IP:
		drb_host_fault(w, in, DRB_HOST_FAULT_IP, frame, m->pkt_len);
		drb_drop(w, in, m, DRB_DROP_spoofed_ip);
		return true;
	case DRB_SOURCE_NEIGHBOUR:
		drb_host_fault(w, in, DRB_HOST_FAULT_NEIGHBOUR, frame, m->pkt_len);
		drb_drop(w, in, m, DRB_DROP_spoofed_neighbour);
		return true;
	case DRB_SOURCE_HELLO:
		drb_drop(w, in, m, DRB_DROP_hello_from_host);
		return true;
	case DRB_SOURCE_BAD:
		break;
	}
	drb_drop(w, in, m, DRB_DROP_bad_frame);
	return true;
}

uint32_t drb_source_check_exceptions(struct drb_worker *w, struct drb_burst *b,
				     struct rte_mbuf **plain, uint32_t *left)
{
	const struct drb_worker_port *port = &w->port[b->in];
	uint32_t found = 0;

	*left = 0;
	for (uint32_t i = 0; i < b->counters.exceptions; i++) {
		struct rte_mbuf *m = b->exception[i];
		if (frame_refuse(w, b->in, m))
			continue;
		if (!drb_is_oversize(&w->class_tables, m) &&
		    drb_classify(b->classifier, m) == DRB_CLASS_EXCEPTION &&
		    drb_classify(&port->checked, m) != DRB_CLASS_EXCEPTION)
			plain[found++] = m;
		else
			b->exception[(*left)++] = m;
	}
	return found;
}
