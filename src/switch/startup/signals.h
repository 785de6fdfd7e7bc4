// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SIGTERM, SIGINT and SIGHUP are read from a descriptor, by the control thread alone.

#include <stdbool.h>

// SIGHUP waits to be read from now on, in the calling thread and those it starts; with `ends`, the others as well.
void drb_signals_block(bool ends);
// Readable when one waits. -errno.
int drb_signals_open(void);
// The next that waits; 0: none.
int drb_signals_take(int fd);
