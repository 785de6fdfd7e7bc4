// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_bundle.h"

#include <linux/virtio_net.h>
#include <string.h>
#include <sys/socket.h>

uint32_t drb_rx_bundle_check(const struct drb_rx_bundle *b, const uint8_t *frame, uint32_t there,
			     uint32_t length)
{
	if (b->slot == 0 || there < sizeof(struct drb_bundle_head) ||
	    length > DRB_BUNDLE_SLOTS * b->slot)
		return 0;
	return drb_bundle_check((const struct drb_bundle_head *)frame, length, b->slot);
}

bool drb_rx_bundle_begin(struct drb_rx_bundle *b, const uint8_t *frame, uint32_t count,
			 struct rte_mempool *pool)
{
	b->next = 0;
	b->count = drb_bundle_copy(frame, b->slot, pool, b->packet);
	if (b->count == count)
		return true;
	drb_rx_bundle_drop(b);
	return false;
}

// The frame that waits, into buffers of one slot each. False: it is another than expected.
static bool read_slots(int fd, struct rte_mbuf **slots, uint32_t count, uint32_t slot,
		       uint32_t length)
{
	struct virtio_net_hdr cut;
	struct iovec parts[1 + DRB_BUNDLE_SLOTS] = {{&cut, sizeof(cut)}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 1 + count};

	for (uint32_t i = 0; i < count; i++)
		parts[1 + i] = (struct iovec){rte_pktmbuf_mtod(slots[i], void *), slot};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);
	if (n < 0) // an error of the interface comes before what was received
		n = recvmsg(fd, &message, MSG_DONTWAIT);
	return n == (ssize_t)(sizeof(cut) + length) && !(message.msg_flags & MSG_TRUNC);
}

bool drb_rx_bundle_read(struct drb_rx_bundle *b, int fd, uint32_t length, struct rte_mempool *pool)
{
	struct rte_mbuf *slots[DRB_BUNDLE_SLOTS];
	const uint32_t count = (length + b->slot - 1) / b->slot;

	b->next = b->count = 0;
	if (rte_pktmbuf_alloc_bulk(pool, slots, count) != 0)
		return false;
	if (read_slots(fd, slots, count, b->slot, length) &&
	    drb_bundle_check(rte_pktmbuf_mtod(slots[0], const struct drb_bundle_head *), length,
			     b->slot) > 0)
		b->count = drb_bundle_open(slots, count, pool, b->packet);
	else
		rte_pktmbuf_free_bulk(slots, count);
	return true;
}

uint32_t drb_rx_bundle_take(struct drb_rx_bundle *b, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t left = b->count - b->next, n = left < count ? left : count;

	memcpy(packets, &b->packet[b->next], n * sizeof(*packets));
	b->next += n;
	return n;
}

void drb_rx_bundle_drop(struct drb_rx_bundle *b)
{
	rte_pktmbuf_free_bulk(&b->packet[b->next], b->count - b->next);
	b->next = b->count = 0;
}
