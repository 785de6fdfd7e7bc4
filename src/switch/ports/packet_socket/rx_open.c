// SPDX-License-Identifier: BSD-3-Clause
// Opens, binds and closes receive rings; rx_ring.c receives from them.
#include "switch/ports/packet_socket/rx_ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "core/packet/wire.h"
#include "switch/ports/interface.h"

// The ring holds the packets that arrive while the switch gets no CPU. If the rate of the link is
// known, these are drb_port_carries_meanwhile(); a host may send a burst in addition.
//
// Without a rate, measurements decide. On a link between switches, 512 frames lost bursts of TCP
// segments; 2048 have no advantage over 1024, and do not fit into the cache. A host without
// segmentation offload sends as much as the windows of its TCP connections allow. With eight
// connections, 1024 frames lost 7 % of the packets, 2048 lost 5 %, 4096 lost 0.1 %.
//
// The kernel allocates the memory at once, so rings are shorter in switches with many ports, which
// share the time of one CPU. Rings of longer frames have fewer frames.
//
// A frame has space for a packet and FRAME_HEAD bytes before it. Its size is no power of two,
// because all frames would then compete for the same part of the cache. The kernel rounds a block
// up to a power of two. 40 frames of FRAME bytes, 20 of twice that size and so on, leave 2 % of a
// block unused.
#define BURST_OF_HOST 64
#define FRAMES_OF_LINK 1024
#define FRAMES_OF_HOST 4096
// A switch with at most this number of ports has rings of these lengths. With more ports, the rings
// of each worker share the total length for this number.
#define PORTS_OF_LINKS 8
#define PORTS_OF_HOSTS 4
#define FRAME 1600
#define FRAME_HEAD 76
#define BUFFER (8 << 20) // bytes of GSO packets, including the kernel's overhead

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif
#ifndef PACKET_FANOUT_FLAG_IGNORE_OUTGOING
#define PACKET_FANOUT_FLAG_IGNORE_OUTGOING 0x4000
#endif
#ifndef PACKET_FANOUT_FLAG_UNIQUEID
#define PACKET_FANOUT_FLAG_UNIQUEID 0x2000
#endif

static int packet_option_set(int fd, int option, const void *value, size_t size)
{
	return setsockopt(fd, SOL_PACKET, option, value, (socklen_t)size) < 0 ? -errno : 0;
}

static int set_on(int fd, int option)
{
	const int on = 1;

	return packet_option_set(fd, option, &on, sizeof(on));
}

// Enables GSO packets. Frames then come with a virtio-net header, which describes the work left to
// a device. Frames that are longer than a frame of the ring are also copied to the socket's buffer.
static int take_gso_packets(int fd)
{
	const int room = BUFFER;
	int rc = set_on(fd, PACKET_VNET_HDR);

	if (rc == 0)
		rc = set_on(fd, PACKET_AUXDATA);
	if (rc == 0)
		rc = set_on(fd, PACKET_COPY_THRESH);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0) // CAP_NET_ADMIN
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	return rc;
}

// Returns the size of a ring's frame for packets of up to frame_max bytes. The kernel removes a
// VLAN tag, which needs no space.
static uint32_t frame_size(uint32_t frame_max)
{
	uint32_t size = FRAME;

	while (size - FRAME_HEAD + DRB_VLAN_TAG < frame_max)
		size *= 2;
	return size;
}

static uint32_t longest_ring(const struct drb_port *port, bool host)
{
	const uint32_t full = host ? PORTS_OF_HOSTS : PORTS_OF_LINKS;
	uint32_t frames = host ? FRAMES_OF_HOST : FRAMES_OF_LINK;

	if (port->ports > full)
		frames = frames * full / port->ports;
	return frame_size(port->frame_max) > FRAME ? frames / 2 : frames;
}

// Returns the length of the ring that a port needs, in frames.
static uint32_t ring_frames(const struct drb_port *port)
{
	const bool host = port->setup->peer.layer == 0;
	const double carried = drb_port_carries_meanwhile(port);
	const uint32_t frames = (uint32_t)carried + 1 + (host ? BURST_OF_HOST : 0);
	const uint32_t most = longest_ring(port, host);

	return carried > 0 && carried < most && frames < most ? frames : most;
}

static uint32_t frames_of_block(const struct drb_rx_ring *ring)
{
	return DRB_RX_BLOCK / ring->frame_size;
}

static void size_ring(struct drb_rx_ring *ring, const struct drb_port *port)
{
	ring->frame_max = port->frame_max;
	ring->frame_size = frame_size(port->frame_max);
	ring->blocks = (ring_frames(port) + frames_of_block(ring) - 1) / frames_of_block(ring);
}

