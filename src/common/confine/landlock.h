// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Landlock: a thread, and the threads that it starts, can use only the files that rules name. They
// cannot bind or connect TCP sockets, and cannot reach abstract sockets or processes outside. Only
// one set of rules exists at a time.

#include <stdint.h>

#include <linux/landlock.h>

// For headers older than the kernel.
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define DRB_LANDLOCK_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

// Begins a set of rules that refuses everything. Returns 0, or -errno; -ENOSYS, -EOPNOTSUPP: this
// kernel has no Landlock.
int drb_landlock_begin(void);
// Grants rights on everything below a path. A path that does not exist is ignored, and access to it
// stays refused. Returns 0 or -errno.
int drb_landlock_allow(const char *path, uint64_t rights);
// Restricts this thread to the rules. Async-signal-safe. Returns 0 or -errno.
int drb_landlock_restrict_here(void);
void drb_landlock_end(void);
