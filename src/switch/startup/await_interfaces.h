// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Waits for interfaces that appear after the switch starts: in a container, or while a machine boots.

#include "common/config/config.h"

// 0 when every kernel interface of the config is there; -EAGAIN, at most for process.wait, which is said once; -errno with
// a message that names the config's line. *end_ns: of the wait, 0 at first.
int drb_await_interfaces(const char *config_path, const struct drb_setup *setup, uint64_t *end_ns);
