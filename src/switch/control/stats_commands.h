// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The stats socket of a switch, with its commands (names in core/counters.h). A new command is a row of the table in
// stats_commands.c.

struct drb_switch;

// 0, or a negative errno with a message printed.
int drb_stats_open(struct drb_switch *s);
void drb_stats_close(struct drb_switch *s);
