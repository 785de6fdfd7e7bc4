// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Length of the longest list on a command line: a mistyped step must not exhaust the memory.
#define REALS_MAX 100000

struct unit {
	const char *name;
	double factor;
};

// Reads a number in plain decimal form and sets *rest to the text after it. strtod alone would also
// accept "inf", "nan", hexadecimal numbers and leading blanks.
static int read_real(const char *text, double *value, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) &&
	    !(text[0] == '.' && isdigit((unsigned char)text[1])))
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	*value = strtod(text, &end);
	*rest = end;
	return isfinite(*value) ? 0 : -EINVAL;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++) {
		if (strcmp(units->name, name) == 0)
			return units;
	}
	return NULL;
}

static const struct unit packet_units[] = {
	{"pps", 1}, {"kpps", 1e3}, {"Kpps", 1e3}, {"Mpps", 1e6}, {NULL, 0}};
static const struct unit bit_units[] = {{"bit", 1},      {"kbit", 1e3},   {"Kbit", 1e3},
					{"Mbit", 1e6},   {"Gbit", 1e9},   {"bit/s", 1},
					{"kbit/s", 1e3}, {"Kbit/s", 1e3}, {"Mbit/s", 1e6},
					{"Gbit/s", 1e9}, {NULL, 0}};
static const struct unit time_units[] = {
	{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {NULL, 0}};

int drb_parse_rate(const char *text, struct drb_rate *out)
{
	const char *rest;
	double value;

	if (strcmp(text, "none") == 0) {
		*out = (struct drb_rate){0};
		return 0;
	}
	if (read_real(text, &value, &rest) < 0)
		return -EINVAL;
	const struct unit *u = find_unit(packet_units, rest);
	bool per_packet = u != NULL;
	if (!u)
		u = find_unit(bit_units, rest);
	// The slowest rates keep the time of one byte (or packet) within 32 bits of ns.
	if (!u || value * u->factor < (per_packet ? 0.25 : 8) || value * u->factor > 1e13)
		return -EINVAL;
	*out = (struct drb_rate){.value = value * u->factor, .per_packet = per_packet};
	return 0;
}

// Returns the unit in which the value is shortest to read: the largest unit that leaves at least 1.
static const struct unit *unit_for(const struct unit *units, double value)
{
	const struct unit *best = units;

	for (; units->name; units++) {
		if (units->factor > best->factor && value >= units->factor)
			best = units;
	}
	return best;
}

void drb_format_rate(const struct drb_rate *rate, char *buf, size_t size)
{
	if (rate->value == 0) {
		snprintf(buf, size, "none");
		return;
	}
	const struct unit *u = unit_for(rate->per_packet ? packet_units : bit_units, rate->value);
	// Uses the fewest digits that give the same rate again. 17 digits in the base unit always
	// do.
	for (int digits = 6; digits <= 17; digits++) {
		struct drb_rate back;
		snprintf(buf, size, "%.*g%s", digits, rate->value / u->factor, u->name);
		if (drb_parse_rate(buf, &back) == 0 && back.value == rate->value)
			return;
	}
	snprintf(buf, size, "%.17g%s", rate->value, rate->per_packet ? "pps" : "bit");
}

int drb_parse_time(const char *text, uint64_t *ns)
{
	const char *rest;
	double value;

	if (read_real(text, &value, &rest) < 0)
		return -EINVAL;
	const struct unit *u = find_unit(time_units, rest);
	if (!u || value * u->factor > 1e18)
		return -EINVAL;
	*ns = (uint64_t)llround(value * u->factor);
	return 0;
}

int drb_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno || *end || value < min || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

int drb_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *out)
{
	uint64_t value;

	if (drb_parse_u64(text, min, max, &value) < 0)
		return -EINVAL;
	*out = (uint32_t)value;
	return 0;
}

int drb_parse_real(const char *text, double min, double max, double *out)
{
	const char *rest;
	double value;

	if (read_real(text, &value, &rest) < 0 || *rest || !(value >= min && value <= max))
		return -EINVAL;
	*out = value;
	return 0;
}

// A list that is being read, and the range of its numbers.
struct reading {
	struct drb_reals list;
	double min, max;
};

static int append(struct reading *r, double value)
{
	struct drb_reals *list = &r->list;

	if (!(value >= r->min && value <= r->max) || list->count >= REALS_MAX)
		return -EINVAL;
	if ((list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		double *p = realloc(list->value, room * sizeof(*p));
		if (!p)
			return -EINVAL;
		list->value = p;
	}
	list->value[list->count++] = value;
	return 0;
}

// Appends from, from + step, ... up to `to`. If the last step misses `to` only by rounding, it is
// included.
static int append_range(struct reading *r, double from, double to, double step)
{
	if (!(step > 0) || to < from || (to - from) / step > REALS_MAX)
		return -EINVAL;
	size_t steps = (size_t)floor((to - from) / step + 1e-9);
	for (size_t i = 0; i <= steps; i++) {
		// Rounded so that 0.6 + 3 * 0.03 is printed, and used as a seed, as 0.69.
		double value = round((from + (double)i * step) * 1e12) / 1e12;
		if (append(r, value) < 0)
			return -EINVAL;
	}
	return 0;
}

static int parse_item(struct reading *r, const char *p, const char **rest)
{
	double from, to, step = 1;

	if (read_real(p, &from, &p) < 0)
		return -EINVAL;
	if (*p == '-' || *p == ':') {
		bool stepped = *p == ':';
		if (read_real(p + 1, &to, &p) < 0)
			return -EINVAL;
		if (stepped && (*p != ':' || read_real(p + 1, &step, &p) < 0))
			return -EINVAL;
		*rest = p;
		return append_range(r, from, to, step);
	}
	*rest = p;
	return append(r, from);
}

int drb_parse_reals(const char *text, double min, double max, struct drb_reals *out)
{
	struct reading r = {.min = min, .max = max};

	for (const char *p = text;; p++) {
		if (parse_item(&r, p, &p) < 0 || (*p != ',' && *p != '\0')) {
			free(r.list.value);
			return -EINVAL;
		}
		if (*p == '\0')
			break;
	}
	*out = r.list;
	return 0;
}

const char *drb_format_duration(double ns, char text[DRB_DURATION_MAX])
{
	double seconds = ns / 1e9;

	if (seconds < 1)
		snprintf(text, DRB_DURATION_MAX, "%.3f s", seconds);
	else if (seconds < 120)
		snprintf(text, DRB_DURATION_MAX, "%.1f s", seconds);
	else if (seconds < 7200)
		snprintf(text, DRB_DURATION_MAX, "%.0f min %.0f s", floor(seconds / 60),
			 floor(fmod(seconds, 60)));
	else if (seconds < 2 * 86400)
		snprintf(text, DRB_DURATION_MAX, "%.0f h %.0f min", floor(seconds / 3600),
			 floor(fmod(seconds, 3600) / 60));
	else
		snprintf(text, DRB_DURATION_MAX, "%.0f days %.0f h", floor(seconds / 86400),
			 floor(fmod(seconds, 86400) / 3600));
	return text;
}
