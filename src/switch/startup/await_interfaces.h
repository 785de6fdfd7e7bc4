// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces that come later than the switch: those of a container, or of a machine that boots.

#include "common/config/config.h"

// Waits until every kernel interface of the config is there, at most process.wait, and says once what for.
// 0; -ENODEV with a message that names the config's line; -EINTR if the switch was told to end.
int drb_await_interfaces(const char *config_path, const struct drb_setup *setup);