size_t drb_rx_ring_size(const struct drb_rx_ring *ring)
{
	return (size_t)ring->blocks * DRB_RX_BLOCK;
}

static int map_ring(struct drb_rx_ring *ring)
{
	const struct tpacket_req request = {
		.tp_block_size = DRB_RX_BLOCK,
		.tp_block_nr = ring->blocks,
		.tp_frame_size = ring->frame_size,
		.tp_frame_nr = ring->blocks * frames_of_block(ring),
	};
	int rc = packet_option_set(ring->fd, PACKET_RX_RING, &request, sizeof(request));

	if (rc < 0)
		return rc;
	void *at =
		mmap(NULL, drb_rx_ring_size(ring), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ring->frame = at;
	return 0;
}

static int receive_from(int fd, int interface)
{
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = interface};
	int rc = drb_interface_promiscuous(fd, (unsigned)interface);

	if (rc == 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		rc = -errno;
	return rc;
}

static void set_filter(struct drb_rx_ring *ring, const struct drb_port *port, bool confined)
{
	const struct drb_rx_filter_use use = {.frames = ring->blocks * frames_of_block(ring),
					      .hellos_apart = port->setup->peer.layer > 0,
					      .confined = confined};

	ring->room = drb_rx_filter_attach(ring->fd, &use);
}

int drb_rx_ring_open(struct drb_rx_ring *ring, const struct drb_port *port, bool confined,
		     const char **step)
{
	const int version = TPACKET_V2;
	int rc;

	*step = "open";
	*ring = (struct drb_rx_ring){.fd = ring->fd};
	size_ring(ring, port);
	ring->gso.octets = malloc(DRB_RX_GSO_ROOM); // pages exist once a GSO packet comes
	if (!ring->gso.octets)
		return -ENOMEM;
	// Kernels before 4.20 do not have this option. The ring then also receives the frames that
	// the kernel itself sends on the interface.
	set_on(ring->fd, PACKET_IGNORE_OUTGOING);
	// Frames that this socket sends bypass the qdisc.
	set_on(ring->fd, PACKET_QDISC_BYPASS);
	*step = "make the ring of";
	rc = packet_option_set(ring->fd, PACKET_VERSION, &version, sizeof(version));
	if (rc == 0)
		rc = take_gso_packets(ring->fd);
	if (rc == 0)
		rc = map_ring(ring);
	if (rc < 0)
		return rc;
	set_filter(ring, port, confined);
	*step = "bind";
	return receive_from(ring->fd, (int)drb_interface_index(port->setup->interface));
}

// Divides frames among the group by their flow, without further options. If the kernel reassembled
// fragments, packets would be cut to the size of a frame. With rollover, packets of a flow would
// overtake each other in another socket. The group needs its own flag to ignore outgoing frames,
// because the kernel does not use the flag of the group's sockets.
int drb_rx_ring_join(struct drb_rx_ring *ring, const struct drb_rx_ring *first)
{
	const uint32_t way = PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_IGNORE_OUTGOING;
	uint32_t group = 0;
	socklen_t size = sizeof(group);

	if (ring == first) {
		group = (way | PACKET_FANOUT_FLAG_UNIQUEID) << 16; // the kernel chooses a number
		return packet_option_set(ring->fd, PACKET_FANOUT, &group, sizeof(group));
	}
	if (getsockopt(first->fd, SOL_PACKET, PACKET_FANOUT, &group, &size) < 0)
		return -errno;
	group = (group & 0xffff) | way << 16;
	return packet_option_set(ring->fd, PACKET_FANOUT, &group, sizeof(group));
}

unsigned drb_rx_ring_interface(const struct drb_rx_ring *ring)
{
	struct sockaddr_ll at = {0};
	socklen_t size = sizeof(at);

	if (getsockname(ring->fd, (struct sockaddr *)&at, &size) < 0 || at.sll_ifindex < 0)
		return 0;
	return (unsigned)at.sll_ifindex;
}

int drb_rx_ring_rebind(struct drb_rx_ring *ring, unsigned interface)
{
	return receive_from(ring->fd, (int)interface);
}

void drb_rx_ring_close(struct drb_rx_ring *ring)
{
	if (ring->frame)
		munmap(ring->frame, drb_rx_ring_size(ring));
	drb_rx_filter_free(ring->room);
	free(ring->gso.octets);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct drb_rx_ring){.fd = -1};
}
