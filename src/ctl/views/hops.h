// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hops of traced packets: how many left each port of each switch, by which decision, and the
// queues that they found.

#include <stddef.h>
#include <stdint.h>

#include "common/cli/table.h"
#include "ctl/capture/session.h"

struct hop;

struct hops {
	struct hop *at; // owned
	size_t count, room;
};

// Counts a packet that left a switch, or was dropped there.
void hops_count(struct hops *hops, const struct session *s, const struct drb_capture_slot *p);
// Adds a row for each hop, in the order in which packets pass them. `sent`: packets that left the
// first switch, of which rows have shares.
void hops_print(struct hops *hops, struct drb_table *rows, uint64_t sent);
void hops_free(struct hops *hops);
