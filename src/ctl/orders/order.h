// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a switch is asked to do.

#include "ctl/orders/refusals.h"

struct drb_switch_info;
struct drb_telemetry;

struct ctl_order {
	const char *command;   // DRB_CMD_...
	const char *parameter; // NULL: none
};

// Gives a switch an order. What it did is said at once; 0. If it refuses, that is noted; 1. Or a
// negative errno.
int ctl_order(struct drb_telemetry *t, const struct drb_switch_info *info, struct ctl_order order,
	      struct ctl_refusals *refused);
