// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether something is plugged in. The drivers of kernel interfaces call them up whatever happens,
// so the kernel is asked.

#include <stdbool.h>

// For readers of counters: "up", "down" or "gone". Waits for the kernel's lock on all interfaces.
const char *drb_carrier_state(const char *interface);
// For the worker, between turns: takes no lock. fd: any socket of the interface's namespace. The
// kernel may take a second to tell that a carrier is lost.
bool drb_carrier_up(int fd, const char *interface);
