// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a switch is asked to do.

#include <stdbool.h>

struct drb_switch_info;
struct drb_telemetry;

struct ctl_order {
	const char *command;   // DRB_CMD_...
	const char *parameter; // NULL: none
};

// Gives a switch an order and says what it answers. 0 or a negative errno. *done: it was carried out.
int ctl_order(struct drb_telemetry *t, const struct drb_switch_info *info, struct ctl_order order,
	      bool *done);
