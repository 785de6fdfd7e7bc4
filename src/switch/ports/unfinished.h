// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets with a partial checksum (CHECKSUM_PARTIAL). A kernel left their TCP or UDP checksum to
// the device, and the field holds the sum of the pseudo-header. A virtual interface does not
// compute checksums, so the checksum stays partial. Packet sockets and links to other switches pass
// the mark on. Before packets leave by other ports, their checksums are finished here.

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf_core.h>

#include "core/packet/wire.h"

// Highest start of the summed part that fits into the mbuf.
#define DRB_UNFINISHED_START_MAX 511

// Marks the checksum as unfinished. `start` is the first byte that is summed, at most
// DRB_UNFINISHED_START_MAX. The checksum's field is `field` bytes behind it, at most 255.
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

// True if a mark from another switch is valid for a packet of `length` bytes.
static inline bool drb_fits_mark(uint32_t start, uint32_t field, uint32_t length)
{
	return start >= DRB_ETHER_HEADER && start <= DRB_UNFINISHED_START_MAX &&
	       (field == DRB_TCP_CHECKSUM || field == DRB_UDP_CHECKSUM) &&
	       start + field + 2 <= length;
}

// True if a checksum that a kernel reports may stay unfinished: it fits a mark, and is behind all
// headers that the switch inspects. Otherwise a host could have the switch change, by finishing the
// checksum, bytes that were already inspected.
bool drb_may_stay_unfinished(const uint8_t *frame, uint32_t length, uint32_t start, uint32_t field);

// Marks a received packet as unfinished if its checksum is the sum of its pseudo-header, for ports
// whose kernel does not report it. Finds it in tunnels, too (VXLAN, Geneve, IP in IP). If a
// complete checksum happens to equal that sum, finishing it results in the same bytes.
void drb_find_unfinished(struct rte_mbuf *m);

// Computes the checksum over the frame from `start` to its end, including the content of the field,
// and writes it to the field, `field` bytes behind `start`. False if the field is not in the frame;
// then nothing is written.
bool drb_finish_checksum(uint8_t *frame, uint32_t length, uint32_t start, uint32_t field);

// Finishes the unfinished checksums of a burst.
void drb_finish_checksums(struct rte_mbuf **packets, uint32_t count);
