// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The user that a daemon becomes when root starts it: drbswitch, or nobody if there is no
// drbswitch.

#include <stdbool.h>
#include <sys/types.h>

struct drb_user {
	uid_t uid;
	gid_t gid;
	const char *name; // constant
};

// Finds this user. False if the process must keep its user, because it is not root or the user
// namespace has no other user.
bool drb_user_find(struct drb_user *user);

// True if this process runs as drbswitch or nobody, as other daemons may.
bool drb_user_is_shared(void);

// Call it first: no program that this process runs can then gain privileges or capabilities.
void drb_user_gains_nothing(void);
// Warns if other daemons may run as the same user.
void drb_user_warn(const struct drb_user *user);

// All threads of the process become this user, with the user's group alone. They lose all
// capabilities unless the caller asked to keep some (PR_SET_KEEPCAPS). Returns 0 or -errno; -EPERM:
// the process needs CAP_SETUID and CAP_SETGID.
int drb_user_become(const struct drb_user *user);
