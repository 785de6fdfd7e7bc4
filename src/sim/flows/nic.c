// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/nic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct ring {
	uint64_t *word;
	uint32_t room; // a power of two, or 0
	uint32_t first, count;
};

struct drb_nic {
	struct ring normal, early; // early: sent before the source received anything
	double credit;             // packets that it may send
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

void drb_nics_free(struct drb_transfers *t)
{
	for (uint32_t h = 0; t->nics && h < t->setup.tree.hosts; h++) {
		free(t->nics[h].normal.word);
		free(t->nics[h].early.word);
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
		const bool early = t->flying.packet[birth_of(t->sim, word)].early;
		t->failed |= ring_put(early ? &n->early : &n->normal, word) < 0;
	}
	struct ring *r = n->normal.count ? &n->normal : &n->early;
	if (r->count == 0)
		return DRB_NO_PACKET;
	const uint64_t word = r->word[r->first];
	r->first = (r->first + 1) & (r->room - 1);
	r->count--;
	return word;
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
