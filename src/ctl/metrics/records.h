// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The switches that topo/fabric started or stopped. The records of a fabric name them even if they
// have no socket.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/names.h"

struct metrics_recorded {
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;
	uint64_t pid, started; // of its process; pid 0: stopped on purpose, or not started yet
	size_t line;           // private
};

struct metrics_records {
	struct metrics_recorded *at; // owned: the caller frees it
	size_t count;
};

// Reads the records of this fabric, or of all fabrics with NULL, ordered by fabric, layer and
// label. Records that cannot be read are ignored. Returns 0 or -ENOMEM; free records->at anyway.
int metrics_records_read(const char *fabric, struct metrics_records *records);
// True if the recorded process runs; false if a later process has its number.
bool metrics_record_runs(const struct metrics_recorded *record);
