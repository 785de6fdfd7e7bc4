// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The user that a daemon becomes when root starts it: drbswitch, or nobody if there is no such user.

#include <stdbool.h>
#include <sys/types.h>

struct drb_user {
	uid_t uid;
	gid_t gid;
	const char *name; // constant
};

// False: the caller stays who it is. It is not root, or root in a user namespace that has nobody else.
bool drb_user_find(struct drb_user *user);

// All threads of the process become that user, in its group alone, and have no capability left, unless
// the caller has asked for it (PR_SET_KEEPCAPS). 0 or -errno; -EPERM: takes CAP_SETUID and CAP_SETGID.
int drb_user_become(const struct drb_user *user);
