// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/operators.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/user.h"

int drb_operators_find(struct drb_operators *o, const char *group)
{
	const struct group *entry = *group ? getgrnam(group) : NULL;

	*o = (struct drb_operators){
		.user = drb_user_is_shared() ? 0 : geteuid(),
		.group = entry ? entry->gr_gid : (gid_t)-1,
	};
	return *group && !entry ? -ENOENT : 0;
}

// True if the group is one of the supplementary groups of the process.
static bool is_member(gid_t group, int connection)
{
	socklen_t size = 0;
	bool found = false;

	// The kernel reports the size of the list.
	if (getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) == 0 || errno != ERANGE)
		return false;
	gid_t *groups = malloc(size);
	if (groups && getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups, &size) == 0) {
		for (size_t i = 0; i < size / sizeof(*groups); i++)
			found |= groups[i] == group;
	}
	free(groups);
	return found;
}

bool drb_operators_include(const struct drb_operators *o, int connection)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	if (peer.uid == 0 || peer.uid == o->user)
		return true;
	return o->group != (gid_t)-1 && (peer.gid == o->group || is_member(o->group, connection));
}
