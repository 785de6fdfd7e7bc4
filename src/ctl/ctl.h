// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbctl: reads the counters of running switches over their stats sockets.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/cli/format_option.h"
#include "common/cli/table.h"
#include "common/telemetry/switch_reader.h"
#include "ctl/metrics/poll.h"

// The options that all verbs share, and the switches that a command line names.
struct ctl {
	const char *fabric;  // NULL: the default in verbs that need a fabric, otherwise any fabric
	const char *runtime; // --runtime; NULL: the folders where EAL puts its sockets
	uint32_t timeout_ms;
	enum drb_format format;
	struct drb_rest names; // of switches; none: all
	bool all;
};

// Sets for drb_options_parse(). ctl_options has --fabric, --runtime and --timeout; ctl_all_option
// has --all. Verbs that print a table use CTL_TABLE_SETS(), which adds --csv, --json and --wide.
extern const struct drb_option ctl_options[], ctl_all_option[];
// clang-format off
#define CTL_SET(ctl) {.option = ctl_options, ctl}
#define CTL_TABLE_SETS(ctl) CTL_SET(ctl), {.option = drb_format_options, &(ctl)->format}
// clang-format on
struct ctl ctl_defaults(void);

// Ends the program unless the command line has either names of switches or --all, but not both.
void ctl_need_switches(const struct ctl *ctl);

// Called for each switch that answered: `t` is connected to it, and `info` was read from it.
// Returns 0 or a negative errno.
typedef int (*ctl_visit)(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg);

// Visits the named switches ("s2-5" of ctl->fabric, or "drb-s2-5"); with names NULL, every running
// switch of ctl->fabric. A switch that cannot be reached gets a message, and the visits continue.
// Returns DRB_EXIT_OK, or DRB_EXIT_FAILED if a switch could not be reached or read, or none is
// running.
int ctl_each(const struct ctl *ctl, char *const names[], size_t count, ctl_visit visit, void *arg);

// A poller of the named switches; without names, of all of ctl->fabric. Close it with
// metrics_poller_close().
struct metrics_poller ctl_poller(const struct ctl *ctl);
// Polls once. Returns DRB_EXIT_OK, or DRB_EXIT_FAILED if a switch is in a bad state, a named switch
// is not known, or no switch runs. In the last two cases, prints a message. Free the poll in any
// case.
int ctl_poll(const struct ctl *ctl, struct metrics_poller *poller, struct metrics_poll *poll);

// Prints a last line below a table: the number of switches in each state.
void ctl_print_states(const struct ctl *ctl, const struct metrics_poll *poll);

// Reports the state of this instance ("drb-s2-5") as drbctl list prints it, or that it is not
// running. With NULL, reports that no switch runs. Without the permission to find out, the message
// reports the lack of permission instead.
void ctl_say_none(const struct ctl *ctl, const char *instance);

// Reports the state of a switch in the words of drbctl list, with how and when, if it is dead, hung
// or stopped; false: it is not.
bool ctl_say_state(const struct metrics_switch *s);
// Reports why this instance could not be read: its state if it is dead, hung or stopped, otherwise
// the meaning of rc, a negative errno of drb_telemetry_open() or of a reader. `version` is that of
// the switch, "" if it is not known.
void ctl_say_why(const struct ctl *ctl, const char *instance, int rc, const char *version);

// Finds the instance that the user means by "s2-5" or "drb-s2-5". Both functions exit if the text
// names no switch.
void ctl_instance(const struct ctl *ctl, const char *text, char instance[DRB_NAME_MAX]);
void ctl_must_be_switch(const struct ctl *ctl, const char *text);

// The share of `part` in part + rest, in percent; NaN if the sum is 0 or either is unknown.
static inline double ctl_percent(uint64_t part, uint64_t rest)
{
	const uint64_t sum = drb_sum(part, rest);

	return sum > 0 && sum != DRB_UNKNOWN ? 100.0 * (double)part / (double)sum : NAN;
}
