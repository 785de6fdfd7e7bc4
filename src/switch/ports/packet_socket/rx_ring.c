// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "switch/ports/packet_socket/complete_checksum.h"

// The ring holds what comes while its switch is off its CPU: with 512 frames it lost bursts of TCP
// segments, with 2048 it loses nothing more but is too long for the cache. A frame has room for a
// packet and 66 octets before it; at a power of two they would all want the same part of the cache.
// A block is pages that frames fill exactly.
#define FRAMES 1024
#define FRAME 1664
#define BLOCK_PAGES 13
#define TAG 4 // octets of a VLAN tag
#define MACS 12

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif
#ifndef PACKET_FANOUT_FLAG_IGNORE_OUTGOING
#define PACKET_FANOUT_FLAG_IGNORE_OUTGOING 0x4000
#endif
#ifndef PACKET_FANOUT_FLAG_UNIQUEID
#define PACKET_FANOUT_FLAG_UNIQUEID 0x2000
#endif

_Static_assert(FRAME + TAG + RTE_PKTMBUF_HEADROOM <= RTE_MBUF_DEFAULT_BUF_SIZE,
	       "a frame fits into a buffer");

static int set(int fd, int option, const void *value, size_t size)
{
	return setsockopt(fd, SOL_PACKET, option, value, (socklen_t)size) < 0 ? -errno : 0;
}

static int set_on(int fd, int option)
{
	const int on = 1;

	return set(fd, option, &on, sizeof(on));
}

static int map_ring(struct drb_rx_ring *ring)
{
	const uint32_t block = BLOCK_PAGES * (uint32_t)sysconf(_SC_PAGESIZE);
	const struct tpacket_req request = {
		.tp_block_size = block,
		.tp_block_nr = FRAMES * FRAME / block,
		.tp_frame_size = FRAME,
		.tp_frame_nr = FRAMES * FRAME / block * (block / FRAME),
	};
	int rc = set(ring->fd, PACKET_RX_RING, &request, sizeof(request));

	if (rc < 0)
		return rc;
	void *at =
		mmap(NULL, (size_t)FRAMES * FRAME, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ring->frame = at;
	return 0;
}

static int receive_from(int fd, int interface)
{
	const struct packet_mreq promiscuous = {.mr_ifindex = interface,
						.mr_type = PACKET_MR_PROMISC};
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = interface};
	// Frames carry the MACs of hosts, not of ports. This ends with the socket.
	int rc = set(fd, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous));

	if (rc == 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		rc = -errno;
	return rc;
}

int drb_rx_ring_open(struct drb_rx_ring *ring, const char *interface, const char **step)
{
	const int version = TPACKET_V2;
	int rc;

	// A socket of no protocol receives nothing before it is bound. One of all protocols is one of
	// all interfaces until then, and for the kernel to change that takes it a grace period of
	// RCU, 15 ms.
	*step = "open";
	*ring = (struct drb_rx_ring){.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)};
	if (ring->fd < 0)
		return -errno;
	// Kernels before 4.20 know no such option; then what the kernel itself sends on the interface
	// counts as received.
	set_on(ring->fd, PACKET_IGNORE_OUTGOING);
	// Frames that are sent by this socket are for the device, not for the qdisc.
	set_on(ring->fd, PACKET_QDISC_BYPASS);
	*step = "make the ring of";
	rc = set(ring->fd, PACKET_VERSION, &version, sizeof(version));
	if (rc == 0)
		rc = map_ring(ring);
	*step = "bind";
	return rc == 0 ? receive_from(ring->fd, (int)if_nametoindex(interface)) : rc;
}

