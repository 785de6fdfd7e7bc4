// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Flows of captures: packets with the same captured addresses, ports and protocol; and the fate of
// these packets. Pure, apart from memory.

#include <stddef.h>
#include <stdint.h>

#include "common/measures/latency.h"
#include "gen/captures/trace.h"
#include "gen/frames/ip_frame.h"

// Identifies a flow.
struct flow_key {
	struct ipframe_address source, destination; // addresses in the capture
	uint16_t source_port, destination_port;     // 0: no ports, or not captured
	uint8_t protocol;                           // 0: later fragments, which do not have ports
	uint8_t zero;      // fills a hole, so that keys can be compared by bytes
	uint32_t from, to; // the hosts onto which the addresses are mapped
};
_Static_assert(sizeof(struct flow_key) == 48, "a key of a flow has a hole");

struct flow {
	struct flow_key key;
	uint64_t sent, lost, duplicated, reordered; // packets
	struct drb_latency latency;                 // ns
};

struct flows {
	struct flow *at; // owned
	size_t count;
};

#define FLOW_TEXT_MAX 128

// The key of a packet with `captured` bytes, without hosts.
struct flow_key flow_key_of(const struct ipframe *f, const uint8_t *frame, uint32_t captured);
// Finds flows and sets the `flow` of each packet; keys[i] is the key of packet i. 0 or -ENOMEM.
int flows_make(struct flows *flows, const struct flow_key *keys, struct trace *t);
void flows_free(struct flows *flows);

const char *flow_protocol(const struct flow_key *key, char text[FLOW_TEXT_MAX]); // "tcp"
// "192.168.1.7" and "192.168.1.7:80", or "[fd00::1]:80".
const char *flow_address(const struct ipframe_address *a, char text[FLOW_TEXT_MAX]);
const char *flow_end(const struct ipframe_address *a, uint16_t port, char text[FLOW_TEXT_MAX]);
