// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbctl: reads the counters of running switches over their stats sockets.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/cli/format_option.h"
#include "common/cli/table.h"
#include "common/telemetry/switch_reader.h"

// Options of every verb, and the switches it is about.
struct ctl {
	const char *fabric;  // NULL: the default where one is needed, else any
	const char *runtime; // NULL: where EAL puts its sockets
	uint32_t timeout_ms;
	enum drb_format format;
	struct drb_rest names; // none: all
	bool all;
};

// Sets of drb_options_parse(): --fabric, --runtime and --timeout; the same and --csv, --json, --wide, for verbs that
// print a table; --all.
extern const struct drb_option ctl_options[], ctl_all_option[];
// clang-format off
#define CTL_SET(ctl) {.option = ctl_options, ctl}
#define CTL_TABLE_SETS(ctl) CTL_SET(ctl), {.option = drb_format_options, &(ctl)->format}
// clang-format on
struct ctl ctl_defaults(void);

// Names of switches, or --all: ends the program if it is both or neither.
void ctl_need_switches(const struct ctl *ctl);

// A switch that answered: `t` is connected and `info` was read from it. 0 or a negative errno.
typedef int (*ctl_visit)(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg);

// Visits the switches named ("s2-5" of ctl->fabric, or "drb-s2-5"), or with names NULL every
// running one of ctl->fabric. What cannot be reached gets a message and the others their turn.
// DRB_EXIT_OK, or DRB_EXIT_FAILED if a switch could not be reached or read, or none is running.
int ctl_each(const struct ctl *ctl, char *const names[], size_t count, ctl_visit visit, void *arg);

// Says that no switch, or not this instance ("drb-s2-5"), is running, or that there is no permission
// to know.
void ctl_say_none(const struct ctl *ctl, const char *instance);

// The instance that the user means by "s2-5" or "drb-s2-5"; exits if the text names no switch.
void ctl_instance(const struct ctl *ctl, const char *text, char instance[DRB_NAME_MAX]);
void ctl_must_be_switch(const struct ctl *ctl, const char *text);

// Of `part` among part + rest; NaN if there is nothing.
static inline double ctl_percent(uint64_t part, uint64_t rest)
{
	return part + rest > 0 ? 100.0 * (double)part / (double)(part + rest) : NAN;
}
