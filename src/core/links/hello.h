// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hello that switches send each other on every link between them: identity of the sender and its port,
// and what the neighbour must know. It stays on one link: never forwarded, never to or from hosts.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/packet/wire.h"
#include "core/fabric/tree.h"
#include "core/links/outages.h"

#define DRB_HELLO_LEN_MIN 60 // octets of the shortest frame, without FCS
#define DRB_HELLO_LEN_MAX                                                                          \
	9014 // of the longest: what every link of a fabric must carry, with the largest MTU
#define DRB_HELLO_TAG_LEN 16
#define DRB_HELLO_FIELDS_MAX 512 // octets of fields, those of later versions as well
#define DRB_HELLO_PERIOD_MAX_MS 60000
// The link is down after so many hellos missed.
#define DRB_HELLO_MISSES 3
// One of so many, by its number, is as long as any frame that the link must carry.
#define DRB_HELLO_LONG_EVERY 4

// Flags: what the sender says about this link and itself.
enum {
	DRB_HELLO_HEARS = 1,   // it hears us
	DRB_HELLO_DRAINED = 2, // it wants no new traffic over this link
	DRB_HELLO_NO_ALTERNATE =
		4, // it has no other uplink in use: it cannot turn a packet back up
	DRB_HELLO_NEEDS_UPSTREAM =
		8, // all its uplinks are dead or drained: it uses this drained one
	DRB_HELLO_LOSSY =
		16, // too much of what we send is lost: it wants no traffic over this link
	DRB_HELLO_PROBE = 32, // it wants hellos more often, to see what is lost
	DRB_HELLO_RESTS = 64, // the link is at rest: the next hello comes after drb_hello_rest_ns()
	DRB_HELLO_NEWS = 128, // another flag, or an outage, is not as it was in the last one
};

// The period at rest. Twice that is most of the hold time, which is near 400 ms where the period is 100 ms.
static inline uint64_t drb_hello_rest_ns(uint64_t period_ns)
{
	return period_ns / 4 * 7;
}

// Which process sent it by which port, as its how manyeth there, so that an old one is not taken for a new one,
// and one of another link not for one of this. instance 0: none.
struct drb_hello_serial {
	uint64_t instance; // random, of a process for one of its ports
	uint64_t number;   // from 1 on
};

struct drb_hello {
	struct drb_end from; // the port it was sent by; layer >= 1
	uint64_t fabric;     // drb_hello_fabric()
	uint32_t period_ms;  // until the sender's next one
	uint8_t flags;
	struct drb_hello_serial serial;
	struct drb_hello_serial echo; // of the last hello that the sender heard: whom it answers
	uint16_t mac;                 // the sender's fabric.mac, fabric.ipv4 and fabric.ipv6
	uint32_t ipv4;
	uint8_t ipv4_len;
	uint64_t ipv6[2];
	uint8_t ipv6_len;
	uint16_t mtu;        // of the port's device; 0: not known
	uint16_t size;       // octets of the frame; encode() makes it at least as long
	uint64_t sent;       // frames by this link, hellos and this one as well; 0: not counted
	uint32_t loss;       // of what we send, as the sender sees it, in millionths
	uint16_t fabric_mtu; // the sender's fabric.mtu
	uint8_t tag[DRB_HELLO_TAG_LEN]; // proof of a shared key; 0 without one
	struct drb_outages outages;     // that the sender knows; the last, for its size
};

static inline void drb_hello_copy(struct drb_hello *to, const struct drb_hello *from)
{
	memcpy(to, from, offsetof(struct drb_hello, outages));
	drb_outages_copy(&to->outages, &from->outages);
}

// What a hello says, in the order of the frame: X(name, octets, member). A row is added at the end:
// switches that do not know it leave it out of account. Outages follow: key and distance of each.
#define DRB_HELLO_FIELDS(X)                                                                        \
	X(flags, 1, flags)                                                                         \
	X(layer, 1, from.layer)                                                                    \
	X(up, 1, from.up)                                                                          \
	X(port, 2, from.port)                                                                      \
	X(label, 4, from.label)                                                                    \
	X(fabric, 8, fabric)                                                                       \
	X(period, 2, period_ms)                                                                    \
	X(size, 2, size)                                                                           \
	X(instance, 8, serial.instance)                                                            \
	X(number, 8, serial.number)                                                                \
	X(echo_instance, 8, echo.instance)                                                         \
	X(echo_number, 8, echo.number)                                                             \
	X(mac, 2, mac)                                                                             \
	X(ipv4, 4, ipv4)                                                                           \
	X(ipv4_len, 1, ipv4_len)                                                                   \
	X(ipv6_high, 8, ipv6[0])                                                                   \
	X(ipv6_low, 8, ipv6[1])                                                                    \
	X(ipv6_len, 1, ipv6_len)                                                                   \
	X(mtu, 2, mtu)                                                                             \
	X(sent, 8, sent)                                                                           \
	X(loss, 4, loss)                                                                           \
	X(outages, 2, outages.count)                                                               \
	X(more_outages, 1, outages.more)                                                           \
	X(fabric_mtu, 2, fabric_mtu)

// A hash that tells apart fabrics wired together by mistake.
uint64_t drb_hello_fabric(const char *name, const struct drb_tree *t);

// True if a frame of at least DRB_ETHER_HEADER octets claims to be a hello, by its EtherType and by the
// group address, which no bridge forwards.
static inline bool drb_hello_is(const uint8_t *frame)
{
	static const uint8_t group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};

	return frame[DRB_ETHER_TYPE] == DRB_ETHERTYPE_HELLO >> 8 &&
	       frame[DRB_ETHER_TYPE + 1] == (DRB_ETHERTYPE_HELLO & 0xff) &&
	       memcmp(frame, group, 6) == 0;
}

// Writes the frame; returns its octets, which are in its field size, too.
uint32_t drb_hello_encode(const struct drb_hello *hello, uint8_t frame[DRB_HELLO_LEN_MAX]);
// 0, or -EINVAL if the frame differs in any way from what drb_hello_encode() writes, but for fields
// that it does not know yet. Octets after the frame's own size are ignored.
int drb_hello_decode(const uint8_t *frame, uint32_t len, struct drb_hello *hello);
// Where a frame has its flags, an octet.
extern const uint32_t drb_hello_flags_at;
// The octets of a frame that was encoded or can be decoded, but for the 0 behind them that make it longer.
uint32_t drb_hello_content(const uint8_t *frame);
// The tag of a frame that was encoded: computed while it is 0.
static inline uint8_t *drb_hello_tag(uint8_t *frame)
{
	return frame + DRB_ETHER_HEADER + 8;
}
