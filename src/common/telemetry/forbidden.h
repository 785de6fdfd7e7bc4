// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds sockets of other users' switches, which the caller must not use.

#include <stdbool.h>

#define DRB_FORBIDDEN_MAX 512

// True if there is a folder of switches that the caller may not enter; its name is written to path.
// Searches the folders for switches of root and of the caller, or only runtime/dpdk if runtime is
// not NULL. With instance not NULL it searches only the folder of that instance.
bool drb_telemetry_forbidden(const char *runtime, const char *instance,
			     char path[DRB_FORBIDDEN_MAX]);
