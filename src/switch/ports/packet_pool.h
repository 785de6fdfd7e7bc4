// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packet buffers of a switch.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"

#define DRB_POOL_CACHE 256 // buffers in the cache of each worker, if there are several

struct rte_mempool;

// Returns the bytes in a packet buffer of this switch for a packet and DPDK's headroom before it.
uint32_t drb_packet_room(const struct drb_setup *setup);
// Makes a pool of `buffers` buffers, owned by the caller. driven: for drivers of DPDK, each buffer
// in contiguous memory. Returns NULL with rte_errno set on errors. Needs a running EAL.
struct rte_mempool *drb_pool_new(const struct drb_setup *setup, uint32_t buffers, bool driven);
// Makes a pool whose memory is lent to the kernel for AF_XDP sockets. All of it is in memory from
// the start. packed: buffers may cross pages.
struct rte_mempool *drb_pool_new_lent(const struct drb_setup *setup, uint32_t buffers, bool packed);
