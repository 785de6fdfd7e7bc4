// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The routes around known outages, for every worker to read. One thread writes them before the
// state of links (struct drb_published_links), whose version tells the workers of changes.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/routing/routes.h"

struct drb_published_routes {
	atomic_uint version; // odd while it is being written
	atomic_bool routed;  // some outage is known: the routes are valid
	atomic_bool settled; // the neighbours know the outages, too
	uint32_t racks;      // 0: there are no routes. Constant while workers run
	atomic_ullong *to;   // ports towards each rack; owned by the writer
};

static inline void drb_routes_publish(struct drb_published_routes *p, const struct drb_routes *r,
				      bool routed, bool settled)
{
	unsigned version = atomic_load_explicit(&p->version, memory_order_relaxed);

	atomic_store_explicit(&p->version, version + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&p->routed, routed, memory_order_relaxed);
	atomic_store_explicit(&p->settled, settled, memory_order_relaxed);
	for (uint32_t i = 0; routed && i < p->racks; i++)
		atomic_store_explicit(&p->to[i], drb_routes_to(r, i), memory_order_relaxed);
	atomic_store_explicit(&p->version, version + 2, memory_order_release);
}

// True if there are news since *version, which becomes the version of to[]. to has an entry for
// every rack. Also false during a write: to[] may then have some of the news, and the rest comes
// with the next news of links.
static inline bool drb_routes_read(const struct drb_published_routes *p, unsigned *version,
				   uint64_t *to, bool *routed, bool *settled)
{
	unsigned before = atomic_load_explicit(&p->version, memory_order_acquire);

	if (before == *version || (before & 1))
		return false;
	*routed = atomic_load_explicit(&p->routed, memory_order_relaxed);
	*settled = atomic_load_explicit(&p->settled, memory_order_relaxed);
	for (uint32_t i = 0; *routed && i < p->racks; i++)
		to[i] = atomic_load_explicit(&p->to[i], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&p->version, memory_order_relaxed) != before)
		return false;
	*version = before;
	return true;
}
