// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds sockets of other users' switches, which the caller may not use.

#include <stdbool.h>

#define DRB_FORBIDDEN_MAX 512

// True if there is a folder of switches that the caller may not enter: path becomes its name. Looks
// where root's and the caller's own switches are, with runtime not NULL only in runtime/dpdk; with
// instance not NULL for the folder of that one.
bool drb_telemetry_forbidden(const char *runtime, const char *instance,
			     char path[DRB_FORBIDDEN_MAX]);
