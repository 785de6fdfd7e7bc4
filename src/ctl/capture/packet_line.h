// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet as part of a line: who sends what to whom.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#define PACKET_LINE_MAX 128

// Writes "h0.40000 > h7.5201 tcp" from the first `captured` bytes of a frame; "" if they have no
// Ethernet header. A host of the fabric is named by its MAC. Other ends are named
// by their IP address or, without one, by their MAC.
void packet_line(char text[PACKET_LINE_MAX], const uint8_t *frame, uint32_t captured,
		 const struct drb_addr_plan *plan);
