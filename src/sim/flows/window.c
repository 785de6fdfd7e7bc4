// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/flows/ethereal.h"
#include "sim/flows/transfers.h"
#include "sim/flows/uec_window.h"

#define RING_FIRST 16
#define WINDOW_FIRST 10
#define GAIN (1.0 / 16)
#define OVERTAKEN_MOST 3

// Lists by slot of arrival.
struct drb_acks {
	uint32_t slots; // more than the longest path takes
	struct ack_list {
		struct drb_flying *packet;
		uint32_t count, room;
	} list[];
};

// True if each packet has its own timeout.
static bool has_timers(const struct drb_transfers *t)
{
	return t->setup.timer_each || drb_hosts_spread(t->setup.hosts) ||
	       t->setup.source == DRB_SIM_UEC;
}

int drb_windows_init(struct drb_transfers *t)
{
	const uint32_t layers = t->setup.tree.layers;
	uint32_t slots = 2 * drb_pace_of_way(&t->setup.pace, layers) + 2 +
			 (uint32_t)drb_delay_of_way(&t->setup.delay, layers);

	if (t->setup.source == DRB_SIM_OPEN)
		return 0;
	if (t->setup.trim)
		slots *= 2; // headers take the path of their packets, and then return
	t->acks = calloc(1, sizeof(*t->acks) + slots * sizeof(t->acks->list[0]));
	if (!t->acks)
		return -ENOMEM;
	t->acks->slots = slots;
	return 0;
}

void drb_windows_free(struct drb_transfers *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		drb_window_close(t, i);
	for (uint32_t i = 0; t->acks && i < t->acks->slots; i++)
		free(t->acks->list[i].packet);
	free(t->acks);
}

static struct drb_window *new_window(uint32_t ring)
{
	const size_t bytes = sizeof(struct drb_window) + ring * sizeof(struct drb_window_packet);
	struct drb_window *w = aligned_alloc(DRB_LINE, bytes);

	if (w) {
		memset(w, 0, bytes);
		w->mask = ring - 1;
	}
	return w;
}

int drb_window_grow(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_window *w = t->transfer[transfer].window, *more;

	if (w->next - w->first <= w->mask)
		return 0;
	more = new_window(2 * (w->mask + 1));
	if (!more)
		return -ENOMEM;
	const uint32_t mask = more->mask;
	*more = *w;
	more->mask = mask;
	for (uint32_t s = w->first; s < w->next; s++)
		*drb_window_packet(more, s) = *drb_window_packet(w, s);
	for (uint32_t i = w->uec.heard; i < w->uec.came; i++)
		drb_window_packet(more, i)->number = drb_window_packet(w, i)->number;
	free(w);
	t->transfer[transfer].window = more;
	return 0;
}

int drb_window_open(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_transfer one = t->transfer[transfer];
	struct drb_window *w;

	one.size = 1;
	t->transfer[transfer].window = NULL;
	if (t->setup.source == DRB_SIM_OPEN)
		return 0;
	w = new_window(RING_FIRST);
	if (!w)
		return -ENOMEM;
	w->answer = (uint32_t)drb_transfer_answer(&t->setup, &one);
	w->bdp = (uint32_t)drb_transfer_alone(&t->setup, &one) + w->answer;
	w->size = WINDOW_FIRST;
	w->span = DRB_WINDOW_MOST;
	w->slow_start_below = DRB_WINDOW_MOST;
	w->alpha = 1;
	w->round_begin = 1;
	if (t->setup.source == DRB_SIM_UEC)
		drb_uec_open(t, w);
	t->transfer[transfer].window = w;
	return 0;
}

void drb_window_close(struct drb_transfers *t, uint32_t transfer)
{
	free(t->transfer[transfer].window);
	t->transfer[transfer].window = NULL;
}

void drb_window_lose(struct drb_window *w, struct drb_window_packet *p)
{
	p->outcome = DRB_LOST;
	w->under_way--;
	w->lost++;
}

static void cut(struct drb_window *w, double to)
{
	w->size = to > 1 ? to : 1;
	w->slow_start_below = w->size;
}

