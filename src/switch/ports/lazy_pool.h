// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A kind of DPDK's mempools (its "ops"): a buffer is made when it is first needed, so that memory that no
// packet was ever in is not in use. Buffers that were are kept in a ring, as in a pool of the usual kind, and
// taken from there first. For pools of packets whose memory no device reads by itself.

struct rte_mempool;

// Makes an empty pool one of this kind. 0 or -errno.
int drb_lazy_pool_use(struct rte_mempool *pool);
