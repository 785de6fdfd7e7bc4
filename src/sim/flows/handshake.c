// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/handshake.h"

#define PARTS DRB_SMALL_PARTS

int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_transfer *f = &t->transfer[transfer];
	const struct drb_small syn = {.transfer = transfer,
				      .kind = DRB_SMALL_SYN,
				      .time = f->start * PARTS,
				      .sent = f->start * PARTS};

	f->connected = f->start;
	if (!t->setup.handshake)
		return 0;
	f->connected = UINT64_MAX;
	t->syns.sent++;
	return drb_small_send(t, &syn);
}

void drb_handshake_again(struct drb_transfers *t, struct drb_small *s)
{
	uint64_t again = s->sent + t->setup.timeout * PARTS;

	t->syns.lost++;
	t->syns.sent++;
	s->time = s->sent = again > s->time ? again : s->time;
	drb_small_turn(t, s, DRB_SMALL_SYN);
}

// From the next slot on, for in this one hosts have sent.
void drb_handshake_end(struct drb_transfers *t, const struct drb_small *s)
{
	uint64_t slot = (s->time + PARTS - 1) / PARTS, next = (uint64_t)t->sim->slot + 1;

	t->transfer[s->transfer].connected = slot > next ? slot : next;
	t->syns.answered++;
}
