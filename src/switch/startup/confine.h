// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the process may ask of the kernel once its ports run: the system calls of confine_calls.def (a seccomp
// filter) and the files of the list in confine_files.c (Landlock). An error that lets others run code in the
// switch then cannot start programs, read or write other files, or connect by TCP. A system call that is not
// on the list fails with EPERM and is logged once; a file is refused with EACCES, which its caller reports.
// What the kernel does not support is logged and left out. Builds with a sanitizer are not confined.

#include <stdint.h>

#include "common/config/config.h"

#define DRB_REFUSED_TEXT 96

// With all threads there and capabilities dropped; binds each thread, and those that they start. 0 or -errno
// with a message printed.
int drb_confine(const struct drb_setup *setup);
// The broker's process (broker.h), of one thread. config: NULL: it is no file. 0 or -errno.
int drb_confine_broker(const char *config, const char *stats_folder, const struct drb_setup *setup);
// Says what was refused since the last call: by one thread, from time to time.
void drb_confine_say(void);
// Any thread: how many system calls were refused so far, and of the last one into text: its name and thread.
uint32_t drb_confine_refused(char text[DRB_REFUSED_TEXT]);

// Parts of it. 0, or -errno: -ENOSYS and -EOPNOTSUPP: the kernel has none.
int drb_confine_calls(const struct drb_setup *setup);
int drb_confine_files(const struct drb_setup *setup);
int drb_confine_broker_calls(void);
int drb_confine_broker_files(const char *config, const char *stats_folder);
