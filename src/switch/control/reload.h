// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reloads the config while the switch runs: on SIGHUP, and by a command of the stats socket.

#include <stddef.h>
#include <stdint.h>

#include "common/config/settings.h"

struct drb_switch;

struct drb_reload {
	uint64_t count;               // of drb_reload() since the start
	struct drb_settings in_force; // what was set since
};

// Reads the config and applies it as a whole or, if it is not valid, not at all. text becomes one
// line: what is in force now and what needs a restart, or the mistake. 0 or -errno.
int drb_reload(struct drb_switch *s, char *text, size_t size);
// The same with other values for keys of routing, "threshold=3 scheme=walk", on top of those set
// before. They hold until drb_reload().
int drb_reload_set(struct drb_switch *s, const char *settings, char *text, size_t size);
// The same with the setup in force and the speeds that links have now (`rate: link`), if one has changed. 0 or
// -errno.
int drb_reload_link_rates(struct drb_switch *s);
