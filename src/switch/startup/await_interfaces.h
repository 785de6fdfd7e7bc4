// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Waits for interfaces that appear after the switch starts, as in a container or while a machine
// boots.

#include "common/config/config.h"

// Returns 0 if every kernel interface of the config exists. -EAGAIN: one is missing and
// process.wait is not over; the first such call logs that. Another -errno, with a message that
// names the config's line: one is still missing. *end_ns is the deadline of the wait, and 0 at
// first.
int drb_await_interfaces(const char *config_path, const struct drb_setup *setup, uint64_t *end_ns);
