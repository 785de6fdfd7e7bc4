// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/flow_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Steps of one pass over the whole table, which takes a quarter of the shorter of idle and grace
// time.
#define STEPS 16
// Most flows checked in one step.
#define VISITS_MAX 256
#define STEP_MIN_NS 100000
// Mean number of flows per bucket above which a bucket is added.
#define FILL 3
// Buckets at the start.
#define BUCKETS_MIN 64

_Static_assert(sizeof(struct drb_flow_bucket) == 64, "a cache line");

static uint32_t buckets_for(uint32_t max)
{
	uint32_t buckets = rte_align32pow2(max / FILL + 1);

	return buckets > BUCKETS_MIN ? buckets : BUCKETS_MIN;
}

// Position 0 is never used, and `used` has whole words.
static uint32_t positions_for(uint32_t max)
{
	return (max + 1 + 63) & ~63u;
}

void drb_flow_table_times(struct drb_flow_table *t, uint64_t idle_ns, uint64_t grace_ns)
{
	uint64_t step = (idle_ns < grace_ns ? idle_ns : grace_ns) / 4 / STEPS;

	t->idle = drb_flow_tick(idle_ns);
	t->grace = drb_flow_tick(grace_ns);
	t->step_ns = step > STEP_MIN_NS ? step : STEP_MIN_NS;
}

static void start_small(struct drb_flow_table *t)
{
	t->buckets = BUCKETS_MIN;
	t->mask = BUCKETS_MIN - 1;
	memset(t->spilled, 0,
	       BUCKETS_MIN * sizeof(*t->spilled)); // bucket_split() sets the others
}

int drb_flow_table_init(struct drb_flow_table *t, uint32_t max, uint32_t senders)
{
	*t = (struct drb_flow_table){
		.max = max,
		.slots = positions_for(max),
		.unused = 1,
		.buckets_max = buckets_for(max),
		.shares = senders < DRB_FLOW_SHARES ? senders : DRB_FLOW_SHARES,
	};
	t->kept = max / 2 / t->shares;
	t->common = max - t->kept * t->shares;
	t->chunk = t->slots / 64 / STEPS + 1;
	// Memory of libc, even where DPDK has hugepages: these are counted at the start, but a
	// reload may choose another unit later. The kernel allocates pages as flows use them.
	t->memory = calloc(t->buckets_max + 1, sizeof(*t->bucket));
	t->bucket = RTE_PTR_ALIGN(t->memory, sizeof(*t->bucket));
	t->spilled = calloc(t->buckets_max, sizeof(*t->spilled));
	t->entry = calloc(t->slots, sizeof(*t->entry));
	t->used = calloc(t->slots / 64, sizeof(*t->used));
	if (!t->memory || !t->spilled || !t->entry || !t->used) {
		drb_flow_table_free(t);
		return -ENOMEM;
	}
	start_small(t);
	return 0;
}

void drb_flow_table_free(struct drb_flow_table *t)
{
	free(t->memory);
	free(t->spilled);
	free(t->entry);
	free(t->used);
	*t = (struct drb_flow_table){0};
}

// Parts of a hash: the first bucket, the second bucket, and the tag of its flow.
static uint32_t first_of(const struct drb_flow_table *t, uint64_t hash)
{
	return drb_flow_bucket_of(t, (uint32_t)hash);
}

static uint32_t second_of(const struct drb_flow_table *t, uint64_t hash)
{
	return drb_flow_bucket_of(t, (uint32_t)(hash >> 32));
}

static uint8_t tag_of(uint64_t hash)
{
	uint8_t tag = (uint8_t)(hash >> 56);

	return tag > 0 ? tag : 1;
}

// The ways of a bucket with this tag, a bit each.
static inline uint32_t ways_of(const struct drb_flow_bucket *b, uint8_t tag)
{
	uint32_t ways = 0;

#ifdef __SSE2__
	__m128i tags = _mm_load_si128((const __m128i *)(const void *)b->tag);
	ways = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(tags, _mm_set1_epi8((char)tag)));
#else
	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++)
		ways |= (uint32_t)(b->tag[k] == tag) << k;
#endif
	return ways & ((1u << DRB_FLOW_WAYS) - 1);
}

static int32_t search_bucket(const struct drb_flow_table *t, const struct drb_flow_bucket *b,
			     uint64_t hash)
{
	for (uint32_t ways = ways_of(b, tag_of(hash)); ways; ways &= ways - 1) {
		uint32_t position = b->position[__builtin_ctz(ways)];
		if (t->entry[position].hash == hash)
			return (int32_t)position;
	}
	return DRB_FLOW_NONE;
}

// Searches both buckets for a flow that is not at the first way with its tag.
static __attribute__((noinline)) int32_t search(const struct drb_flow_table *t, uint64_t hash)
{
	uint32_t first = first_of(t, hash);
	int32_t position = search_bucket(t, &t->bucket[first], hash);

	if (position == DRB_FLOW_NONE && t->spilled[first] > 0)
		position = search_bucket(t, &t->bucket[second_of(t, hash)], hash);
	return position;
}

