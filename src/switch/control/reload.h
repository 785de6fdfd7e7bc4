// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reloads the config while the switch runs: on SIGHUP, and by order of the stats socket. Of the control thread.

#include "switch/datapath/workers.h"

struct drb_reload {
	const char *path; // of the config
	const struct drb_config_override *override;
	struct drb_workers *workers;
	struct drb_setup *setup; // in force; written here
};

// r stays the caller's.
void drb_reload_begin(const struct drb_reload *r);

// Reads the config and applies it as a whole or, if it is not valid, not at all. text becomes one
// line: what is in force now and what needs a restart, or the mistake. 0 or -errno.
int drb_reload(char *text, size_t size);
// How many of these were done since the start.
uint64_t drb_reload_count(void);
// The same with other values for keys of routing, "threshold=3 scheme=walk", on top of those set
// before. They hold until drb_reload().
int drb_reload_set(const char *settings, char *text, size_t size);
// The same with the setup in force and the speeds that links have now (`rate: link`), if one has changed. 0 or
// -errno.
int drb_reload_link_rates(void);
// Writes what was set since the config was read into its file: see save.h.
int drb_reload_save(char *text, size_t size);
