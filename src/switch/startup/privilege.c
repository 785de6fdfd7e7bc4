// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/cli/user.h"
#include "common/telemetry/telemetry_client.h"
#include "switch/startup/other_threads.h"

// Sets the permitted and effective capabilities of this thread to `kept`. Returns 0 or -errno.
static int set_here(uint64_t kept)
{
	struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		caps[i].permitted = caps[i].effective = (uint32_t)(kept >> (32 * i));
	return syscall(SYS_capset, &self, caps) < 0 ? -errno : 0;
}

static uint64_t permitted_here(void)
{
	struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &self, caps) < 0)
		return 0;
	return (uint64_t)caps[1].permitted << 32 | caps[0].permitted;
}

static int lay_down_here(void)
{
	return set_here(0);
}

void drb_privilege_begin(void)
{
	const struct rlimit any = {RLIM_INFINITY, RLIM_INFINITY};

	drb_user_gains_nothing();
	// Memory that cards access is locked. A reload may need more of it after CAP_IPC_LOCK is
	// dropped. If raising the limit is not permitted, the current one stays.
	setrlimit(RLIMIT_MEMLOCK, &any);
}

int drb_privilege_leave_root(void)
{
	struct drb_user user;

	if (!drb_user_find(&user))
		return 0;
	// EAL chooses its folder by the user, so fix it before the user changes.
	int rc = setenv("RUNTIME_DIRECTORY", drb_telemetry_runtime(), 1) < 0 ? -errno : 0;
	if (rc == 0)
		rc = prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ? -errno : drb_user_become(&user);
	if (rc == 0)
		rc = set_here(permitted_here());
	if (rc == 0)
		drb_user_warn(&user);
	else
		drb_error("cannot become user %s: %s%s", user.name, strerror(-rc),
			  rc == -EPERM ? ": start it as another user than root, or with "
					 "CAP_SETUID and CAP_SETGID"
				       : "");
	return rc;
}

bool drb_privilege_has(int capability)
{
	struct __user_cap_header_struct self = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return syscall(SYS_capget, &self, caps) == 0 &&
	       (caps[capability / 32].effective & UINT32_C(1) << capability % 32);
}

int drb_privilege_of_broker(bool opens_sockets)
{
	const uint64_t wanted = UINT64_C(1) << CAP_DAC_OVERRIDE | (uint64_t)opens_sockets
									  << CAP_NET_RAW;

	return set_here(permitted_here() & wanted);
}

int drb_privilege_drop(void)
{
	int rc = drb_in_other_threads(lay_down_here);

	if (rc == 0)
		rc = lay_down_here();
	if (rc < 0)
		drb_error("cannot drop capabilities: %s", strerror(-rc));
	return rc;
}
