// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threads that are not ours, of DPDK's telemetry and of its interrupts, have the control thread do what they came for,
// and wait until it has. Goes when these sockets are our own.

#include <event2/event.h>

// 0 or -errno, with a message printed.
int drb_bridge_begin(struct event_base *base);
// Who waits then, or calls later, is not served.
void drb_bridge_end(void);
// From any other thread. 0, or -ESHUTDOWN: not called.
int drb_bridge_run(void (*call)(void *context), void *context);
