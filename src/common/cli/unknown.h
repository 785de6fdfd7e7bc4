// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures that a switch of another version does not report. They are empty in CSV, null in JSON,
// "-" in tables and absent in metrics. Sums and rates over them are unknown, too.

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// No counter has this value, because integers of JSON end at INT64_MAX.
#define DRB_UNKNOWN UINT64_MAX
#define DRB_UNKNOWN_TEXT "?"

static inline uint64_t drb_sum(uint64_t a, uint64_t b)
{
	return a == DRB_UNKNOWN || b == DRB_UNKNOWN ? DRB_UNKNOWN : a + b;
}

// The value as a real number; NaN if it is unknown.
static inline double drb_real_of(uint64_t value)
{
	return value == DRB_UNKNOWN ? NAN : (double)value;
}

// The later reading of a counter minus the earlier, negative if it became smaller. NaN if either is
// unknown.
static inline double drb_difference(uint64_t before, uint64_t now)
{
	return before == DRB_UNKNOWN || now == DRB_UNKNOWN ? NAN : (double)(int64_t)(now - before);
}

// The text, or NULL if it is unknown, which tables show as absent.
static inline const char *drb_known_text(const char *text)
{
	return text[0] == DRB_UNKNOWN_TEXT[0] && !text[1] ? NULL : text;
}
