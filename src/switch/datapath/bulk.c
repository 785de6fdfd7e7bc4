// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/bulk.h"

#include <sched.h>

void drb_bulk_init(struct drb_worker *w)
{
	w->bulk.watched = w->sched_batch && !w->poll && sched_getscheduler(0) == SCHED_OTHER;
}

// Where the kernel refuses, the worker stays as it is.
static void become(struct drb_bulk *b, bool batch)
{
	const struct sched_param none = {0};

	if (batch != b->batch &&
	    sched_setscheduler(0, batch ? SCHED_BATCH : SCHED_OTHER, &none) == 0)
		b->batch = batch;
}

static void end_span(struct drb_worker *w, uint64_t now_ns)
{
	struct drb_bulk *b = &w->bulk;
	const uint64_t span = now_ns - b->since_ns;
	uint64_t octets = 0, packets = 0;

	for (uint32_t i = 0; i < w->ports; i++) {
		octets += w->port[i].in_octets;
		packets += w->port[i].in_packets;
	}
	const uint64_t some = octets - b->octets, of = packets - b->packets;
	const bool bulk = some * 8000 >= span * DRB_BULK_MBPS && some >= of * DRB_BULK_OCTETS;
	if (b->batch)
		b->batch_ns += span;
	if (bulk)
		b->bulk_ns = now_ns;
	const bool late = b->late_ns && now_ns - b->late_ns < DRB_BULK_HOLD_NS;
	if (w->paced || late || now_ns - b->bulk_ns >= DRB_BULK_CALM_NS)
		become(b, false);
	else if (bulk)
		become(b, true);
	b->since_ns = now_ns;
	b->octets = octets;
	b->packets = packets;
}

void drb_bulk_look(struct drb_worker *w, uint64_t now_ns)
{
	if (w->bulk.watched && now_ns - w->bulk.since_ns >= DRB_BULK_SPAN_NS)
		end_span(w, now_ns);
}
