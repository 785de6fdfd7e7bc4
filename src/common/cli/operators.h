// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Operators may give orders to a daemon over its Unix socket: root, the user who starts it, and one
// group. An account that daemons share (common/cli/user.h) is excluded, because everything else
// under it could give orders, too.

#include <stdbool.h>
#include <sys/types.h>

#define DRB_GROUP_MAX 31 // length of the longest group name

struct drb_operators {
	uid_t user;
	gid_t group; // (gid_t)-1: none
};

// The operators of a daemon that this user starts. group: its name, "" for none. Returns 0 or
// -ENOENT.
int drb_operators_find(struct drb_operators *o, const char *group);
// True if the process that connected to this Unix socket is an operator, by the user and groups
// that the kernel recorded then.
bool drb_operators_include(const struct drb_operators *o, int connection);
