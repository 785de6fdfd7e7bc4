// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/nic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ring {
	uint64_t *word;
	uint32_t room; // a power of two, or 0
	uint32_t first, count;
};

struct flow {
	uint32_t transfer;
	struct ring ring;
};

// The flows that have packets, in the order of transfers. They take turns. Those from `count` on
// are spare.
struct queue {
	struct flow *of;
	uint32_t count, room;
	uint32_t next; // transfer whose turn it is, or the next one that has packets
};

struct drb_nic {
	struct queue normal, early; // early: sent before the source received anything
	double credit;              // packets that it may send
};

// The link of a host on which a packet takes several slots.
struct drb_crossing {
	struct drb_pace pace;
	uint64_t word; // the packet on it, unless it is idle
};

int drb_nics_init(struct drb_transfers *t)
{
	const uint32_t hosts = t->setup.tree.hosts, pace = drb_pace_of(&t->setup.pace, 1);

	if (pace > 1) {
		t->crossing = malloc(hosts * sizeof(*t->crossing));
		if (!t->crossing)
			return -ENOMEM;
	}
	for (uint32_t h = 0; t->crossing && h < hosts; h++)
		t->crossing[h] = (struct drb_crossing){{pace, DRB_LINK_IDLE}, DRB_NO_PACKET};
	if (t->setup.source != DRB_SIM_UEC || fabs(t->uec.nic * pace - 1) < 1e-3)
		return 0;
	t->nics = calloc(hosts, sizeof(*t->nics));
	return t->nics ? 0 : -ENOMEM;
}

static void queue_free(struct queue *q)
{
	for (uint32_t i = 0; i < q->room; i++)
		free(q->of[i].ring.word);
	free(q->of);
}

void drb_nics_free(struct drb_transfers *t)
{
	for (uint32_t h = 0; t->nics && h < t->setup.tree.hosts; h++) {
		queue_free(&t->nics[h].normal);
		queue_free(&t->nics[h].early);
	}
	free(t->nics);
	free(t->crossing);
}

static int grow(struct ring *r)
{
	const uint32_t room = r->room ? 2 * r->room : 16;
	uint64_t *word = malloc(room * sizeof(*word));

	if (!word)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->count; i++)
		word[i] = r->word[(r->first + i) & (r->room - 1)];
	free(r->word);
	r->word = word;
	r->room = room;
	r->first = 0;
	return 0;
}

static int ring_put(struct ring *r, uint64_t word)
{
	if (r->count == r->room && grow(r) < 0)
		return -ENOMEM;
	r->word[(r->first + r->count++) & (r->room - 1)] = word;
	return 0;
}

static uint64_t ring_take(struct ring *r)
{
	const uint64_t word = r->word[r->first];

	r->first = (r->first + 1) & (r->room - 1);
	r->count--;
	return word;
}

// The index of the first flow from this transfer on.
static uint32_t queue_find(const struct queue *q, uint32_t transfer)
{
	uint32_t i = 0, end = q->count;

	while (i < end) {
		const uint32_t middle = (i + end) / 2;
		if (q->of[middle].transfer < transfer)
			i = middle + 1;
		else
			end = middle;
	}
	return i;
}

static int queue_grow(struct queue *q)
{
	const uint32_t room = q->room ? 2 * q->room : 2;
	struct flow *more = realloc(q->of, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	memset(more + q->room, 0, (room - q->room) * sizeof(*more));
	q->of = more;
	q->room = room;
	return 0;
}

static int queue_put(struct queue *q, uint32_t transfer, uint64_t word)
{
	const uint32_t i = queue_find(q, transfer);

	if (i == q->count || q->of[i].transfer != transfer) {
		if (q->count == q->room && queue_grow(q) < 0)
			return -ENOMEM;
		const struct flow fresh = {transfer, q->of[q->count].ring};
		memmove(&q->of[i + 1], &q->of[i], (q->count++ - i) * sizeof(fresh));
		q->of[i] = fresh;
	}
	return ring_put(&q->of[i].ring, word);
}

static uint64_t queue_take(struct queue *q)
{
	uint32_t i = queue_find(q, q->next);

	i = i < q->count ? i : 0;
	const uint64_t word = ring_take(&q->of[i].ring);
	q->next = q->of[i].transfer + 1;
	if (q->of[i].ring.count == 0) {
		const struct flow spare = q->of[i];
		memmove(&q->of[i], &q->of[i + 1], (--q->count - i) * sizeof(spare));
		q->of[q->count] = spare;
	}
	return word;
}

typedef uint64_t next_packet(struct drb_transfers *t, uint32_t host);

// Takes the packet that begins to cross the link.
static uint64_t begin(struct drb_transfers *t, uint32_t host, next_packet *next)
{
	if (!t->nics)
		return next(t, host);

	struct drb_nic *n = &t->nics[host];
	for (n->credit += t->uec.nic * drb_pace_of(&t->setup.pace, 1); n->credit >= 1;
	     n->credit -= 1) {
		const uint64_t word = next(t, host);
		if (word == DRB_NO_PACKET) {
			n->credit = 0;
			break;
		}
		const struct drb_flying *packet = &t->flying.packet[birth_of(t->sim, word)];
		struct queue *q = packet->early ? &n->early : &n->normal;
		t->failed |= queue_put(q, packet->transfer, word) < 0;
	}
	struct queue *q = n->normal.count ? &n->normal : &n->early;
	return q->count ? queue_take(q) : DRB_NO_PACKET;
}

uint64_t drb_nic_send(struct drb_transfers *t, uint32_t host, next_packet *next)
{
	struct drb_crossing *c = t->crossing ? &t->crossing[host] : NULL;

	if (!c)
		return begin(t, host, next);
	if (c->pace.last == DRB_LINK_IDLE)
		c->word = begin(t, host, next);
	if (c->word == DRB_NO_PACKET || drb_pace_holds(&c->pace, 1, t->sim->slot))
		return DRB_NO_PACKET;
	return c->word;
}
