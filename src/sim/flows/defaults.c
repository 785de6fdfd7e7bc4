// SPDX-License-Identifier: BSD-3-Clause
// The defaults of sources, for settings that the setup leaves open.
#include <math.h>

#include "sim/flows/transfers.h"

#define MARK 20
#define TIMEOUT 1000
#define ENTROPIES (UINT32_C(1) << 16)

void drb_transfers_set_defaults(struct drb_transfers_setup *s)
{
	const bool uec = s->source == DRB_SIM_UEC;
	const uint32_t pace = drb_pace_of(&s->pace, 1);

	if (pace > 1 && s->units.nic == 0) {
		const struct drb_uec_units u = drb_uec_units(&s->units);
		s->units.nic = drb_uec_slot_ns(u.payload, 1) / (u.slot_ns * pace);
	}
	const struct drb_uec c = drb_uec_constants(&s->units, &s->tree, &s->delay);

	s->trim |= uec;
	if (s->queue == 0)
		s->queue = uec ? c.queue : UINT32_MAX;
	if (s->mark == 0) {
		s->mark = uec ? c.mark : MARK;
		s->mark_most = uec ? c.mark_most : MARK;
	}
	s->mark_most = s->mark_most > s->mark ? s->mark_most : s->mark;
	if (s->timeout == 0)
		s->timeout = uec ? c.timeout : TIMEOUT;
	if (isnan(s->ack_hop))
		s->ack_hop = uec ? c.ack_hop : 1;
	if (s->entropies == 0)
		s->entropies = uec ? DRB_UEC_ENTROPIES : ENTROPIES;
}
