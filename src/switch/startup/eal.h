// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets up DPDK's environment layer (EAL) without options from the user: in memory, with a file
// prefix of its own. It scans PCI only for PCI ports, pins workers only if the config says so, and
// uses hugepages if enough are free.

#include "common/config/config.h"

// Returns the MiB of EAL memory for the packet buffers of a switch and for DPDK itself, or
// process.memory if that is set. Without hugepages, EAL memory holds no buffers of the switch's own
// kinds of ports (ports/packet_pool.h), except those lent to AF_XDP sockets.
uint32_t drb_eal_memory_mb(const struct drb_setup *setup, bool hugepages);

// Checks that this process may run on the CPUs of the config. Returns 0, or -EINVAL with a message
// that names the config's line.
int drb_eal_check(const char *config_path, const struct drb_setup *setup);

// Checks that as many hugepages are free as the config needs. Returns the same.
int drb_eal_check_memory(const char *config_path, const struct drb_setup *setup,
			 uint32_t memory_mb);

// Returns 0, or -errno with a message printed. Call once per process.
int drb_eal_init(const struct drb_setup *setup, bool verbose);
void drb_eal_free(void);
