// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/rounds.h"

#include "core/math/random.h"

void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt)
{
	for (uint32_t i = 0; i < drb_rounds(t, layer); i++) {
		uint32_t first = drb_scale32((uint32_t)(drb_mix64(salt + i) >> 32), t->arity);
		round[i] = first | (first + 1 == t->arity ? 0 : first + 1) << 16;
	}
}