// Each packet has its own timeout, because others may take paths without losses.
static void time_out_each(struct drb_transfers *t, struct drb_window *w, uint64_t slot)
{
	uint32_t oldest = 0; // slots ago

	for (uint32_t s = w->first; s < w->next; s++) {
		struct drb_window_packet *p = drb_window_packet(w, s);
		if (p->outcome != DRB_UNDER_WAY)
			continue;
		const uint32_t ago = ((uint32_t)slot - p->slot) & DRB_WINDOW_SLOTS;
		if (ago <= t->setup.timeout) {
			oldest = ago > oldest ? ago : oldest;
			continue;
		}
		drb_window_lose(w, p);
		if (t->setup.source == DRB_SIM_UEC)
			drb_uec_time_out(w);
		else
			cut(w, w->size - 1);
		drb_reps_lose(&w->reps, slot + t->freeze);
	}
	w->since = (uint32_t)slot - oldest;
}

static void time_out_all(struct drb_window *w, uint64_t slot)
{
	for (uint32_t s = w->first; s < w->next; s++) {
		if (drb_window_packet(w, s)->outcome == DRB_UNDER_WAY)
			drb_window_lose(w, drb_window_packet(w, s));
	}
	w->slow_start_below = w->size / 2 > 2 ? w->size / 2 : 2;
	w->size = 1;
	w->since = (uint32_t)slot;
}

void drb_window_time_out(struct drb_transfers *t, struct drb_window *w)
{
	if (has_timers(t))
		time_out_each(t, w, drb_transfers_slot(t));
	else
		time_out_all(w, drb_transfers_slot(t));
}

struct drb_flying drb_window_send(struct drb_transfers *t, uint32_t transfer)
{
	// A packet that is sent again has an entry. Without memory for a new entry, the last packet
	// is sent again, and the run has failed.
	const bool fails = !t->transfer[transfer].window->lost && drb_window_grow(t, transfer) < 0;
	struct drb_window *w = t->transfer[transfer].window;
	uint32_t sequence = fails ? w->next - 1 : w->next;
	bool came = false, again = w->lost > 0;
	uint32_t overtaken = 0;

	if (w->lost) {
		for (sequence = w->first; drb_window_packet(w, sequence)->outcome != DRB_LOST;
		     sequence++)
			;
		w->lost--;
		w->resent = sequence >= w->resent ? sequence + 1 : w->resent;
		came = drb_window_packet(w, sequence)->came;
		if (t->setup.source == DRB_SIM_UEC)
			overtaken = drb_uec_resends(drb_window_packet(w, sequence));
		t->resent++;
	} else if (!fails) {
		w->next++;
		t->transfer[transfer].sent++;
	}
	t->failed |= fails;
	const uint32_t slot = (uint32_t)drb_transfers_slot(t);
	struct drb_window_packet *p = drb_window_packet(w, sequence);
	if (w->under_way++ == 0)
		w->since = slot;
	w->number++;
	*p = (struct drb_window_packet){.number = t->setup.source == DRB_SIM_UEC ? p->number
										 : w->number,
					.slot = slot & DRB_WINDOW_SLOTS,
					.outcome = DRB_UNDER_WAY,
					.overtaken = overtaken & 3,
					.came = came};
	return (struct drb_flying){.transfer = transfer,
				   .sequence = sequence,
				   .number = w->number,
				   .again = again,
				   .early = !w->uec.told && !again,
				   .ask = drb_uec_asks(&t->transfer[transfer], again)};
}

void drb_window_hear(struct drb_transfers *t, const struct drb_flying *ack, uint64_t slot)
{
	struct ack_list *l = &t->acks->list[slot % t->acks->slots];

	if (l->count == l->room) {
		uint32_t room = l->room ? 2 * l->room : 64;
		struct drb_flying *more = realloc(l->packet, room * sizeof(*more));
		if (!more) {
			t->failed = true;
			return;
		}
		l->packet = more;
		l->room = room;
	}
	l->packet[l->count++] = *ack;
}

bool drb_window_receive(struct drb_transfers *t, const struct drb_flying *packet)
{
	struct drb_window *w = t->transfer[packet->transfer].window;

	// The source has acknowledgements of these packets, so they have arrived before.
	if (!w || packet->sequence < w->first)
		return false;
	struct drb_window_packet *p = drb_window_packet(w, packet->sequence);
	const bool again = p->came;
	p->came = true;
	return !again;
}

