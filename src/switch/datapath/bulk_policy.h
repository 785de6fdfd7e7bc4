// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A worker that wakes takes the CPU from the switch that sends to it, so that each wake-up brings few packets. Under
// bulk traffic it lets the sender go on, and receives more at once (SCHED_BATCH).

#include "switch/datapath/worker/worker.h"

#define DRB_BULK_SPAN_NS 4000000
#define DRB_BULK_OCTETS (DRB_BULK_SPAN_NS / 16) // in a span: 500 Mbit/s
#define DRB_BULK_CALM_NS 20000000 // without as much: prompt again, from the next sleep on

// In the worker's thread, as it begins: one of another policy than SCHED_OTHER keeps it.
void drb_bulk_policy_init(struct drb_worker *w);
// In the worker's thread, before it sleeps. One with a rate must wake on time, and waits for nobody.
void drb_bulk_policy_update(struct drb_worker *w);
