// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Captures for a reader outside (common/capture): one at a time. It begins with a command on the stats socket, after
// which the reader connects to a socket beside that one, within seconds, and ends when either end closes that
// connection.

#include <stddef.h>

#include <event2/event.h>

#include "switch/datapath/workers.h"

// Both stay the caller's until drb_capture_end().
void drb_capture_begin(struct event_base *base, struct drb_workers *workers);
// Waits for the reader from now on. text becomes one line: what is done, or why not. 0 or a negative errno.
int drb_capture_order(const char *instance, char *text, size_t size);
// Ends a capture that goes on. After the workers have ended.
void drb_capture_end(void);
