// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Confines the process once its ports run. A seccomp filter allows the system calls of
// confine_calls.def, and Landlock the files listed in confine_files.c. An attacker who runs code in
// the switch then cannot start programs, read or write other files, or connect by TCP.
//
// A system call that is not on the list fails with EPERM and is logged once. A file that is not on
// the list fails with EACCES, which its caller reports. If the kernel lacks support for one of the
// two, that is logged, and the process runs without it. Builds with a sanitizer are not confined.

#include <stdint.h>

#include "common/config/config.h"

#define DRB_REFUSED_TEXT 96

// Confines all threads, and all that they start later. Called once all threads run and capabilities
// are dropped. Returns 0, or -errno with a message printed.
int drb_confine(const struct drb_setup *setup);
// Confines the broker (broker.h), which has one thread. config: NULL if it is no regular file.
// Returns 0 or -errno.
int drb_confine_broker(const char *config, const char *stats_folder, const struct drb_setup *setup);
// Logs the system calls that were refused, each once. One thread calls this from time to time.
void drb_confine_say(void);
// Returns how many system calls were refused so far. text becomes the name and thread of the last
// one. Any thread may call this.
uint32_t drb_confine_refused(char text[DRB_REFUSED_TEXT]);

// Parts of the above. Return 0 or -errno; -ENOSYS or -EOPNOTSUPP if the kernel lacks support.
int drb_confine_calls(const struct drb_setup *setup);
int drb_confine_files(const struct drb_setup *setup);
int drb_confine_broker_calls(void);
int drb_confine_broker_files(const char *config, const char *stats_folder,
			     const struct drb_setup *setup);
