// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Capabilities of the process. Opening ports needs some; forwarding, answering clients and closing ports need
// none. All threads drop theirs once the ports run.

#include <stdbool.h>

// At the very start: no program that this process runs can gain privileges.
void drb_privilege_begin(void);
// Before threads are started that need any: a process of root becomes another user (common/cli/user.h), with
// the capabilities that it has, so that it may open what root may, and what it makes is that user's. Who is
// root in a user namespace with nobody else stays so. 0 or -errno with a message printed.
int drb_privilege_leave_root(void);
// True if this thread has the capability in effect.
bool drb_privilege_has(int capability);
// The broker's (broker.h): it keeps CAP_DAC_OVERRIDE, in effect, if it has it, and CAP_NET_RAW if it opens sockets. 0 or
// -errno.
int drb_privilege_of_broker(bool opens_sockets);
// Drops them, once the ports run: in every thread, whoever started it. 0 or -errno with a message printed.
int drb_privilege_drop(void);
