// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ensures that each instance name has one process. Two switches of one name would use the same
// stats socket, and each would remove the other's.

#include "common/config/config.h"

// Claims the name until this process ends, by a lock on the directory of that name's sockets
// (*folder, constant from then on). The directory is removed at exit. Call before rte_eal_init(),
// as the user who starts the switch. Also finds the operators, whose group may enter the directory.
// Returns the descriptor that holds the lock and stays open, or -errno with a message printed.
int drb_instance_claim(const struct drb_setup *setup, struct drb_operators *operators,
		       const char **folder);
