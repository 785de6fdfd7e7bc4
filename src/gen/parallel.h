// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs the same function on many items at once. It is meant for calls that wait rather than
// compute. For example, the kernel takes tens of ms to close a packet socket, because it waits
// until no CPU uses the socket any more.

#include <stdint.h>

// Calls work(context, i) for every i in [0, count), in any order, on a few threads, and returns
// when all calls have returned. If threads cannot be started, the caller's thread does the work.
void parallel_for(uint32_t count, void (*work)(void *context, uint32_t i), void *context);