void drb_flow_table_find(const struct drb_flow_table *t, const uint64_t hash[], uint32_t count,
			 int32_t position[])
{
	for (uint32_t i = 0; i < count; i++) {
		const struct drb_flow_bucket *b = &t->bucket[first_of(t, hash[i])];
		uint32_t ways = ways_of(b, tag_of(hash[i])) | 1u << (DRB_FLOW_WAYS - 1);
		position[i] = (int32_t)b->position[__builtin_ctz(ways)];
		__builtin_prefetch(&t->entry[position[i]], 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct drb_flow_entry *e = &t->entry[position[i]];
		if (__builtin_expect(e->hash != hash[i] || !e->live, 0))
			position[i] = search(t, hash[i]);
	}
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

// Puts a flow into a bucket. False if the bucket is full.
static bool place(struct drb_flow_bucket *b, uint64_t hash, uint32_t position)
{
	uint32_t ways = ways_of(b, 0);

	if (ways == 0)
		return false;
	b->tag[__builtin_ctz(ways)] = tag_of(hash);
	b->position[__builtin_ctz(ways)] = position;
	return true;
}

// Adds a bucket: splits another one, and moves the flows that belong to the new one there.
static void bucket_split(struct drb_flow_table *t)
{
	if (t->buckets > t->mask)
		t->mask = t->mask * 2 + 1;
	const uint32_t from = t->buckets - (t->mask + 1) / 2;
	struct drb_flow_bucket *old = &t->bucket[from], *new = &t->bucket[t->buckets];
	uint32_t stays = 0;
	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++)
		stays |= (uint32_t)(old->tag[k] != 0 &&
				    first_of(t, t->entry[old->position[k]].hash) == from)
			 << k;
	// For flows in their second bucket, the other half of the hash selects the bucket.
	t->buckets++;
	for (uint32_t k = 0; k < DRB_FLOW_WAYS; k++) {
		if (old->tag[k] == 0)
			continue;
		uint64_t hash = t->entry[old->position[k]].hash;
		uint32_t to = stays >> k & 1 ? first_of(t, hash) : second_of(t, hash);
		if (to != from) {
			place(new, hash, old->position[k]);
			old->tag[k] = 0;
		}
	}
	t->spilled[t->buckets - 1] = t->spilled[from];
}

// Puts a flow into one of its buckets. False if both are full.
static bool insert(struct drb_flow_table *t, uint64_t hash, uint32_t position)
{
	uint32_t first = first_of(t, hash);

	if (place(&t->bucket[first], hash, position))
		return true;
	if (t->spilled[first] == UINT16_MAX ||
	    !place(&t->bucket[second_of(t, hash)], hash, position))
		return false;
	t->spilled[first]++;
	return true;
}

int32_t drb_flow_table_add(struct drb_flow_table *t, uint64_t hash, uint32_t sender,
			   uint32_t uplink, uint32_t tick)
{
	const uint32_t position = t->free ? t->free : t->unused;
	struct drb_flow_entry *e = &t->entry[position];

	if (!drb_flow_table_has_room(t, sender))
		return DRB_FLOW_NONE;
	if (t->live >= t->buckets * FILL && t->buckets < t->buckets_max)
		bucket_split(t);
	if (!insert(t, hash, position))
		return DRB_FLOW_NONE;
	if (t->free)
		t->free = e->seen;
	else
		t->unused++;
	e->hash = hash;
	e->share = (uint8_t)(sender % t->shares);
	t->taken += t->held[e->share]++ >= t->kept;
	t->live++;
	t->used[position / 64] |= UINT64_C(1) << position % 64;
	drb_flow_table_begin(t, (int32_t)position, uplink, tick);
	return (int32_t)position;
}

// Frees the way of a bucket that holds this position. False if none does.
static bool position_forget(struct drb_flow_bucket *b, uint64_t hash, uint32_t position)
{
	for (uint32_t ways = ways_of(b, tag_of(hash)); ways; ways &= ways - 1) {
		if (b->position[__builtin_ctz(ways)] == position) {
			b->tag[__builtin_ctz(ways)] = 0;
			return true;
		}
	}
	return false;
}

static void take_out(struct drb_flow_table *t, uint32_t position)
{
	struct drb_flow_entry *e = &t->entry[position];
	uint32_t first = first_of(t, e->hash);

	drb_flow_table_end(t, (int32_t)position);
	t->used[position / 64] &= ~(UINT64_C(1) << position % 64);
	t->taken -= t->held[e->share]-- > t->kept;
	if (!position_forget(&t->bucket[first], e->hash, position)) {
		position_forget(&t->bucket[second_of(t, e->hash)], e->hash, position);
		t->spilled[first]--;
	}
	e->hash = 0;
	e->seen = t->free; // the next one in the free list
	t->free = position;
	if (--t->live == 0) // all buckets are empty: begin with few again
		start_small(t);
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
		return; // continues in the next iteration
	t->word = end_word < words ? end_word : 0;
	t->due_ns += t->step_ns;
	if (t->due_ns < now_ns)
		t->due_ns = now_ns + t->step_ns;
}
