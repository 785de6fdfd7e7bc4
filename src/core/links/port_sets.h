// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets of up to 64 ports as bits, down-ports first. Use these functions to cut sets: C does not
// define a shift by all 64 bits, and a core switch of arity 32 has 64 down-ports.

#include <stdint.h>

// The ports 0..count-1; count <= 64.
static inline uint64_t drb_ports_below(uint32_t count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

// The ports of a set from `first` on, renumbered from 0. With first = down_ports these are the
// uplinks.
static inline uint64_t drb_ports_from(uint64_t set, uint32_t first)
{
	return first < 64 ? set >> first : 0;
}
