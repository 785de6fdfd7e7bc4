// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/keyed_hash.h"

// Words hashed with each key: as many as there are buckets.
#define WORDS 4096
#define KEYS 200

static struct drb_hash_key random_key(struct drb_rng *r)
{
	struct drb_hash_key key;

	for (size_t i = 0; i < ARRAY_SIZE(key.word); i++)
		key.word[i] = drb_rng_next(r);
	return key;
}

// Every bit of the words and of the key changes about half of the hash's bits.
TEST(avalanche)
{
	struct drb_rng r = drb_rng_seed(1, 1);
	uint64_t changed[6 * 64] = {0};
	const int rounds = 2000;

	for (int round = 0; round < rounds; round++) {
		struct drb_hash_key key = random_key(&r);
		uint64_t word[2] = {drb_rng_next(&r), drb_rng_next(&r)};
		uint64_t before = drb_keyed_hash(&key, word[0], word[1]);
		for (size_t bit = 0; bit < ARRAY_SIZE(changed); bit++) {
			uint64_t *of = bit < 128 ? &word[bit / 64] : &key.word[bit / 64 - 2];
			*of ^= UINT64_C(1) << bit % 64;
			uint64_t after = drb_keyed_hash(&key, word[0], word[1]);
			changed[bit] += (uint64_t)__builtin_popcountll(before ^ after);
			*of ^= UINT64_C(1) << bit % 64;
		}
	}
	// 32 of 64 on average, with a standard error of 4 / sqrt(rounds) = 0.09.
	for (size_t bit = 0; bit < ARRAY_SIZE(changed); bit++) {
		double mean = (double)changed[bit] / rounds;
		assert_true(mean > 31.5 && mean < 32.5);
	}
}

// The fullest of 4096 buckets, by 12 bits of the hash.
static uint32_t fullest(const struct drb_hash_key *key, int pattern, int shift)
{
	static uint16_t in[WORDS];
	uint32_t most = 0;

	memset(in, 0, sizeof(in));
	for (uint64_t i = 0; i < WORDS; i++) {
		uint64_t a = UINT64_C(0x7600a0650c000a0a), b = UINT64_C(0x0011000800000000);
		switch (pattern / 4) {
		case 0: // one word differs, from any byte on
			b ^= i << 8 * (pattern % 4);
			break;
		case 1:
			a ^= i << (8 * (pattern % 4) + 24);
			break;
		case 2: // both words differ
			a ^= i << 8 * (pattern % 4);
			b ^= i;
			break;
		default: // a factor of an unkeyed hash is 0 or nearly 0
			a = UINT64_C(0xa0761d6478bd642f) ^ (uint64_t)(pattern % 4);
			b = i << 4;
		}
		uint16_t *bucket = &in[drb_keyed_hash(key, a, b) >> shift & (WORDS - 1)];
		most = ++*bucket > most ? *bucket : most;
	}
	return most;
}

// Words with a chosen pattern are spread over a table like random words, with every key. With 4096
// random words and buckets, a bucket with more than 12 has probability 1e-6.
TEST(chosen_words)
{
	static const int shifts[] = {0, 16, 32, 52};
	struct drb_rng r = drb_rng_seed(2, 2);

	for (int k = 0; k < KEYS; k++) {
		const struct drb_hash_key key = random_key(&r);
		for (int pattern = 0; pattern < 16; pattern++) {
			for (size_t s = 0; s < ARRAY_SIZE(shifts); s++)
				assert_in_range(fullest(&key, pattern, shifts[s]), 3, 12);
		}
	}
}

TEST_MAIN(NULL, NULL)
