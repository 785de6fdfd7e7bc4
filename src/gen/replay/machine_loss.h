// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How many of the packets that a fabric lost the machine lost.

#include "gen/replay/link_watch.h"

// What would have arrived beside what did, had every link been served in time: what queues dropped, and what switches
// did not receive in time, goes on through the links behind as far as these had time left, lost time included. At a switch
// it spreads as the other packets did. start_ns: CLOCK_MONOTONIC of the first packet.
double machine_loss_of(const struct link_watch *w, uint64_t start_ns);
