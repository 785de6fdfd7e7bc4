// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Capabilities of the process. Opening ports needs some. Forwarding, answering clients and closing
// ports need none, so all threads drop theirs once the ports run.

#include <stdbool.h>

// Called at the very start. No program that this process runs can gain privileges afterwards.
void drb_privilege_begin(void);
// Called before any thread that needs capabilities is started. A process of root becomes another
// user (common/cli/user.h) but keeps its capabilities. The process may then open what root may, and
// that user owns the files that the process makes. Root in a user namespace without other users
// stays root. Returns 0, or -errno with a message printed.
int drb_privilege_leave_root(void);
// True if this thread has the capability in effect.
bool drb_privilege_has(int capability);
// Drops the capabilities of the broker (broker.h), except CAP_DAC_OVERRIDE, and CAP_NET_RAW if it
// opens sockets. Makes those of the two effective that the process is permitted. Returns 0 or
// -errno.
int drb_privilege_of_broker(bool opens_sockets);
// Drops all capabilities in every thread, once the ports run. Returns 0, or -errno with a message
// printed.
int drb_privilege_drop(void);
