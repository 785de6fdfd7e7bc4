// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sim/flows/entropy.h"
#include "sim/flows/transfers.h"

#define WINDOW_FIRST 10
#define WINDOW_MOST 512 // packets from the first that is not acknowledged on
#define GAIN (1.0 / 16)
#define OVERTAKEN_MOST 3

enum outcome { UNDER_WAY, LOST, ACKNOWLEDGED };

// What the source knows of a packet.
struct packet {
	uint32_t number; // of its last transmission
	uint32_t slot;   // in which that was sent
	uint8_t outcome;
	uint8_t overtaken; // by acknowledged ones
};

struct drb_window {
	double size, slow_start_below, alpha;
	uint32_t first, next; // sequence: not acknowledged, never sent
	uint32_t under_way, lost;
	uint32_t resent; // sequence; from here on each packet was sent once
	uint32_t number; // transmissions so far
	uint32_t mask;   // of packet[]
	uint64_t heard;  // slot in which it heard last, or began to wait
	uint64_t oldest; // slot; nothing that is under way was sent before
	struct drb_reps reps;
	uint32_t bdp;    // packets of a round trip
	uint32_t answer; // slots that an acknowledgement takes
	// A round: until a packet is acknowledged that was sent after it began.
	uint32_t round_begin; // number
	uint32_t round_acks, round_marks;
	bool round_cut;
	bool *came;             // of the receiver: each packet
	struct packet packet[]; // by sequence, a ring; what came is behind it
};

// By slot of arrival.
struct drb_acks {
	uint32_t slots; // more than the longest way
	struct ack_list {
		struct drb_flying *packet;
		uint32_t count, room;
	} list[];
};

