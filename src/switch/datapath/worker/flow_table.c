// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/flow_table.h"

#include <errno.h>

#include <rte_hash.h>
#include <rte_common.h>
#include <rte_malloc.h>
#include <rte_memory.h>

// Steps in which the whole table is looked through, in a quarter of the shorter time to live.
#define STEPS 16
// Most flows looked at in one step.
#define VISITS_MAX 256
#define STEP_MIN_NS 100000
// Sets of guesses at the start.
#define SETS_MIN 1024
// The library makes no smaller table than one bucket.
#define ENTRIES_MIN 8

// Flows differ in all of the key, which is a hash already.
static int differ(const void *a, const void *b, size_t len)
{
	(void)len;
	return *(const uint64_t *)a != *(const uint64_t *)b;
}

static uint32_t signature(const void *key, uint32_t len, uint32_t seed)
{
	const uint64_t *hash = key;

	(void)len, (void)seed;
	return (uint32_t)*hash;
}

uint64_t drb_flow_table_bytes(uint32_t max)
{
	uint64_t room = 1;

	while (room < max)
		room *= 2;
	// For each flow a key with its header, the index of free ones and an entry; for room flows
	// two guesses each, buckets of eight in 64 bytes and as many again to spill into.
	return (uint64_t)max * (32 + sizeof(struct drb_flow_entry)) + room * 40 + (1 << 20);
}

void drb_flow_table_times(struct drb_flow_table *t, uint64_t idle_ns, uint64_t grace_ns)
{
	uint64_t step = (idle_ns < grace_ns ? idle_ns : grace_ns) / 4 / STEPS;

	t->idle = drb_flow_tick(idle_ns);
	t->grace = drb_flow_tick(grace_ns);
	t->step_ns = step > STEP_MIN_NS ? step : STEP_MIN_NS;
}

int drb_flow_table_init(struct drb_flow_table *t, const char *name, uint32_t max, uint64_t idle_ns,
			uint64_t grace_ns)
{
	struct rte_hash_parameters parameters = {
		.name = name,
		.entries = max < ENTRIES_MIN ? ENTRIES_MIN : max,
		.key_len = sizeof(uint64_t),
		.hash_func = signature,
		.socket_id = SOCKET_ID_ANY,
		// Every flow finds a place, however the others lie.
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	*t = (struct drb_flow_table){.max = max};
	drb_flow_table_times(t, idle_ns, grace_ns);
	t->hash = rte_hash_create(&parameters);
	if (!t->hash)
		return -ENOMEM;
	rte_hash_set_cmp_func(t->hash, differ);
	t->slots = (uint32_t)rte_hash_max_key_id(t->hash) + 1;
	t->slots = (t->slots + 63) & ~63u;
	t->chunk = t->slots / 64 / STEPS + 1;
	t->entry = rte_calloc(NULL, t->slots, sizeof(*t->entry), 64);
	t->used = rte_calloc(NULL, t->slots / 64, sizeof(*t->used), 64);
	t->sets_max = rte_align32pow2(2 * max) / DRB_FLOW_WAYS;
	t->sets_max = t->sets_max > 0 ? t->sets_max : 1;
	t->sets_mask = (t->sets_max < SETS_MIN ? t->sets_max : SETS_MIN) - 1;
	t->guess = rte_calloc(NULL, (size_t)t->sets_max * DRB_FLOW_WAYS, sizeof(*t->guess), 64);
	if (t->entry && t->used && t->guess)
		return 0;
	drb_flow_table_free(t);
	return -ENOMEM;
}

void drb_flow_table_free(struct drb_flow_table *t)
{
	rte_hash_free(t->hash);
	rte_free(t->entry);
	rte_free(t->used);
	rte_free(t->guess);
	*t = (struct drb_flow_table){0};
}

static uint32_t *set_of(const struct drb_flow_table *t, uint64_t hash)
{
	return &t->guess[(hash & t->sets_mask) * DRB_FLOW_WAYS];
}

// What is guessed for a flow at a position.
static uint32_t guess_of(uint64_t hash, uint32_t position)
{
	return (uint32_t)(hash >> 56) << 24 | position;
}

static void learn(struct drb_flow_table *t, uint64_t hash, uint32_t position)
{
	uint32_t *set = set_of(t, hash), way = t->victim++ % DRB_FLOW_WAYS;

	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++) {
		if (set[k] == 0)
			way = k;
	}
	// Of two guesses for the same bits one would never be tried.
	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++) {
		if (set[k] != 0 && set[k] >> 24 == hash >> 56)
			way = k;
	}
	set[way] = guess_of(hash, position);
}

