// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The control thread alone reads SIGTERM, SIGINT, SIGHUP and SIGCHLD, from a descriptor.

#include <stdbool.h>

// Blocks SIGHUP and SIGCHLD in the calling thread and in threads that it starts, so that they can
// be read. With `ends`, blocks SIGTERM and SIGINT as well.
void drb_signals_block(bool ends);
// Opens a descriptor that is readable while a signal is pending. Returns it, or -errno.
int drb_signals_open(void);
// Returns the next pending signal. 0: there is none.
int drb_signals_take(int fd);
