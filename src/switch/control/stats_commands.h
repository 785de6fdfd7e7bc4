// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The stats socket of a switch, with its commands (names in core/counters.h). To add a command, add
// a row to the table in stats_commands.c.

struct drb_switch;

// Returns 0, or -errno with a message printed.
int drb_stats_open(struct drb_switch *s);
void drb_stats_close(struct drb_switch *s);
