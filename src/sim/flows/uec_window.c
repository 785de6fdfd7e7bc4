// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/uec_window.h"

#include "sim/flows/transfers.h"

void drb_uec_open(const struct drb_transfers *t, struct drb_window *w)
{
	w->uec.nscc = drb_nscc_new(&t->uec);
	w->size = w->uec.nscc.window;
	w->span = DRB_UEC_SPAN;
	w->bdp = DRB_REPS_EXPLORES;
}

void drb_uec_time_out(struct drb_window *w)
{
	drb_nscc_timed_out(&w->uec.nscc);
	w->size = w->uec.nscc.window;
}

void drb_uec_answer(struct drb_transfers *t, const struct drb_flying *packet, uint64_t slot)
{
	const struct drb_transfer *f = &t->transfer[packet->transfer];
	const uint32_t k = drb_distance(&t->setup.tree, f->source, f->dest);
	const double links = 2 * drb_pace_of_way(&t->setup.pace, k) * drb_transfers_ack_hop(t);
	struct drb_flying ack = *packet;
	uint64_t at = slot + drb_delay_of_way(&t->setup.delay, k) + (uint64_t)(links + 0.5);

	if (!packet->trimmed)
		ack.number = f->window->uec.came;
	drb_window_hear(t, &ack, at > drb_transfers_slot(t) ? at : drb_transfers_slot(t) + 1);
}

// Moves past the packets that have come. True: an acknowledgement is due, because no gap is left
// before the packet that asked for one.
static bool close_gap(struct drb_window *w)
{
	struct drb_uec_window *u = &w->uec;

	while (u->expected < w->next && drb_window_packet(w, u->expected)->came)
		u->expected++;
	const bool due = u->asked && u->expected == u->came;
	u->asked = u->asked && !due;
	return due;
}

bool drb_uec_receive(struct drb_transfers *t, const struct drb_flying *packet)
{
	struct drb_window *w = t->transfer[packet->transfer].window;

	if (!w)
		return false;
	struct drb_uec_window *u = &w->uec;
	const uint32_t sequence = packet->sequence;
	const bool again = sequence < u->expected || drb_window_packet(w, sequence)->came;
	bool due = packet->marked || packet->ask || u->came == 0 || again;
	u->since_answer++;
	if (!again) {
		drb_window_packet(w, sequence)->came = true;
		drb_window_packet(w, u->came++)->number = sequence;
		u->asked |= packet->ask;
		due |= sequence == u->expected && close_gap(w);
	}
	if (due || u->since_answer >= t->uec.ack_every) {
		u->since_answer = 0;
		drb_uec_answer(t, packet, drb_transfers_slot(t) + 1);
	}
	return !again;
}

// Slots since the answered packet was sent. Negative: the answered transmission is unknown, or the
// packet was acknowledged before.
static double round_trip_of(const struct drb_transfers *t, struct drb_window *w,
			    const struct drb_flying *ack)
{
	if (ack->sequence < w->first)
		return -1;
	const struct drb_window_packet *p = drb_window_packet(w, ack->sequence);
	if (p->outcome != DRB_UNDER_WAY || p->overtaken > 1 || ack->again != (p->overtaken == 1))
		return -1;
	return ((uint32_t)drb_transfers_slot(t) - p->slot) & DRB_WINDOW_SLOTS;
}

// Acknowledges the packets that had come when an acknowledgement was sent.
static void take_in(struct drb_window *w, uint32_t came)
{
	for (; w->uec.heard < came; w->uec.heard++) {
		struct drb_window_packet *p =
			drb_window_packet(w, drb_window_packet(w, w->uec.heard)->number);
		*(p->outcome == DRB_LOST ? &w->lost : &w->under_way) -= 1;
		p->outcome = DRB_ACKNOWLEDGED;
	}
	while (w->first < w->next && drb_window_packet(w, w->first)->outcome == DRB_ACKNOWLEDGED)
		w->first++;
}

static void reject(struct drb_transfers *t, struct drb_window *w, const struct drb_flying *nack,
		   const struct drb_nscc_ack *news)
{
	struct drb_window_packet *p = drb_window_packet(w, nack->sequence);

	if (nack->sequence < w->first || p->outcome != DRB_UNDER_WAY)
		return;
	drb_nscc_trimmed(&w->uec.nscc, &t->uec, news);
	drb_window_lose(w, p);
}

void drb_uec_hear(struct drb_transfers *t, const struct drb_flying *ack)
{
	const uint32_t transfer = ack->transfer;
	const uint64_t slot = drb_transfers_slot(t);
	struct drb_window *w = t->transfer[transfer].window;
	struct drb_nscc_ack news = {.now = (double)slot, .round_trip = round_trip_of(t, w, ack)};

	w->uec.told = true;
	// If only the last link trimmed a packet, this shows no congestion on the packet's path.
	if (t->setup.hosts == DRB_HOSTS_REPS && !ack->marked && (!ack->trimmed || ack->last_hop))
		drb_reps_hear(&w->reps, ack->entropy, slot, w->bdp);
	news.under_way = w->under_way;
	news.marked = ack->marked;
	if (ack->trimmed) {
		reject(t, w, ack, &news);
	} else {
		const uint32_t heard = w->uec.heard;
		if (ack->number > heard)
			take_in(w, ack->number);
		news.newly = w->uec.heard - heard;
		news.under_way = w->under_way;
		drb_nscc_acknowledged(&w->uec.nscc, &t->uec, &news);
	}
	w->size = w->uec.nscc.window;
	if (w->first == t->transfer[transfer].size)
		drb_transfer_over(t, transfer);
}