// True if both packets of a transfer take the same path.
static bool same_path(const struct drb_transfers *t, uint32_t transfer, uint32_t a, uint32_t b)
{
	const struct drb_ways *ways = t->setup.ways;
	const uint32_t place = t->transfer[transfer].place;

	return t->setup.hosts != DRB_HOSTS_ETHEREAL ||
	       drb_way_of(ways, place, a) == drb_way_of(ways, place, b);
}

// An acknowledged transmission has overtaken all unacknowledged packets that were sent before it on
// the same path. Packets that are overtaken too often count as lost.
static void look_for_losses(struct drb_transfers *t, const struct drb_flying *ack)
{
	struct drb_window *w = t->transfer[ack->transfer].window;
	const uint32_t number = ack->number;

	for (uint32_t s = w->first; s < w->next; s++) {
		struct drb_window_packet *p = drb_window_packet(w, s);
		if (p->number > number && s >= w->resent)
			break;
		if (p->outcome != DRB_UNDER_WAY || p->number > number ||
		    !same_path(t, ack->transfer, s, ack->sequence) ||
		    ++p->overtaken < OVERTAKEN_MOST)
			continue;
		drb_window_lose(w, p);
		if (!w->round_cut)
			cut(w, w->size / 2);
		w->round_cut = true;
	}
}

static void end_round(struct drb_window *w)
{
	w->alpha = (1 - GAIN) * w->alpha + GAIN * w->round_marks / w->round_acks;
	if (w->round_marks && !w->round_cut)
		cut(w, w->size * (1 - w->alpha / 2));
	w->round_acks = w->round_marks = 0;
	w->round_cut = false;
	w->round_begin = w->number + 1;
}

// The packet was trimmed. This has no effect if the packet has been sent again since.
static void reject(struct drb_window *w, const struct drb_flying *nack)
{
	struct drb_window_packet *p = drb_window_packet(w, nack->sequence);

	if (nack->sequence < w->first || p->outcome != DRB_UNDER_WAY || p->number != nack->number)
		return;
	drb_window_lose(w, p);
	cut(w, w->size - 1);
}

static void acknowledge(struct drb_transfers *t, const struct drb_flying *ack)
{
	struct drb_window *w = t->transfer[ack->transfer].window;

	if (!w)
		return;
	if (t->setup.source == DRB_SIM_UEC) {
		drb_uec_hear(t, ack);
		return;
	}
	const uint64_t slot = drb_transfers_slot(t);
	if (!has_timers(t))
		w->since = (uint32_t)slot;
	if (ack->trimmed) {
		reject(w, ack);
		return;
	}
	if (t->setup.hosts == DRB_HOSTS_REPS && !ack->marked)
		drb_reps_hear(&w->reps, ack->entropy, slot, w->bdp);
	struct drb_window_packet *p = drb_window_packet(w, ack->sequence);
	if (ack->sequence < w->first || p->outcome == DRB_ACKNOWLEDGED)
		return;
	*(p->outcome == DRB_LOST ? &w->lost : &w->under_way) -= 1;
	p->outcome = DRB_ACKNOWLEDGED;
	while (w->first < w->next && drb_window_packet(w, w->first)->outcome == DRB_ACKNOWLEDGED)
		w->first++;
	w->size += w->size < w->slow_start_below ? 1 : 1 / w->size;
	w->size = w->size < DRB_WINDOW_MOST ? w->size : DRB_WINDOW_MOST;
	w->round_acks++;
	w->round_marks += ack->marked;
	if (t->setup.source == DRB_SIM_WINDOW)
		look_for_losses(t, ack);
	if (ack->number >= w->round_begin)
		end_round(w);
}

void drb_windows_hear(struct drb_transfers *t)
{
	struct ack_list *l;

	if (!t->acks)
		return;
	l = &t->acks->list[drb_transfers_slot(t) % t->acks->slots];
	for (uint32_t i = 0, n; i < l->count; i += n) {
		n = l->count - i < DRB_TOGETHER ? l->count - i : DRB_TOGETHER;
		drb_windows_prefetch(t, l->packet + i, n);
		for (uint32_t k = i; k < i + n; k++)
			acknowledge(t, &l->packet[k]);
	}
	l->count = 0;
}
