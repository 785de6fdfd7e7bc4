// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

// Whether the user namespace has this id. Each line of the map: ids from here on, where they are outside, how many.
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

bool drb_user_find(struct drb_user *user)
{
	static const char *const names[] = {"drbswitch", "nobody"};
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

int drb_user_become(const struct drb_user *user)
{
	if (setgroups(0, NULL) < 0 || setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	return 0;
}
