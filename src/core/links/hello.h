// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hello that switches send each other on every link between them. It carries the identity of
// the sender and its port, and what the neighbour must know. It stays on one link: it is never
// forwarded, never sent to hosts and never accepted from them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/packet/wire.h"
#include "core/fabric/tree.h"
#include "core/links/outages.h"

// Version of the frame. Versions are different protocols: their switches cannot be neighbours.
#define DRB_HELLO_VERSION 4
#define DRB_HELLO_LEN_MIN 60 // bytes of the shortest frame, without FCS
#define DRB_HELLO_LEN_MAX                                                                          \
	9014 // bytes of the longest: every link of a fabric with the largest MTU carries it
#define DRB_HELLO_TAG_LEN 16
#define DRB_HELLO_FIELDS_MAX 512 // bytes of all fields, including those of later versions
#define DRB_HELLO_PERIOD_MAX_MS 60000
// The link is down after this number of missed hellos.
#define DRB_HELLO_MISSES 3
// A hello whose serial number is a multiple of this is as long as the longest frame that the link
// must carry.
#define DRB_HELLO_LONG_EVERY 4

// Flags: what the sender reports about this link and itself.
enum {
	DRB_HELLO_HEARS = 1,   // it hears this switch
	DRB_HELLO_DRAINED = 2, // it wants no new traffic over this link
	// It has no other uplink in use, so it cannot turn a packet back up.
	DRB_HELLO_NO_ALTERNATE = 4,
	// All its uplinks are dead or drained: it uses this drained one.
	DRB_HELLO_NEEDS_UPSTREAM = 8,
	// Too many frames of this switch do not reach it, so it wants no traffic over this link.
	DRB_HELLO_LOSSY = 16,
	DRB_HELLO_PROBE = 32, // it wants more frequent hellos, to measure losses
	DRB_HELLO_RESTS = 64, // the link is at rest: the next hello comes after drb_hello_rest_ns()
	DRB_HELLO_NEWS = 128, // another flag, or an outage, differs from the last hello
};

// The period at rest. Two such periods are most of the hold time, which is about 400 ms for a
// period of 100 ms.
static inline uint64_t drb_hello_rest_ns(uint64_t period_ns)
{
	return period_ns / 4 * 7;
}

// The sender's process and port, and the number of the hello in their sequence. The serial
// distinguishes old hellos from new ones, and hellos of this link from hellos of another. instance
// 0: no hello.
struct drb_hello_serial {
	uint64_t instance; // random, drawn by a process for each of its ports
	uint64_t number;   // from 1 on
};

struct drb_hello {
	struct drb_end from; // the port that sent it; layer >= 1
	uint64_t fabric;     // drb_hello_fabric()
	uint32_t period_ms;  // until the sender's next hello
	uint8_t flags;
	struct drb_hello_serial serial;
	// Serial of the last hello that the sender heard, which this one answers.
	struct drb_hello_serial echo;
	uint16_t mac; // the sender's fabric.mac, fabric.ipv4 and fabric.ipv6
	uint32_t ipv4;
	uint8_t ipv4_len;
	uint64_t ipv6[2];
	uint8_t ipv6_len;
	uint16_t mtu;  // MTU of the port's device; 0: unknown
	uint16_t size; // bytes of the frame; drb_hello_encode() makes it at least this long
	// Frames sent by this link, including all hellos and this one; 0: not counted.
	uint64_t sent;
	uint32_t loss;       // millionths of this switch's frames that the sender finds lost
	uint16_t fabric_mtu; // the sender's fabric.mtu
	uint8_t tag[DRB_HELLO_TAG_LEN]; // proof of the shared key; 0 without one
	// Outages that the sender knows. The last member, because of its size.
	struct drb_outages outages;
};

static inline void drb_hello_copy(struct drb_hello *to, const struct drb_hello *from)
{
	memcpy(to, from, offsetof(struct drb_hello, outages));
	drb_outages_copy(&to->outages, &from->outages);
}

// Contents of a hello in the order of the frame: X(name, bytes, member). New rows are added at the
// end: switches that do not know them ignore them. Outages follow, each with its key and distance.
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

// A hash that distinguishes fabrics that are wired together by mistake.
uint64_t drb_hello_fabric(const char *name, const struct drb_tree *t);

// True if a frame of at least DRB_ETHER_HEADER bytes claims to be a hello: by its EtherType and by
// the group address, which no bridge forwards.
static inline bool drb_hello_is(const uint8_t *frame)
{
	static const uint8_t group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};

	return frame[DRB_ETHER_TYPE] == DRB_ETHERTYPE_HELLO >> 8 &&
	       frame[DRB_ETHER_TYPE + 1] == (DRB_ETHERTYPE_HELLO & 0xff) &&
	       memcmp(frame, group, 6) == 0;
}

// Writes the frame and returns its length in bytes, which is also in the frame's field `size`.
uint32_t drb_hello_encode(const struct drb_hello *hello, uint8_t frame[DRB_HELLO_LEN_MAX]);
// Returns 0, or -EINVAL if the frame differs from what drb_hello_encode() writes. Only fields
// of a later version may differ. Bytes after the frame's own size are ignored. -EPROTO: a hello of
// another version; nothing else of it is read.
int drb_hello_decode(const uint8_t *frame, uint32_t len, struct drb_hello *hello);
// The version of a decoded frame, or of one for which drb_hello_decode() returned -EPROTO.
uint8_t drb_hello_version(const uint8_t *frame);
// Offset in bytes of a frame's flags, which are one byte.
extern const uint32_t drb_hello_flags_at;
// The bytes of an encoded or decodable frame without the zeros that pad it.
uint32_t drb_hello_content(const uint8_t *frame);
// The tag of an encoded frame. The tag is computed over the frame while the tag itself is 0.
static inline uint8_t *drb_hello_tag(uint8_t *frame)
{
	return frame + DRB_ETHER_HEADER + 8;
}
