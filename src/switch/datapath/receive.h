// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From drivers and sockets into the forwarding path: the worker's first half.

#include "switch/datapath/worker/worker.h"

// Receives a burst from every port and forwards it. What a burst brought is sent before the next is
// received, if it is due by then, while it is in the cache: the next burst gets the same buffers.
// Returns how many packets came; *next_ns becomes the next time a queue wants attention.
uint32_t drb_receive(struct drb_worker *w, uint64_t *next_ns);
