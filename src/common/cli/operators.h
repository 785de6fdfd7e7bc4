// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Operators may give orders to a daemon over its Unix socket. They are root, the user who starts
// the daemon, and the members of one group. An account that daemons share (common/cli/user.h) is
// excluded, because any other program of this account could give orders, too.

#include <stdbool.h>
#include <sys/types.h>

#define DRB_GROUP_MAX 31 // length of the longest group name

struct drb_operators {
	uid_t user;
	gid_t group; // (gid_t)-1: none
};

// Finds the operators of a daemon that this user starts. group: the name of the group, "" for none.
// Returns 0 or -ENOENT.
int drb_operators_find(struct drb_operators *o, const char *group);
// True if the process that connected to this Unix socket is an operator. The kernel recorded the
// user and groups of the process when it connected.
bool drb_operators_include(const struct drb_operators *o, int connection);
