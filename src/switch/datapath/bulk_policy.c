// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/bulk_policy.h"

#include <sched.h>

void drb_bulk_policy_init(struct drb_worker *w)
{
	w->idle.bulk.may_wait = sched_getscheduler(0) == SCHED_OTHER;
}

void drb_bulk_policy_update(struct drb_worker *w)
{
	const uint64_t span_ns = w->egress.now_ns - w->idle.bulk.since_ns;
	uint64_t octets = 0;

	if (!w->idle.bulk.may_wait || span_ns < DRB_BULK_SPAN_NS)
		return;
	for (uint32_t i = 0; i < w->egress.ports; i++)
		octets += w->port[i].in_octets;
	if (octets - w->idle.bulk.octets >= span_ns / DRB_BULK_SPAN_NS * DRB_BULK_OCTETS)
		w->idle.bulk.bulk_ns = w->egress.now_ns;
	w->idle.bulk.since_ns = w->egress.now_ns;
	w->idle.bulk.octets = octets;
	const bool waits =
		!w->egress.paced && w->egress.now_ns - w->idle.bulk.bulk_ns < DRB_BULK_CALM_NS;
	if (waits != w->idle.bulk.waits &&
	    sched_setscheduler(0, waits ? SCHED_BATCH : SCHED_OTHER, &(struct sched_param){0}) == 0)
		w->idle.bulk.waits = waits;
}
