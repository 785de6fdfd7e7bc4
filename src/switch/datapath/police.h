// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Polices a host to the rate of its link. A card does so itself; a veth does not, so a host could
// fill the queues of uplinks that it shares with other hosts.

#include "switch/datapath/worker/worker.h"

// Drops the packets of a burst from a host's port that are ahead of its link by more than
// host_burst full-length packets. Returns how many are left.
uint32_t drb_police(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count);
