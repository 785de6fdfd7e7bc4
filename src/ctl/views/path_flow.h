// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A flow between two hosts as a user writes it, "tcp:40000:5201", and its flow hash, which switches
// compute from its packets.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

struct path_flow {
	bool given, ipv6;
	uint8_t protocol;
	uint16_t from, to; // ports
};

// Parses PROTOCOL or PROTOCOL:PORT:PORT; ends the program if the text is neither.
void path_flow_parse(const char *text, struct path_flow *f);

// The hash of this flow from one host of the address plan to another.
uint64_t path_flow_hash(const struct path_flow *f, const struct drb_addr_plan *plan, uint32_t from,
			uint32_t to);
