// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/pairs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int moments_make(struct moments *m, uint64_t most)
{
	*m = (struct moments){.room = most < MOMENTS_MAX ? (size_t)most : MOMENTS_MAX,
			      .end_ns = UINT64_MAX};
	m->at = malloc((m->room + 1) * sizeof(*m->at));
	return m->at ? 0 : -ENOMEM;
}

void moments_free(struct moments *m)
{
	free(m->at);
	*m = (struct moments){0};
}

void moments_add(struct moments *m, uint32_t packet, uint64_t ns)
{
	if (m->count < m->room)
		m->at[m->count++] = (struct moment){ns, packet, packet};
	else if (ns < m->end_ns)
		m->end_ns = ns;
}

static int moment_order(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static void sort(struct moments *m)
{
	qsort(m->at, m->count, sizeof(*m->at), moment_order);
}

// The end of the moments of one kind that begin at `from`.
static size_t end_of(const struct moments *m, uint32_t kind, size_t from)
{
	while (from < m->count && m->at[from].kind == kind)
		from++;
	return from;
}

// Pairs the moments of one kind: sendings and arrivals in the order of their times.
static void pair_kind(const struct moment *sent, size_t sendings, const struct moment *arrived,
		      size_t arrivals, uint64_t limit_ns, struct outcome *outcome)
{
	size_t pairs = 0;

	for (size_t k = 0; k < sendings; k++) {
		struct outcome *o = &outcome[k];
		*o = (struct outcome){sent[k].ns, LATENCY_UNKNOWN, sent[k].packet, FATE_UNKNOWN};
		if (k >= arrivals)
			continue;
		uint64_t next =
			k + 1 < sendings && sent[k + 1].ns < limit_ns ? sent[k + 1].ns : limit_ns;
		bool before = k == 0 || arrived[k - 1].ns < sent[k].ns;
		bool alone = k + 1 == arrivals || arrived[k + 1].ns >= next;
		if (!before || !alone || arrived[k].ns < sent[k].ns || arrived[k].ns >= next)
			continue;
		o->latency_ns = arrived[k].ns - sent[k].ns;
		o->fate = FATE_ARRIVED;
		pairs++;
	}
	if (limit_ns != UINT64_MAX || (arrivals < sendings && pairs < arrivals))
		return;
	for (size_t k = 0; k < sendings; k++) {
		if (outcome[k].fate == FATE_UNKNOWN)
			outcome[k].fate = arrivals < sendings ? FATE_LOST : FATE_ARRIVED;
	}
}

void pairs_find(struct moments *sent, struct moments *arrived, struct outcome *outcome)
{
	uint64_t limit = sent->end_ns < arrived->end_ns ? sent->end_ns : arrived->end_ns;
	size_t a = 0;

	sort(sent);
	sort(arrived);
	for (size_t s = 0, end; s < sent->count; s = end) {
		uint32_t kind = sent->at[s].kind;
		end = end_of(sent, kind, s);
		while (a < arrived->count && arrived->at[a].kind < kind)
			a++;
		size_t from = a;
		a = end_of(arrived, kind, from);
		pair_kind(&sent->at[s], end - s, &arrived->at[from], a - from, limit, &outcome[s]);
	}
}
