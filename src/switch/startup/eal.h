// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DPDK's environment layer, set up by the program instead of its user: in-memory, own file prefix, no PCI
// scan without a PCI port, a floating worker unless pinned, hugepages if enough are free.

#include "common/config/config.h"

// MiB of EAL memory for the packet buffers of a switch and so many bytes of tables, with what DPDK needs besides;
// process.memory if that is set. Without hugepages, buffers of ports of our own are not in it (ports/packet_pool.h).
uint32_t drb_eal_memory_mb(const struct drb_setup *setup, uint64_t tables, bool hugepages);

// The CPUs asked for are there: -EINVAL with a message naming the config's line if not.
int drb_eal_check(const char *config_path, const struct drb_setup *setup);

// There are as many hugepages as the config asks for: likewise.
int drb_eal_check_memory(const char *config_path, const struct drb_setup *setup,
			 uint32_t memory_mb);

// 0, or -errno with a message printed. Call once per process.
int drb_eal_init(const struct drb_setup *setup, uint64_t tables, bool verbose);
void drb_eal_free(void);
