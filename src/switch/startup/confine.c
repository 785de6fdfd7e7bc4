// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/confine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/cli/log.h"

static bool has_none(int rc)
{
	return rc == -ENOSYS || rc == -EOPNOTSUPP || rc == -EINVAL;
}

// Logs the result of one kind of confinement. Returns 0 also if the kernel does not support that
// kind.
static int outcome(int rc, const char *what, const char *means)
{
	if (has_none(rc)) {
		drb_warn("this kernel has no %s: %s", what, means);
		return 0;
	}
	if (rc < 0)
		drb_error("cannot confine this process by %s: %s; process.confine: false leaves it "
			  "off",
			  what, strerror(-rc));
	return rc;
}

// A sanitizer needs more rights: it starts a process that inspects this one, and a symbolizer.
#ifdef DRB_SANITIZED
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

int drb_confine(const struct drb_setup *setup)
{
	if (!setup->confine || sanitized)
		return 0;
	int rc = outcome(drb_confine_files(setup), "Landlock",
			 "the switch may use all files of its user");
	if (rc == 0)
		rc = outcome(drb_confine_calls(setup), "seccomp filters",
			     "the switch may make all system calls");
	return rc;
}

// Does not log missing support of the kernel, because drb_confine() does.
int drb_confine_broker(const char *config, const char *stats_folder, const struct drb_setup *setup)
{
	if (!setup->confine || sanitized)
		return 0;
	int rc = drb_confine_broker_files(config, stats_folder, setup);
	if (rc == 0 || has_none(rc))
		rc = drb_confine_broker_calls();
	return has_none(rc) ? 0 : rc;
}
