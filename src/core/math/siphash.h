// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012): a hash under
// a secret key. Who does not know the key cannot choose inputs whose hashes meet, nor learn them by trial.

#include <stdint.h>

struct drb_siphash_key {
	uint64_t word[2];
};

// The hash of a message, as its last block of eight octets: the octets left over, and above them the
// message's length in octets; before it `count` whole words, little-endian.
static inline __attribute__((always_inline)) uint64_t drb_siphash(const struct drb_siphash_key *key,
								  const uint64_t word[],
								  uint32_t count, uint64_t last)
{
	uint64_t a = key->word[0] ^ UINT64_C(0x736f6d6570736575);
	uint64_t b = key->word[1] ^ UINT64_C(0x646f72616e646f6d);
	uint64_t c = key->word[0] ^ UINT64_C(0x6c7967656e657261);
	uint64_t d = key->word[1] ^ UINT64_C(0x7465646279746573);

#define ROTATE(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))
#define ROUND()                                                                                    \
	do {                                                                                       \
		a += b, b = ROTATE(b, 13) ^ a, a = ROTATE(a, 32);                                  \
		c += d, d = ROTATE(d, 16) ^ c;                                                     \
		a += d, d = ROTATE(d, 21) ^ a;                                                     \
		c += b, b = ROTATE(b, 17) ^ c, c = ROTATE(c, 32);                                  \
	} while (0)

	for (uint32_t i = 0; i <= count; i++) {
		uint64_t block = i < count ? word[i] : last;
		d ^= block;
		ROUND();
		a ^= block;
	}
	c ^= 0xff;
	ROUND();
	ROUND();
	ROUND();
#undef ROUND
#undef ROTATE
	return a ^ b ^ c ^ d;
}
