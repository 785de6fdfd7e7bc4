// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One process per instance name: two switches of one name would share a stats socket, and each would remove
// the other's.

// Claims the name until this process ends, through a lock on the directory in which EAL puts the
// sockets of that name (*folder, constant from then on); the directory is removed at exit. Call before
// rte_eal_init(), as who starts the switch. The descriptor that holds the lock, open to the end, or -errno with a
// message printed.
int drb_instance_claim(const char *instance, const char **folder);
