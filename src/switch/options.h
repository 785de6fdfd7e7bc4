// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The command line of drbswitch.

#include <stdbool.h>

#include "common/cli/log.h"
#include "common/config/config.h"

struct drb_switch_options {
	const char *config;
	struct drb_config_override override;
	bool check, hold;
	enum drb_log_level log;
};

// Ends the process if the command line is wrong.
struct drb_switch_options drb_switch_options_parse(int argc, char **argv);
