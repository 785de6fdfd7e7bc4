// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/remember.h"

void drb_remember_init(uint16_t remembered[], const struct drb_choice *c)
{
	for (uint32_t i = 0; i < drb_scheme_table[c->scheme].remembers; i++)
		remembered[i] =
			(uint16_t)drb_scale32((uint32_t)(drb_mix64(c->salt + i) >> 32), c->uplinks);
}
