// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hello that switches send each other on every link between them: who sends it, by which port, and
// what the neighbour must know. It belongs to one link: never forwarded, never to or from hosts.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/packet/wire.h"
#include "core/fabric/tree.h"

#define DRB_HELLO_LEN 60 // octets of the frame, without FCS
#define DRB_HELLO_PERIOD_MAX_MS 60000
// The link is down after so many hellos missed, or heard from a neighbour that misses ours.
#define DRB_HELLO_MISSES 3

// Flags: what the sender says about this link and itself.
enum {
	DRB_HELLO_HEARS = 1,   // it hears our hellos
	DRB_HELLO_DRAINED = 2, // it wants no new traffic over this link
	DRB_HELLO_NO_ALTERNATE =
		4, // it has no other uplink in use: it cannot turn a packet back up
	DRB_HELLO_NEEDS_UPSTREAM =
		8, // all its uplinks are dead or drained: it uses this drained one
	DRB_HELLO_FLAGS = 15,
};

struct drb_hello {
	struct drb_end from; // the port it was sent by; layer >= 1
	uint64_t fabric;     // drb_hello_fabric()
	uint32_t period_ms;  // until the sender's next one
	uint8_t flags;
};

// A hash that tells apart fabrics wired together by mistake.
uint64_t drb_hello_fabric(const char *name, uint32_t layers, uint32_t arity);

// True if a frame of at least DRB_ETHER_HEADER octets claims to be a hello, by its EtherType and by the
// group address, which no bridge forwards.
static inline bool drb_hello_is(const uint8_t *frame)
{
	static const uint8_t group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};

	return frame[DRB_ETHER_TYPE] == DRB_ETHERTYPE_HELLO >> 8 &&
	       frame[DRB_ETHER_TYPE + 1] == (DRB_ETHERTYPE_HELLO & 0xff) &&
	       memcmp(frame, group, 6) == 0;
}

void drb_hello_encode(const struct drb_hello *hello, uint8_t frame[DRB_HELLO_LEN]);
// 0, or -EINVAL if the frame differs in any way from what drb_hello_encode() writes. Octets after
// DRB_HELLO_LEN are ignored.
int drb_hello_decode(const uint8_t *frame, uint32_t len, struct drb_hello *hello);
