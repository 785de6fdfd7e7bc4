// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The detour of one packet at one switch (include/drb/detour.h explains detours). Pure: the draw
// comes from the caller. The packet's origin does not matter, only its input port.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/next_hop.h"

#include "drb/detour.h"

struct drb_detour_node {
	struct drb_hop hop;
	uint32_t layer;
	uint32_t down_ports, up_ports; // ports are counted down-ports first
};

struct drb_detour_hop {
	int32_t port;
	uint8_t mark;
};

struct drb_detour_packet {
	uint32_t dest; // host
	uint32_t in;   // input port
	uint8_t mark;
	uint64_t draw; // random bits
};

// The next hop of a packet: its output port, or a negative result, and its mark.
struct drb_detour_hop drb_detour_next(const struct drb_detour_node *node,
				      struct drb_usable_ports links,
				      const struct drb_detour_packet *packet);
