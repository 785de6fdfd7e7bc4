// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Captures for a reader outside (common/capture): one at a time. It begins with a command on the stats socket that
// names a socket on which the reader waits, and ends when either end closes that connection.

#include <stddef.h>

#include "switch/datapath/workers.h"

// Connects to the reader. text becomes one line: what is done, or why not. 0 or a negative errno.
int drb_capture_order(struct drb_workers *workers, const char *path, char *text, size_t size);
// Ends a capture that goes on. After the workers have ended.
void drb_capture_stop(void);
