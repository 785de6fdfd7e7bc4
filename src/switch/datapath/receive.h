// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The worker's first half: from drivers and sockets into the forwarding path.

#include "switch/datapath/worker/worker.h"

// Receives a burst from every port and forwards it. Packets of a burst that are due are sent before
// the next burst is received, while they are in the cache: the next burst gets the same buffers.
// Returns how many packets came. *next_ns becomes the next time at which a queue needs service.
uint32_t drb_receive(struct drb_worker *w, uint64_t *next_ns);
