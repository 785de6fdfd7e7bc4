// SPDX-License-Identifier: BSD-3-Clause
#include "core/math/skip.h"

// The characteristic polynomial of xoshiro256, less x^256.
static const struct drb_skip_poly rest = {
	{UINT64_C(0x9d116f2bb0f0f001), UINT64_C(0x0280002bcefd1a5e), UINT64_C(0x04b4edcf26259f85),
	 UINT64_C(0x0003c03c3f3ecb19)}};

static inline void add(struct drb_skip_poly *to, const struct drb_skip_poly *p, uint64_t mask)
{
	for (int i = 0; i < 4; i++)
		to->word[i] ^= p->word[i] & mask;
}

static uint64_t has(const struct drb_skip_poly *p, uint32_t power)
{
	return p->word[power / 64] >> power % 64 & 1;
}

static struct drb_skip_poly product(const struct drb_skip_poly *a, const struct drb_skip_poly *b)
{
	struct drb_skip_poly p = {{0}};

	for (uint32_t i = 256; i-- > 0;) {
		const uint64_t top = p.word[3] >> 63;
		for (int k = 3; k > 0; k--)
			p.word[k] = p.word[k] << 1 | p.word[k - 1] >> 63;
		p.word[0] <<= 1;
		add(&p, &rest, -top);
		add(&p, b, -has(a, i));
	}
	return p;
}

void drb_skip_init(struct drb_skip *skip)
{
	struct drb_skip_poly step = rest; // x^256

	for (int i = 0; i < DRB_SKIP_DIGITS - 1; i++) {
		skip->by[i][0] = (struct drb_skip_poly){{1}};
		for (int digit = 1; digit < 256; digit++)
			skip->by[i][digit] = product(&skip->by[i][digit - 1], &step);
		step = product(&skip->by[i][255], &step);
	}
}

// The next state is a linear map of the state. If p = x^n, then p(map) is n steps of it.
static void apply(const struct drb_skip_poly *p, struct drb_rng *r)
{
	struct drb_skip_poly sum = {{0}};
	struct drb_rng at = *r;

	for (uint32_t i = 0; i < 256; i++) {
		const struct drb_skip_poly state = {{at.s[0], at.s[1], at.s[2], at.s[3]}};
		add(&sum, &state, -has(p, i));
		drb_rng_next(&at);
	}
	for (int i = 0; i < 4; i++)
		r->s[i] = sum.word[i];
}

void drb_rng_skip(const struct drb_skip *skip, struct drb_rng *r, uint64_t count)
{
	for (uint64_t i = count % 256; i > 0; i--)
		drb_rng_next(r);
	for (int i = 0; i < DRB_SKIP_DIGITS - 1; i++) {
		count /= 256;
		if (count % 256)
			apply(&skip->by[i][count % 256], r);
	}
}
