// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/rounds.h"

void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt)
{
	const uint32_t uplinks = drb_tree_up_ports(t, layer);

	for (uint32_t i = 0; i < drb_rounds(t, layer); i++) {
		uint32_t first = drb_scale32((uint32_t)(drb_mix64(salt + i) >> 32), uplinks);
		round[i] = first | drb_round_after(first, uplinks) << 16;
	}
}
