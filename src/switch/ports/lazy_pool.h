// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A kind of DPDK mempool (its "ops") that makes a buffer when it is first needed, so that unused
// buffers take no memory. Used buffers return to a stack. The last one is taken first, because it
// is still in the CPU's cache. For pools of packets whose memory no device reads directly.

struct rte_mempool;

// Makes an empty pool use this kind. Returns 0 or -errno.
int drb_lazy_pool_use(struct rte_mempool *pool);
