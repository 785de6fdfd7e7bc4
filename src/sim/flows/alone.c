// SPDX-License-Identifier: BSD-3-Clause
// Times of a transfer that shares no link with another one.
#include <math.h>

#include "sim/flows/transfers.h"

uint64_t drb_transfer_answer(const struct drb_transfers_setup *s,
			     const struct drb_transfer *transfer)
{
	uint32_t k = drb_distance(&s->tree, transfer->source, transfer->dest);

	return (uint64_t)llround(2 * drb_pace_of_way(&s->pace, k) * s->ack_hop) +
	       drb_delay_of_way(&s->delay, k);
}

uint64_t drb_transfer_alone(const struct drb_transfers_setup *s,
			    const struct drb_transfer *transfer)
{
	uint32_t k = drb_distance(&s->tree, transfer->source, transfer->dest);

	return (transfer->size - 1) * (uint64_t)drb_pace_most(&s->pace, k) +
	       2 * (uint64_t)drb_pace_of_way(&s->pace, k) + drb_delay_of_way(&s->delay, k);
}
