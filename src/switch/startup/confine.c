// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/confine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/cli/log.h"

// 0, too, if the kernel has none of it.
static int outcome(int rc, const char *what, const char *means)
{
	if (rc == -ENOSYS || rc == -EOPNOTSUPP || rc == -EINVAL) {
		drb_warn("this kernel has no %s: %s", what, means);
		return 0;
	}
	if (rc < 0)
		drb_error("cannot confine this process by %s: %s; process.confine: false leaves it "
			  "off",
			  what, strerror(-rc));
	return rc;
}

// A sanitizer starts processes that look at this one, and programs that name what they find.
#ifdef DRB_SANITIZED
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

int drb_confine(const char *path, const struct drb_setup *setup)
{
	if (!setup->confine || sanitized)
		return 0;
	int rc = outcome(drb_confine_files(path, setup), "Landlock",
			 "the switch may use all files of its user");
	if (rc == 0)
		rc = outcome(drb_confine_calls(setup), "seccomp filters",
			     "the switch may make all system calls");
	return rc;
}
