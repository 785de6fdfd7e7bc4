// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bulk traffic on CPUs that switches share: a worker that wakes pushes the switch before it, which sends to it, off
// the CPU, so that each wake-up brings it few packets. Under bulk traffic a worker is SCHED_BATCH, which waits until
// others sleep or have had their turn; without, it is what it was started as, and forwards a packet at once.

#include <stdint.h>

#include "switch/datapath/worker/worker.h"

// Bulk: so much in one span, of packets that are so long on average.
#define DRB_BULK_SPAN_NS 4000000
#define DRB_BULK_MBPS 500
#define DRB_BULK_OCTETS 400
// After so long without, the worker is prompt again.
#define DRB_BULK_CALM_NS 20000000

// A worker that woke so late has too many others beside it to wait for all of them, as neighbours would take its links
// for dead: for a while it is prompt whatever comes.
#define DRB_BULK_LATE_NS 10000000
#define DRB_BULK_HOLD_NS UINT64_C(10000000000)

// In the worker's thread, when it begins. Workers that spin do not wake; those with a rate must wake in time to send.
// One that was started with another policy than SCHED_OTHER keeps it.
void drb_bulk_init(struct drb_worker *w);
// In the worker's thread, before it sleeps.
void drb_bulk_look(struct drb_worker *w, uint64_t now_ns);
// After a sleep that should have ended by due_ns.
static inline void drb_bulk_woke(struct drb_worker *w, uint64_t due_ns, uint64_t now_ns)
{
	if (now_ns > due_ns && now_ns - due_ns >= DRB_BULK_LATE_NS)
		w->bulk.late_ns = now_ns;
}
