// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The same work on many items at once. For calls that wait rather than compute: the kernel takes
// tens of ms to close a packet socket, spent waiting until no CPU uses it any more.

#include <stdint.h>

// Calls work(context, i) for every i in [0, count), in any order, on a few threads, and returns
// when all have returned. Without memory for threads it does the work itself.
void parallel_for(uint32_t count, void (*work)(void *context, uint32_t i), void *context);
