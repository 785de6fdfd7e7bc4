// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/drop_places.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#define NAMED_MAX 3 // places of a flow

// What one switch counted.
struct drop_count {
	uint32_t layer, label;
	struct drb_switch_all all;
};

struct drop_counts {
	size_t count;
	struct drop_count at[];
};

struct drop_place {
	struct drb_end end;
	bool in; // dropped on entry
	uint64_t packets;
	const char *why; // "": several reasons grew there
};

static void free_counts(struct drop_counts *c)
{
	for (size_t i = 0; c && i < c->count; i++)
		drb_switch_all_free(&c->at[i].all);
	free(c);
}

static struct drop_counts *read_counts(const char *fabric)
{
	struct drb_switch_socket *socket;
	size_t sockets;

	if (drb_telemetry_scan(NULL, fabric, &socket, &sockets) < 0)
		return NULL;
	struct drop_counts *counts = calloc(1, sizeof(*counts) + sockets * sizeof(counts->at[0]));
	for (size_t i = 0; i < sockets && counts; i++) {
		struct drop_count *c = &counts->at[counts->count];
		struct drb_telemetry t;
		*c = (struct drop_count){.layer = socket[i].layer, .label = socket[i].label};
		if (drb_telemetry_open(&t, socket[i].path, DRB_TELEMETRY_PROMPT_MS) < 0)
			continue; // left behind by a dead one
		bool read = drb_read_all(&t, &c->all) == 0;
		drb_telemetry_close(&t);
		if (!read)
			break;
		counts->count++;
	}
	free(socket);
	return counts;
}

struct drop_places drop_places_begin(const char *fabric)
{
	return (struct drop_places){.before = read_counts(fabric)};
}

static uint64_t growth(uint64_t before, uint64_t after)
{
	return after >= before ? after - before
			       : after; // one that was started again counts from zero
}

// Which discards of ports a reason counts with.
static bool counts_with(enum drb_drop reason, bool in)
{
	switch (reason) {
	case DRB_DROP_multicast: // nobody misses them
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
		    growth(before->reason[r], after->reason[r]) > 0)
			why = why ? "" : name[r];
	}
	return why;
}

static void add_place(struct drop_places *d, const struct drop_place *place)
{
	struct drop_place *more = place->packets && place->why
					  ? realloc(d->at, (d->count + 1) * sizeof(*more))
					  : NULL;

	if (!more)
		return;
	d->at = more;
	d->at[d->count++] = *place;
}

static void add_switch(struct drop_places *d, const struct drop_count *before,
		       const struct drop_count *after)
{
	const char *out_why = drop_places_reason(&before->all.drops, &after->all.drops, false);
	const char *in_why = drop_places_reason(&before->all.drops, &after->all.drops, true);

	for (uint32_t p = 0; p < after->all.port_count && p < before->all.port_count; p++) {
		const struct drb_port_counters *then = &before->all.ports[p].count;
		const struct drb_port_counters *now = &after->all.ports[p].count;
		struct drop_place place = {.end = {.layer = after->layer, .label = after->label}};
		if (drb_port_parse(after->all.ports[p].name, &place.end.up, &place.end.port) < 0)
			continue;
		place.packets = growth(then->out_discards, now->out_discards);
		place.why = out_why;
		add_place(d, &place);
		place.in = true;
		place.packets = growth(then->in_discards, now->in_discards);
		place.why = in_why;
		add_place(d, &place);
		place.packets = growth(then->in_missed, now->in_missed);
		place.why = "in_missed";
		add_place(d, &place);
	}
}

static int most_first(const void *a, const void *b)
{
	const struct drop_place *x = a, *y = b;

	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

void drop_places_end(struct drop_places *d, const char *fabric)
{
	struct drop_counts *after = read_counts(fabric);
	const struct drb_switch_info *info = after && after->count ? &after->at[0].all.info : NULL;

	if (!d->before || !info || info->layers > DRB_LAYERS_MAX || info->arity > DRB_ARITY_MAX ||
	    info->uplinks > info->arity ||
	    drb_tree_init_uplinks(&d->tree, (uint32_t)info->layers, (uint32_t)info->arity,
				  (uint32_t)(info->layers == 1 ? info->arity : info->uplinks)) < 0)
		goto out;
	for (size_t i = 0, k = 0; i < after->count; i++) {
		const struct drop_count *now = &after->at[i];
		if (now->layer == 0 || now->layer > d->tree.layers ||
		    now->label >= drb_tree_switches(&d->tree, now->layer))
			continue;
		// Both are in the same order.
		for (size_t j = k; j < d->before->count; j++) {
			if (d->before->at[j].layer != now->layer ||
			    d->before->at[j].label != now->label)
				continue;
			add_switch(d, &d->before->at[j], now);
			k = j + 1;
			break;
		}
	}
	if (d->count)
		qsort(d->at, d->count, sizeof(*d->at), most_first);
out:
	free_counts(after);
}

void drop_places_free(struct drop_places *d)
{
	free_counts(d->before);
	free(d->at);
	*d = (struct drop_places){0};
}

// Can a packet between these hosts have been dropped there?
static bool is_on_way(const struct drop_places *d, const struct drop_place *p, uint32_t from,
		      uint32_t to)
{
	uint32_t turn = drb_distance(&d->tree, from, to);
	const struct drb_hop hop = drb_hop_at(&d->tree, p->end.layer, p->end.label);
	bool below_from = drb_hop_below(&hop, from), below_to = drb_hop_below(&hop, to);

	if (p->end.layer > turn || (!below_from && !below_to))
		return false;
	// It goes up where only its source is below, turns where both are, and comes down else.
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
