// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a fabric's packet loss that the machine caused.

#include "gen/replay/link_watch.h"

// The packets that would have arrived in addition if every link had been served in time. Packets
// that queues dropped, and that switches did not receive in time, pass the links behind as far as
// these had time left, lost time included. At a switch they spread as the other packets did.
// start_ns: CLOCK_MONOTONIC of the first packet.
double machine_loss_of(const struct link_watch *w, uint64_t start_ns);
