// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A hash of two words under a secret key, for tables whose entries others choose. It folds two
// products of 128 bits to 64, as in wyhash (Wang Yi), but every factor has secret bits. Without the
// key, words cannot be chosen so that their hashes collide more often than those of random words
// (tests/unit/core/test_keyed_hash.c tries). With a single product, consecutive ports share buckets
// up to 27 times as often under some keys.
// This is not a cipher: hashes may reveal the key, so they must not leave the program.

#include <stdint.h>

#include "core/math/random.h"

struct drb_hash_key {
	uint64_t word[4]; // random
};

static inline __attribute__((always_inline)) uint64_t drb_keyed_hash(const struct drb_hash_key *key,
								     uint64_t a, uint64_t b)
{
	uint64_t first = drb_product64(a ^ key->word[0], b ^ key->word[1]);

	return drb_product64(first ^ key->word[2], key->word[3]);
}
