// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers as people write them, on command lines and in config files. Every function returns 0, or
// -EINVAL for a bad form or a value out of range. *out is then unchanged.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A link rate: "500pps", "2.5kpps", "10Mbit", "1Gbit/s", "9600bit", or "none"; at least 0.25
// packets/s or 8 bit/s.
struct drb_rate {
	double value;    // packets/s or bit/s; 0: no limit
	bool per_packet; // packets/s
};

// True if the time of a packet can be a slot: a microsecond or more.
static inline bool drb_rate_has_slots(const struct drb_rate *rate)
{
	return rate->per_packet && rate->value > 0 && rate->value <= 1e6;
}

int drb_parse_rate(const char *text, struct drb_rate *out);
// Writes a text that drb_parse_rate() reads back as the same rate.
void drb_format_rate(const struct drb_rate *rate, char *buf, size_t size);

// A time with its unit, such as "2ms", "500us", "1s" or "100ns", in ns.
int drb_parse_time(const char *text, uint64_t *ns);
// A duration in ns as text for people: "0.190 s", "12.5 s", "3 min 20 s", "24 h 0 min", "12 days 3
// h".
#define DRB_DURATION_MAX 40
const char *drb_format_duration(double ns, char text[DRB_DURATION_MAX]);
// Parses a whole decimal number in [min, max], with no text after it.
int drb_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);
int drb_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *out);
// A finite real in [min, max].
int drb_parse_real(const char *text, double min, double max, double *out);

// Lists of numbers: "3", "1-20", "1,2,5-8", "0.6:0.99:0.03" (from:to:step, the end included).
struct drb_reals {
	double *value; // owned; free() it
	size_t count;
};

int drb_parse_reals(const char *text, double min, double max, struct drb_reals *out);
