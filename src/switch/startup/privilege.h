// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the process may do. Opening ports takes capabilities; forwarding takes none, and neither
// does answering telemetry. So all threads lay theirs down once the ports run; main() keeps what
// closing them takes, which is not in effect until then.

#include "common/config/config.h"

// At the very start: no program that this process may run gets more than it.
void drb_privilege_begin(void);
// The ports run. Every other thread of the process has none from now on, whoever started it; nor do
// those that it starts. Threads that the caller starts later would have what it keeps. 0 or -errno
// with a message printed.
int drb_privilege_lay_down(const struct drb_setup *setup);
// The ports are about to be closed.
void drb_privilege_take_up(void);
