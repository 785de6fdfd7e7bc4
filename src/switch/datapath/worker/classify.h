// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Classifies a frame by its addresses and its input port: one comparison of its first 16 bytes, one
// of its IPv4 source, and one table look-up.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf_core.h>

#include "common/config/config.h"
#include "core/fabric/addresses.h"
#include "core/fabric/next_hop.h"
#include "core/fabric/source_rule.h"
#include "core/packet/wire.h"
#include "core/routing/choice.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

// Bytes of the shortest frame without FCS. The longest has drb_frame_max() bytes. Longer frames are
// from a host with a larger MTU, and are still longer if a driver cuts them short.
enum { DRB_FRAME_MIN = DRB_ETHER_HEADER };

// Offset of the byte that carries the mark of a scheme, XORed with that byte of the fabric's
// prefix; and the bits of the mark.
enum { DRB_MARK_AT = 7, DRB_MARK_MASK = (1 << DRB_MARK_BITS_MAX) - 1 };

// A class is the index of a down-port, or one of these.
enum {
	DRB_CLASS_EXCEPTION = 0x40, // not ordinary traffic between hosts, or at a wrong port
	DRB_CLASS_UP = 0x80,        // + the default uplink
	DRB_CLASSES = DRB_CLASS_UP + DRB_PORTS_MAX / 2
};

// A core switch has only down-ports.
_Static_assert(DRB_PORTS_MAX <= DRB_CLASS_EXCEPTION, "each down-port has a class of its own");
_Static_assert(DRB_CLASSES <= UINT8_MAX + 1, "a class is an octet");

// Classes by destination label, one table for packets from below and one for packets from above.
// The length of a table is a power of two, so that comparing a frame's head also bounds the label.
struct drb_class_tables {
	uint8_t *table[2]; // [from_below], owned
	uint32_t room;
	uint32_t frame_max; // bytes
};

// Rule by which frames that come in by one port are classified.
struct drb_classifier {
	// Ordinary traffic has the bytes `want` where `mask` is set: the fabric's prefix and no
	// label beyond the table. Where sources are checked, it also has the source of the host
	// behind the port.
	uint8_t want[16], mask[16];
	const uint8_t *class_of;     // by destination label
	uint32_t ipv4, ipv4_mask;    // the same for the IPv4 source, in a packet's byte order
	uint32_t least, above_least; // least length in bytes, and how many more are allowed
} __attribute__((aligned(16)));

// frame_max: bytes of the longest frame that is ordinary traffic. 0 or -ENOMEM.
int drb_class_tables_init(struct drb_class_tables *v, const struct drb_hop *hop,
			  uint32_t frame_max);
void drb_class_tables_free(struct drb_class_tables *v);
// source: the only host whose frames may come from here, or DRB_NO_LABEL for any. to_hosts: frames
// from here go to hosts, so a frame whose source has a mark is an exception. v must outlive the
// result.
struct drb_classifier drb_classifier_at(const struct drb_class_tables *v,
					const struct drb_addr_plan *addr, bool from_below,
					uint32_t source, bool to_hosts);

// Limits ordinary traffic to untagged IPv4 from the host's address, which is recognised at once.
// Any other frame becomes an exception, for drb_source_check() to judge.
void drb_classifier_require(struct drb_classifier *j, const struct drb_source_rule *rule);

// True if a frame is longer than a packet of the fabric's MTU with the VLAN tags that the frame
// has. At a port whose sources are checked, ordinary traffic is never longer. At other ports, it
// may be longer by the bytes of the VLAN tags that the frame lacks.
bool drb_is_oversize(const struct drb_class_tables *v, const struct rte_mbuf *m);

// True if the frame's source is one that may come in here.
static inline bool drb_classifier_source_ok(const struct drb_classifier *j, const uint8_t *frame)
{
	return !j->mask[DRB_ETHER_SRC] || memcmp(frame + DRB_ETHER_SRC, j->want + DRB_ETHER_SRC,
						 DRB_ETHER_TYPE - DRB_ETHER_SRC) == 0;
}

// frame: 16 readable bytes.
static inline bool drb_classifier_head_is_plain(const struct drb_classifier *j,
						const uint8_t *frame)
{
#ifdef __SSE4_1__
	__m128i head = _mm_loadu_si128((const __m128i *)(const void *)frame);
	__m128i want = _mm_load_si128((const __m128i *)(const void *)j->want);
	__m128i mask = _mm_load_si128((const __m128i *)(const void *)j->mask);

	return _mm_testz_si128(_mm_xor_si128(head, want), mask);
#else
	uint64_t head[2], want[2], mask[2];

	memcpy(head, frame, sizeof(head));
	memcpy(want, j->want, sizeof(want));
	memcpy(mask, j->mask, sizeof(mask));
	return (((head[0] ^ want[0]) & mask[0]) | ((head[1] ^ want[1]) & mask[1])) == 0;
#endif
}

static inline __attribute__((always_inline)) uint32_t drb_classify(const struct drb_classifier *j,
								   const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t ipv4;

	// Every buffer has these bytes, however short the frame is.
	memcpy(&ipv4, frame + DRB_ETHER_HEADER + DRB_IPV4_SRC, sizeof(ipv4));
	if (unlikely(m->data_len - j->least > j->above_least ||
		     !drb_classifier_head_is_plain(j, frame) ||
		     ((ipv4 ^ j->ipv4) & j->ipv4_mask) != 0))
		return DRB_CLASS_EXCEPTION;
	return j->class_of[drb_addr_label_octets(frame)];
}
