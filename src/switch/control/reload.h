// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading the config again while the switch runs: on SIGHUP, and when telemetry is asked for it.

#include "switch/datapath/workers.h"

struct drb_reload {
	const char *path; // of the config
	const struct drb_config_override *override;
	struct drb_workers *workers;
	struct drb_setup *setup; // in force; written here, with telemetry paused
};

// SIGHUP waits for drb_reload_start() from now on, in the calling thread and those it starts.
void drb_reload_block(void);
// Before telemetry is ready. r must outlive drb_reload_stop(). 0, or -errno with a message printed.
int drb_reload_start(const struct drb_reload *r);
void drb_reload_stop(void);

// Reads the config and puts it in force; all of it or, if it is not valid, nothing. text becomes
// one line: what is in force now and what needs a restart, or the mistake. 0 or -errno. Telemetry
// is paused, or one of its commands calls.
int drb_reload(char *text, size_t size);
