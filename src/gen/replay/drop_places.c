// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/drop_places.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#define NAMED_MAX 3 // ports named for a flow

struct drop_place {
	struct drb_end end;
	bool in; // dropped on entry
	uint64_t packets;
	const char *why; // "": several reasons occurred there
};

// True if a reason counts with the discards on entry (in), or with those before leaving.
static bool counts_with(enum drb_drop reason, bool in)
{
	switch (reason) {
	case DRB_DROP_multicast: // no flow misses these
		return false;
	case DRB_DROP_port_down:
		return true;
	case DRB_DROP_queue_full:
	case DRB_DROP_not_sent:
		return !in;
	default:
		return in;
	}
}

const char *drop_places_reason(const struct drb_switch_drops *before,
			       const struct drb_switch_drops *after, bool in)
{
	static const char *const name[] = {
#define X(key, meaning) [DRB_DROP_##key] = #key,
		DRB_DROP_REASONS(X)
#undef X
	};
	const char *why = NULL;

	for (int r = 0; r < DRB_DROP_COUNT; r++) {
		if (counts_with((enum drb_drop)r, in) &&
		    drb_real_of(watch_grown(before->reason[r], after->reason[r])) > 0)
			why = why ? "" : name[r];
	}
	return why;
}

static void add_place(struct drop_places *d, const struct drop_place *place)
{
	const bool dropped = place->packets && place->packets != DRB_UNKNOWN;
	struct drop_place *more =
		dropped && place->why ? realloc(d->at, (d->count + 1) * sizeof(*more)) : NULL;

	if (!more)
		return;
	d->at = more;
	d->at[d->count++] = *place;
}

static void add_switch(struct drop_places *d, const struct watched_switch *s)
{
	const struct drb_switch_drops *before = &s->drops[WATCH_START],
				      *after = &s->drops[WATCH_DONE];
	const char *out_why = drop_places_reason(before, after, false);
	const char *in_why = drop_places_reason(before, after, true);

	for (uint32_t p = 0; p < s->ports; p++) {
		const struct drb_port_counters *then = &s->port[p].count[WATCH_START];
		const struct drb_port_counters *now = &s->port[p].count[WATCH_DONE];
		struct drop_place place = {.end = {.layer = s->layer, .label = s->label}};
		if (drb_port_parse(s->port[p].name, &place.end.up, &place.end.port) < 0)
			continue;
		place.packets = watch_grown(then->out_discards, now->out_discards);
		place.why = out_why;
		add_place(d, &place);
		place.in = true;
		place.packets = watch_grown(then->in_discards, now->in_discards);
		place.why = in_why;
		add_place(d, &place);
		place.packets = watch_grown(then->in_missed, now->in_missed);
		place.why = "in_missed";
		add_place(d, &place);
	}
}

static int most_first(const void *a, const void *b)
{
	const struct drop_place *x = a, *y = b;

	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

struct drop_places drop_places_of(const struct link_watch *w)
{
	struct drop_places d = {.tree = w->tree};

	for (size_t i = 0; i < w->count; i++) {
		const struct watched_switch *s = &w->at[i];
		if (!s->gone && s->layer > 0 && s->layer <= d.tree.layers &&
		    s->label < drb_tree_switches(&d.tree, s->layer))
			add_switch(&d, s);
	}
	if (d.count)
		qsort(d.at, d.count, sizeof(*d.at), most_first);
	return d;
}

void drop_places_free(struct drop_places *d)
{
	free(d->at);
	*d = (struct drop_places){0};
}

// True if a packet between these hosts may have been dropped there.
static bool is_on_way(const struct drop_places *d, const struct drop_place *p, uint32_t from,
		      uint32_t to)
{
	uint32_t turn = drb_distance(&d->tree, from, to);
	const struct drb_hop hop = drb_hop_at(&d->tree, p->end.layer, p->end.label);
	bool below_from = drb_hop_below(&hop, from), below_to = drb_hop_below(&hop, to);

	if (p->end.layer > turn || (!below_from && !below_to))
		return false;
	// A packet goes up in switches with only its source below, turns in switches with both
	// hosts below, and goes down in switches with only its destination below.
	if (p->end.up)
		return p->in ? !below_from : !below_to;
	return p->in ? below_from && drb_hop_digit(&hop, from) == p->end.port
		     : below_to && drb_hop_digit(&hop, to) == p->end.port;
}

void drop_places_text(const struct drop_places *d, uint32_t from, uint32_t to,
		      char text[DROP_PLACES_TEXT])
{
	size_t used = 0, named = 0;

	text[0] = '\0';
	for (size_t i = 0; i < d->count && named < NAMED_MAX; i++) {
		char name[DRB_END_NAME_MAX];
		if (!is_on_way(d, &d->at[i], from, to))
			continue;
		drb_end_name(name, &d->at[i].end);
		used += (size_t)snprintf(text + used, DROP_PLACES_TEXT - used, "%s%s%s%s",
					 named++ ? "; " : "", name, *d->at[i].why ? " " : "",
					 d->at[i].why);
		if (used >= DROP_PLACES_TEXT)
			break;
	}
}
