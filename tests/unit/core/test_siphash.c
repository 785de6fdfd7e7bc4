// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <endian.h>
#include <string.h>

#include "core/math/random.h"
#include "core/math/siphash.h"

static uint64_t hash_of(const struct drb_siphash_key *key, const uint8_t *message, size_t len)
{
	uint8_t padded[64] = {0};
	uint64_t word[8];

	memcpy(padded, message, len);
	memcpy(word, padded, sizeof(word));
	for (int i = 0; i < 8; i++)
		word[i] = le64toh(word[i]);
	return drb_siphash(key, word, (uint32_t)(len / 8), word[len / 8] | (uint64_t)len << 56);
}

// What CPython 3.11, whose hash of bytes is SipHash-1-3, has for hash(bytes(range(n))) with
// PYTHONHASHSEED=0 (its key is 0) and 42 (its key is the second).
static void known_answers(void **state)
{
	static const struct drb_siphash_key keys[] = {
		{{0, 0}}, {{UINT64_C(0xdc504fd368cd90af), UINT64_C(0xb920bb9ffe99e9c1)}}};
	static const struct {
		size_t len;
		uint64_t want[2];
	} answer[] = {
		{1, {UINT64_C(0x68a914128e01e473), UINT64_C(0xce880c366bcf3489)}},
		{7, {UINT64_C(0x2f098ab0c751325a), UINT64_C(0xce280fabc397fbda)}},
		{8, {UINT64_C(0xead411e67ebe2eea), UINT64_C(0x60866c3c108c6afb)}},
		{15, {UINT64_C(0xf30eb725bb91c9ea), UINT64_C(0x94ace24d68c18cf8)}},
		{16, {UINT64_C(0x8972188433a5c5b7), UINT64_C(0x339176f3ac59ce05)}},
		{39, {UINT64_C(0x6c76b6d34bb6d26b), UINT64_C(0xc6e27a94ae5452f3)}},
	};
	uint8_t message[64];

	(void)state;
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)i;
	for (size_t a = 0; a < ARRAY_SIZE(answer); a++) {
		for (int k = 0; k < 2; k++)
			assert_true(hash_of(&keys[k], message, answer[a].len) == answer[a].want[k]);
	}
}

// Every bit of message and key changes about half of the hash's.
static void avalanche(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 1);
	uint64_t changed[128 + 15 * 8] = {0};
	const int rounds = 2000;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		uint64_t word[4] = {drb_rng_next(&r), drb_rng_next(&r), drb_rng_next(&r),
				    drb_rng_next(&r) >> 8};
		uint64_t before = drb_siphash((const struct drb_siphash_key *)(void *)word,
					      &word[2], 1, word[3] | UINT64_C(15) << 56);
		for (size_t bit = 0; bit < ARRAY_SIZE(changed); bit++) {
			word[bit / 64] ^= UINT64_C(1) << bit % 64;
			uint64_t after = drb_siphash((const struct drb_siphash_key *)(void *)word,
						     &word[2], 1, word[3] | UINT64_C(15) << 56);
			changed[bit] += (uint64_t)__builtin_popcountll(before ^ after);
			word[bit / 64] ^= UINT64_C(1) << bit % 64;
		}
	}
	// 32 of 64 on average, with a standard error of 4 / sqrt(rounds) = 0.09.
	for (size_t bit = 0; bit < ARRAY_SIZE(changed); bit++) {
		double mean = (double)changed[bit] / rounds;
		assert_true(mean > 31.5 && mean < 32.5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(avalanche),
	};
	return cmocka_run_group_tests_name("siphash", tests, NULL, NULL);
}
