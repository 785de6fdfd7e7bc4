// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/cli/log.h"

// True if the user namespace has this id. A line of the map has the first id inside the namespace,
// the first id outside, and the number of ids.
static bool has_id(const char *map, unsigned long id)
{
	unsigned long first, outside, count;
	FILE *f = fopen(map, "r");
	bool found = false;

	while (f && !found && fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3)
		found = id >= first && id - first < count;
	if (f)
		fclose(f);
	return found;
}

#define CAPABILITIES_MAX 63 // includes capabilities of later kernels

static const char *const names[] = {"drbswitch", "nobody"};
enum { SHARED = 1 }; // index of the name that other programs share, used if there is no other

bool drb_user_is_shared(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct passwd *entry = getpwnam(names[i]);
		if (entry && entry->pw_uid == geteuid())
			return true;
	}
	return false;
}

bool drb_user_find(struct drb_user *user)
{
	const struct passwd *entry = NULL;

	if (geteuid() != 0)
		return false;
	for (size_t i = 0; !entry && i < sizeof(names) / sizeof(names[0]); i++) {
		entry = getpwnam(names[i]);
		user->name = names[i];
	}
	if (!entry || entry->pw_uid == 0)
		return false;
	user->uid = entry->pw_uid;
	user->gid = entry->pw_gid;
	return has_id("/proc/self/uid_map", user->uid) && has_id("/proc/self/gid_map", user->gid);
}

void drb_user_gains_nothing(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	// This needs CAP_SETPCAP. Without it the bounding set stays as it is, but the process
	// cannot gain a capability from it.
	for (unsigned long cap = 0; cap <= CAPABILITIES_MAX; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

void drb_user_warn(const struct drb_user *user)
{
	if (user->name == names[SHARED])
		drb_warn("runs as %s, as other programs may: they could end it and read its "
			 "counters; deploy/install-deps.sh or systemd-sysusers makes the user %s",
			 user->name, names[0]);
}

int drb_user_become(const struct drb_user *user)
{
	if (setgroups(0, NULL) < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	return 0;
}