static void forget(struct drb_flow_table *t, uint64_t hash, uint32_t position)
{
	uint32_t *set = set_of(t, hash);

	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++) {
		if (set[k] == guess_of(hash, position))
			set[k] = 0;
	}
}

// Asks the hash for flows that were not where they were guessed.
static __attribute__((noinline)) void search(struct drb_flow_table *t, const uint64_t hash[],
					     const uint8_t missed[], uint32_t count,
					     int32_t position[])
{
	const void *key[DRB_FLOW_BULK];
	int32_t found[DRB_FLOW_BULK];

	for (uint32_t i = 0; i < count; i++)
		key[i] = &hash[missed[i]];
	if (rte_hash_lookup_bulk(t->hash, key, count, found) < 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (found[i] < 0)
			continue;
		position[missed[i]] = found[i];
		learn(t, hash[missed[i]], (uint32_t)found[i]);
	}
}

void drb_flow_table_find(struct drb_flow_table *t, const uint64_t hash[], uint32_t count,
			 int32_t position[])
{
	uint8_t missed[DRB_FLOW_BULK];
	uint32_t misses = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *set = set_of(t, hash[i]);
		uint32_t guess = set[0], bits = (uint32_t)(hash[i] >> 56);
		for (uint32_t k = 1; k < DRB_FLOW_WAYS; k++)
			guess = set[k] >> 24 == bits ? set[k] : guess;
		position[i] = guess & 0xffffff;
		__builtin_prefetch(&t->entry[position[i]], 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct drb_flow_entry *e = &t->entry[position[i]];
		bool hit = e->hash == hash[i] && e->live;
		position[i] = hit ? position[i] : DRB_FLOW_NONE;
		missed[misses] = (uint8_t)i;
		misses += !hit;
	}
	if (misses > 0)
		search(t, hash, missed, misses, position);
}

void drb_flow_table_begin(struct drb_flow_table *t, int32_t position, uint32_t uplink,
			  uint32_t tick)
{
	struct drb_flow_entry *e = &t->entry[position];

	e->seen = tick;
	e->uplink = (uint8_t)uplink;
	e->live = true;
	e->closing = false;
	t->flows[uplink]++;
	t->appeared++;
}

void drb_flow_table_end(struct drb_flow_table *t, int32_t position)
{
	struct drb_flow_entry *e = &t->entry[position];

	t->flows[e->uplink]--;
	t->closed += e->closing;
	t->idled += !e->closing;
	e->live = false;
}

int32_t drb_flow_table_add(struct drb_flow_table *t, uint64_t hash, uint32_t uplink, uint32_t tick)
{
	if (t->live >= t->max)
		return DRB_FLOW_NONE;
	int32_t position = rte_hash_add_key(t->hash, &hash);
	if (position < 0)
		return DRB_FLOW_NONE;
	t->live++;
	t->used[position / 64] |= UINT64_C(1) << position % 64;
	t->entry[position].hash = hash;
	if (t->live * 2 > (t->sets_mask + 1) * DRB_FLOW_WAYS && t->sets_mask + 1 < t->sets_max)
		t->sets_mask = t->sets_mask * 2 + 1;
	learn(t, hash, (uint32_t)position);
	drb_flow_table_begin(t, position, uplink, tick);
	return position;
}

static void take_out(struct drb_flow_table *t, uint32_t position)
{
	drb_flow_table_end(t, (int32_t)position);
	t->used[position / 64] &= ~(UINT64_C(1) << position % 64);
	t->live--;
	forget(t, t->entry[position].hash, position);
	rte_hash_del_key(t->hash, &t->entry[position].hash);
}

void drb_flow_table_age(struct drb_flow_table *t, uint64_t now_ns)
{
	uint32_t words = t->slots / 64, end_word = (t->word / t->chunk + 1) * t->chunk;
	uint32_t tick = drb_flow_tick(now_ns), visits = 0;

	if (now_ns < t->due_ns)
		return;
	end_word = end_word < words ? end_word : words;
	for (; t->word < end_word && visits < VISITS_MAX; t->word++) {
		for (uint64_t left = t->used[t->word]; left; left &= left - 1) {
			uint32_t position = t->word * 64 + (uint32_t)__builtin_ctzll(left);
			visits++;
			if (drb_flow_ended(t, &t->entry[position], tick))
				take_out(t, position);
		}
	}
	if (t->word < end_word)
		return; // goes on in the next turn
	t->word = end_word < words ? end_word : 0;
	t->due_ns += t->step_ns;
	if (t->due_ns < now_ns)
		t->due_ns = now_ns + t->step_ns;
}
