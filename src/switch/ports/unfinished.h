// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets with a partial checksum (CHECKSUM_PARTIAL): a kernel left their TCP or UDP checksum to the device,
// and the field holds the sum of the pseudo-header. A virtual interface has no such device, so the checksum
// stays partial until somebody needs it. Packet sockets send the mark along; before any other exit the
// checksum is completed here.

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "core/packet/wire.h"

// Longest start of the summed part that fits into the mbuf.
#define DRB_UNFINISHED_START_MAX 511

// The field is `field` octets behind `start`, the first octet that is summed; start at most
// DRB_UNFINISHED_START_MAX, field at most 255.
static inline void drb_mark_unfinished(struct rte_mbuf *m, uint32_t start, uint32_t field)
{
	m->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
	m->tx_offload = 0;
	m->l3_len = start;
	m->l4_len = field;
}

static inline bool drb_is_unfinished(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE;
}

// True if that is a mark as switches make them, of a packet of so many octets: what they tell each other.
static inline bool drb_fits_mark(uint32_t start, uint32_t field, uint32_t length)
{
	return start >= DRB_ETHER_HEADER && start <= DRB_UNFINISHED_START_MAX &&
	       (field == DRB_TCP_CHECKSUM || field == DRB_UDP_CHECKSUM) &&
	       start + field + 2 <= length;
}

// True if a checksum that a kernel speaks of may stay unfinished: it is fit for a mark, and behind the IP header. Else a host could have its packet changed, to finish it, where it has been looked at before.
bool drb_may_stay_unfinished(const uint8_t *frame, uint32_t length, uint32_t start, uint32_t field);

// Marks a received packet whose checksum is the sum of its pseudo-header as unfinished, where nobody
// tells; also in a tunnel (VXLAN, Geneve, IP in IP). One whose own checksum happens to be that sum is finished
// to the same octets.
void drb_find_unfinished(struct rte_mbuf *m);

// Writes the checksum of a frame: of its octets from start on, field octets behind start. What is in
// the field already counts. False, and nothing is written, if the field is not in the frame.
bool drb_finish_checksum(uint8_t *frame, uint32_t length, uint32_t start, uint32_t field);

// Finishes those of a burst that are not.
void drb_finish_checksums(struct rte_mbuf **packets, uint32_t count);