int drb_windows_init(struct drb_transfers *t)
{
	const uint32_t layers = t->setup.tree.layers;
	uint32_t slots = 2 * layers + 2 + (uint32_t)drb_delay_of_way(&t->setup.delay, layers);

	if (t->setup.source == DRB_SIM_OPEN)
		return 0;
	if (t->setup.trim)
		slots *= 2; // headers come on their way, and then back
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

int drb_window_open(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_transfer one = t->transfer[transfer];
	const uint32_t size = one.size;
	uint32_t ring = 1;
	struct drb_window *w;

	one.size = 1;
	t->transfer[transfer].window = NULL;
	if (t->setup.source == DRB_SIM_OPEN)
		return 0;
	while (ring < size && ring < WINDOW_MOST)
		ring *= 2;
	w = calloc(1, sizeof(*w) + ring * sizeof(*w->packet) + size * sizeof(*w->came));
	if (!w)
		return -ENOMEM;
	w->mask = ring - 1;
	w->came = (bool *)(w->packet + ring);
	w->answer = (uint32_t)drb_transfer_answer(&t->setup, &one);
	w->bdp = (uint32_t)drb_transfer_alone(&t->setup, &one) + w->answer;
	w->size = WINDOW_FIRST;
	w->slow_start_below = WINDOW_MOST;
	w->alpha = 1;
	w->round_begin = 1;
	t->transfer[transfer].window = w;
	return 0;
}

struct drb_reps *drb_window_reps(struct drb_transfers *t, uint32_t transfer)
{
	return &t->transfer[transfer].window->reps;
}

void drb_window_close(struct drb_transfers *t, uint32_t transfer)
{
	free(t->transfer[transfer].window);
	t->transfer[transfer].window = NULL;
}

static struct packet *packet_at(struct drb_window *w, uint32_t sequence)
{
	return &w->packet[sequence & w->mask];
}

static void take_for_lost(struct drb_window *w, struct packet *p)
{
	p->outcome = LOST;
	w->under_way--;
	w->lost++;
}

static void cut(struct drb_window *w, double to)
{
	w->size = to > 1 ? to : 1;
	w->slow_start_below = w->size;
}

// Each packet has its own time, since others may come by ways that do not lose.
static void time_out_each(struct drb_transfers *t, struct drb_window *w, uint64_t slot)
{
	uint64_t oldest = slot;

	for (uint32_t s = w->first; s < w->next; s++) {
		struct packet *p = packet_at(w, s);
		if (p->outcome != UNDER_WAY)
			continue;
		if (slot - p->slot <= t->setup.timeout) {
			oldest = p->slot < oldest ? p->slot : oldest;
			continue;
		}
		take_for_lost(w, p);
		cut(w, w->size - 1);
		drb_reps_lose(&w->reps, slot + t->setup.timeout);
	}
	w->oldest = oldest;
}

static void time_out(struct drb_window *w, uint64_t slot)
{
	for (uint32_t s = w->first; s < w->next; s++) {
		if (packet_at(w, s)->outcome == UNDER_WAY)
			take_for_lost(w, packet_at(w, s));
	}
	w->slow_start_below = w->size / 2 > 2 ? w->size / 2 : 2;
	w->size = 1;
	w->heard = slot;
}

static bool has_packet(const struct drb_transfers *t, uint32_t transfer)
{
	const struct drb_window *w = t->transfer[transfer].window;

	return w->under_way < (uint32_t)w->size &&
	       (w->lost ||
		(w->next < t->transfer[transfer].size && w->next - w->first < WINDOW_MOST));
}

uint32_t drb_windows_ready(const struct drb_transfers *t, uint32_t host)
{
	uint32_t first = t->last[host], i = first, ready = 0;

	if (first == DRB_NO_TRANSFER)
		return 0;
	do {
		const struct drb_transfer *f = &t->transfer[i];
		ready += f->connected <= t->sim->slot && (!f->window || has_packet(t, i));
		i = f->next;
	} while (i != first);
	return ready;
}

bool drb_window_may_send(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_window *w = t->transfer[transfer].window;
	uint64_t slot = drb_transfers_slot(t);

	if (t->setup.timer_each || drb_hosts_spread(t->setup.hosts)) {
		if (w->under_way && slot - w->oldest > t->setup.timeout)
			time_out_each(t, w, slot);
	} else if (w->under_way && slot - w->heard > t->setup.timeout) {
		time_out(w, slot);
	}
	return has_packet(t, transfer);
}

struct drb_flying drb_window_send(struct drb_transfers *t, uint32_t transfer)
{
	struct drb_window *w = t->transfer[transfer].window;
	uint32_t sequence = w->next;

	if (w->lost) {
		for (sequence = w->first; packet_at(w, sequence)->outcome != LOST; sequence++)
			;
		w->lost--;
		w->resent = sequence >= w->resent ? sequence + 1 : w->resent;
		t->resent++;
	} else {
		w->next++;
		t->transfer[transfer].sent++;
	}
	const uint64_t slot = drb_transfers_slot(t);
	if (w->under_way++ == 0)
		w->heard = w->oldest = slot;
	*packet_at(w, sequence) = (struct packet){
		.number = ++w->number, .slot = (uint32_t)slot, .outcome = UNDER_WAY};
	return (struct drb_flying){.transfer = transfer, .sequence = sequence, .number = w->number};
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

void drb_window_answer(struct drb_transfers *t, const struct drb_flying *packet, uint64_t slot)
{
	drb_window_hear(t, packet, slot + t->transfer[packet->transfer].window->answer);
}

bool drb_window_receive(struct drb_transfers *t, const struct drb_flying *packet)
{
	struct drb_window *w = t->transfer[packet->transfer].window;

	if (!w || w->came[packet->sequence])
		return false;
	return w->came[packet->sequence] = true;
}

// Packets that were sent before this transmission, and are not acknowledged, were overtaken.
static void look_for_losses(struct drb_window *w, uint64_t number)
{
	for (uint32_t s = w->first; s < w->next; s++) {
		struct packet *p = packet_at(w, s);
		if (p->number > number && s >= w->resent)
			break;
		if (p->outcome != UNDER_WAY || p->number > number ||
		    ++p->overtaken < OVERTAKEN_MOST)
			continue;
		take_for_lost(w, p);
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

// It was trimmed. Of what was sent again since nothing is known.
static void reject(struct drb_window *w, const struct drb_flying *nack)
{
	struct packet *p = packet_at(w, nack->sequence);

	if (nack->sequence < w->first || p->outcome != UNDER_WAY || p->number != nack->number)
		return;
	take_for_lost(w, p);
	cut(w, w->size - 1);
}

static void acknowledge(struct drb_transfers *t, const struct drb_flying *ack)
{
	struct drb_window *w = t->transfer[ack->transfer].window;

	if (!w)
		return;
	w->heard = drb_transfers_slot(t);
	if (ack->trimmed) {
		reject(w, ack);
		return;
	}
	if (t->setup.hosts == DRB_HOSTS_REPS && !ack->marked)
		drb_reps_hear(&w->reps, ack->entropy, w->heard, w->bdp);
	struct packet *p = packet_at(w, ack->sequence);
	if (ack->sequence < w->first || p->outcome == ACKNOWLEDGED)
		return;
	*(p->outcome == LOST ? &w->lost : &w->under_way) -= 1;
	p->outcome = ACKNOWLEDGED;
	while (w->first < w->next && packet_at(w, w->first)->outcome == ACKNOWLEDGED)
		w->first++;
	w->size += w->size < w->slow_start_below ? 1 : 1 / w->size;
	w->size = w->size < WINDOW_MOST ? w->size : WINDOW_MOST;
	w->round_acks++;
	w->round_marks += ack->marked;
	if (t->setup.source == DRB_SIM_WINDOW)
		look_for_losses(w, ack->number);
	if (ack->number >= w->round_begin)
		end_round(w);
}

void drb_windows_hear(struct drb_transfers *t)
{
	struct ack_list *l;

	if (!t->acks)
		return;
	l = &t->acks->list[drb_transfers_slot(t) % t->acks->slots];
	for (uint32_t i = 0; i < l->count; i++)
		acknowledge(t, &l->packet[i]);
	l->count = 0;
}
