// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a fabric's packet loss that the machine caused.

#include "gen/replay/link_watch.h"

// Returns the number of further packets that would have arrived if every link had been served in
// time. These are packets that queues dropped, or that switches did not receive in time. They pass
// the next links as far as these had time left, lost time included. At a switch they spread over
// links as the other packets did.
// start_ns: CLOCK_MONOTONIC of the first packet.
double machine_loss_of(const struct link_watch *w, uint64_t start_ns);
