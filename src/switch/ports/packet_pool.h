// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packet buffers of a switch.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"

#define DRB_POOL_CACHE 256 // buffers that each of several workers keeps at hand

struct rte_mempool;

// Octets that a packet buffer of this switch has for a packet and DPDK's headroom before it.
uint32_t drb_packet_room(const struct drb_setup *setup);
// A pool of so many buffers, the caller's to free; driven: as drivers of DPDK want them, each in one piece of memory.
// NULL with rte_errno set. Needs a running EAL.
struct rte_mempool *drb_pool_new(const struct drb_setup *setup, uint32_t buffers, bool driven);
// Another, whose memory is lent to the kernel for AF_XDP sockets: all of it stays in memory from the start.
// packed: a buffer may be in two pages.
struct rte_mempool *drb_pool_new_lent(const struct drb_setup *setup, uint32_t buffers, bool packed);