// Only by the flow: reassembled fragments would be cut to the size of a frame, and with rollover
// packets of a flow would overtake each other in another socket. A group does not know what its
// sockets ignore.
int drb_rx_ring_join(struct drb_rx_ring *ring, const struct drb_rx_ring *first)
{
	const uint32_t way = PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
	uint32_t group = 0;
	socklen_t size = sizeof(group);

	if (ring == first) {
		group = (way | PACKET_FANOUT_FLAG_UNIQUEID) << 16; // the kernel finds a number
		return set(ring->fd, PACKET_FANOUT, &group, sizeof(group));
	}
	if (getsockopt(first->fd, SOL_PACKET, PACKET_FANOUT, &group, &size) < 0)
		return -errno;
	group = (group & 0xffff) | way << 16;
	return set(ring->fd, PACKET_FANOUT, &group, sizeof(group));
}

void drb_rx_ring_close(struct drb_rx_ring *ring)
{
	if (ring->frame)
		munmap(ring->frame, (size_t)FRAMES * FRAME);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct drb_rx_ring){.fd = -1};
}

static struct tpacket2_hdr *frame_at(const struct drb_rx_ring *ring, uint32_t index)
{
	return (struct tpacket2_hdr *)(ring->frame + (size_t)index * FRAME);
}

static uint32_t after(uint32_t index)
{
	return index + 1 < FRAMES ? index + 1 : 0;
}

static uint32_t count_filled(const struct drb_rx_ring *ring, uint32_t most)
{
	uint32_t count = 0;

	for (uint32_t i = ring->next; count < most; i = after(i), count++) {
		if (!(__atomic_load_n(&frame_at(ring, i)->tp_status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER))
			break;
	}
	return count;
}

// Frames that the kernel handed over as a sender's device would have got them: their tag beside them,
// their checksum to be completed.
static uint32_t copy_unfinished(const struct tpacket2_hdr *f, uint8_t *to)
{
	const uint8_t *octets = (const uint8_t *)f + f->tp_mac;
	uint32_t length = f->tp_snaplen;

	if ((f->tp_status & TP_STATUS_VLAN_VALID) && length >= MACS) {
		const bool told = f->tp_status & TP_STATUS_VLAN_TPID_VALID;
		const uint16_t tag[2] = {htons(told ? f->tp_vlan_tpid : ETH_P_8021Q),
					 htons(f->tp_vlan_tci)};
		memcpy(to, octets, MACS);
		memcpy(to + MACS, tag, TAG);
		memcpy(to + MACS + TAG, octets + MACS, length - MACS);
		length += TAG;
	} else {
		memcpy(to, octets, length);
	}
	if ((f->tp_status & TP_STATUS_CSUMNOTREADY) && f->tp_snaplen == f->tp_len)
		drb_complete_checksum(to, length);
	return length;
}

static void copy_frame(const struct tpacket2_hdr *f, struct rte_mbuf *m)
{
	uint32_t length = f->tp_snaplen;
	uint8_t *to = rte_pktmbuf_mtod(m, uint8_t *);

	if (unlikely(f->tp_status & (TP_STATUS_VLAN_VALID | TP_STATUS_CSUMNOTREADY)))
		length = copy_unfinished(f, to);
	else
		memcpy(to, (const uint8_t *)f + f->tp_mac, length);
	m->data_len = (uint16_t)length;
	m->pkt_len = length;
}

uint32_t drb_rx_ring_receive(struct drb_rx_ring *ring, struct rte_mempool *pool,
			     struct rte_mbuf **packets, uint32_t count)
{
	uint32_t n = count_filled(ring, count);

	while (n > 0 && rte_pktmbuf_alloc_bulk(pool, packets, n) != 0)
		n /= 2;
	for (uint32_t i = 0; i < n; i++) {
		struct tpacket2_hdr *f = frame_at(ring, ring->next);
		copy_frame(f, packets[i]);
		__atomic_store_n(&f->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		ring->next = after(ring->next);
	}
	return n;
}

uint64_t drb_rx_ring_missed(struct drb_rx_ring *ring)
{
	struct tpacket_stats since;
	socklen_t size = sizeof(since);

	// Reading clears it.
	if (getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &since, &size) == 0)
		ring->missed += since.tp_drops;
	return ring->missed;
}
