// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threads that share the items of jobs. Each thread has items of its own, whose data stay in its
// cache. When it has done these, it takes items of others. A job never waits for a thread that has
// taken no item. Threads without work spin for microseconds, then sleep.

#include <stdint.h>

struct drb_crew;

// All jobs have the same number of items, the same number for each thread. The caller is the first
// of the `threads`. If the system refuses threads, others do their items. NULL: out of memory.
struct drb_crew *drb_crew_new(uint32_t threads, uint32_t each);
void drb_crew_free(struct drb_crew *crew);

// Calls work() once for each of the items 0..threads * each - 1, on any thread. Returns when all
// are done. Whatever the caller wrote before is visible to the items, and what they wrote is
// visible to the caller.
void drb_crew_run(struct drb_crew *crew, void (*work)(void *context, uint32_t item), void *context);
