// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/repeats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/math/random.h"

// The number of packets with a key.
struct counted {
	uint64_t key; // 0: free entry
	uint64_t count;
};

struct table { // open addressing
	struct counted *at;
	size_t mask;
};

static uint64_t *count_of(const struct table *table, uint64_t key)
{
	size_t i = key & table->mask;

	while (table->at[i].key && table->at[i].key != key)
		i = (i + 1) & table->mask;
	table->at[i].key = key;
	return &table->at[i].count;
}

static uint64_t packet_place(const struct trace_packet *p)
{
	return (uint64_t)p->file << 32 | p->place;
}

static bool is_of_one_place(const struct trace *t)
{
	for (size_t i = 1; i < t->count; i++) {
		if (packet_place(&t->packet[i]) != packet_place(&t->packet[0]))
			return false;
	}
	return true;
}

int repeats_take_out(struct trace *t, struct repeats *found)
{
	struct table table = {.mask = 1023};
	size_t kept = 0;

	*found = (struct repeats){0};
	if (is_of_one_place(t))
		return 0;
	while (table.mask < 4 * t->count)
		table.mask = 2 * table.mask + 1;
	table.at = calloc(table.mask + 1, sizeof(*table.at));
	if (!table.at)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		uint64_t print = trace_fingerprint(p->frame, p->captured, p->size);
		uint64_t here = drb_mix64(print ^ drb_mix64(packet_place(p) + 1));
		uint64_t *most = count_of(&table, print), at = ++*count_of(&table, here ? here : 1);
		bool repeated = at <= *most;
		if (!repeated)
			*most = at;
		found->taken_out += repeated && p->at_switch;
		found->left += repeated && !p->at_switch;
		if (!repeated || !p->at_switch)
			t->packet[kept++] = *p;
	}
	t->count = kept;
	free(table.at);
	return 0;
}
