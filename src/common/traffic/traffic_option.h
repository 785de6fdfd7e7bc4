// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traffic as a command line names it: --traffic stride:4.

#include "core/traffic/traffic.h"

// Ends the process with DRB_EXIT_USAGE, after a line that lists all patterns, if text names none.
void drb_traffic_option(const char *text, struct drb_traffic_kind *kind);
