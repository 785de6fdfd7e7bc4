// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joins a frame that came in several buffers, because it is longer than the buffers of a card or an
// AF_XDP socket. The datapath needs a frame in one buffer, and packet buffers hold the longest
// packet.

#include <string.h>

#include <rte_mbuf.h>

// Copies the bytes of the other buffers into the first one and frees the others. Keeps at most
// `max` bytes in all: of a longer frame, the beginning.
static inline struct rte_mbuf *drb_join(struct rte_mbuf *m, uint32_t max)
{
	struct rte_mbuf *rest = m->next;

	max = RTE_MIN(max, (uint32_t)(m->buf_len - m->data_off));
	m->data_len = (uint16_t)RTE_MIN(max, (uint32_t)m->data_len);
	for (const struct rte_mbuf *part = rest; part; part = part->next) {
		uint16_t n = (uint16_t)RTE_MIN((uint32_t)part->data_len, max - m->data_len);
		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len),
		       rte_pktmbuf_mtod(part, uint8_t *), n);
		m->data_len += n;
	}
	m->pkt_len = m->data_len;
	m->nb_segs = 1;
	m->next = NULL;
	while (rest) {
		struct rte_mbuf *next = rest->next;
		rte_pktmbuf_free_seg(rest);
		rest = next;
	}
	return m;
}
