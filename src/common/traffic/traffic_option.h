// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The option --traffic of command lines, such as --traffic stride:4.

#include "core/traffic/traffic.h"

// Parses the option. If the text names no pattern, prints a line that lists all patterns and ends
// the process with DRB_EXIT_USAGE.
void drb_traffic_option(const char *text, struct drb_traffic_kind *kind);
