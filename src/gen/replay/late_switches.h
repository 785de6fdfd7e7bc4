// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the switches of a fabric kept up with their links while something was replayed, by their own
// counters. What they do late looks like latency of the fabric.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/names.h"

struct late_sum {
	uint32_t switches;        // that were late
	uint64_t slots, lost_ns;  // of all: packets a slot late, link time lost
	char worst[DRB_NAME_MAX]; // instance that lost most
};

// The counters of a fabric before a replay.
struct late_counts {
	struct late_count *at; // owned: late_switches_end()
	size_t count;
};

// Reads them from the switches that answer promptly; after one that does not, no further.
struct late_counts late_switches_begin(const char *fabric);
// Reads them again; what they grew by. One that was started meanwhile counts from zero.
struct late_sum late_switches_end(struct late_counts *before, const char *fabric);
// A warning if a switch was late.
void late_switches_say(const struct late_sum *late);
