// SPDX-License-Identifier: BSD-3-Clause
// The kernel's buffer begins at the struct rte_mbuf. The kernel does not touch the struct, because
// it leaves XDP_PACKET_HEADROOM bytes and `headroom` more before a frame. The rest of the buffer
// holds one part of a frame. The kernel's buffers are at most a page long. Packet buffers hold the
// longest packet, so the other parts are appended to the first one.
#include "switch/ports/interface.h"
#include "switch/ports/xdp/xsk.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "core/packet/wire.h"
#include "switch/ports/xdp/xsk_ring.h"

// Buffers of a socket that the kernel may fill while the worker is off its CPU. A switch with many
// sockets has fewer for each, because every lent buffer stays in memory. BUFFERS_OF_ALL limits
// their sum over all sockets, together with QUEUE, the default length of an egress queue. If a
// packet takes several buffers, there are half as many, for about the same number of bytes.
#define FILL_MIN 128
#define FILL_MAX 2048
#define QUEUE 512
#define BUFFERS_OF_ALL 6144
// Packets that are passed to the kernel and not sent yet. Decisions do not see them, and hellos
// wait behind them.
#define SEND 64
#define PAGE 4096u
// Bytes that XDP programs may use before a frame; bytes of the shortest buffer that the kernel
// takes.
#define XDP_HEADROOM 256
#define CHUNK_MIN 2048
#define PART_MAX (PAGE - XDP_HEADROOM - (uint32_t)sizeof(struct rte_mbuf))
// Time to wait for a busy interface, and number of tries within it.
#define BUSY_NS 2000000000
#define BUSY_TRIES 200

_Static_assert(DRB_MTU_MAX + 64 <= DRB_XSK_PARTS * PART_MAX, "the longest packet is so many parts");

static uint32_t parts_of(uint32_t frame_max)
{
	return (frame_max + PART_MAX - 1) / PART_MAX;
}

static uint32_t fill_of(uint32_t frame_max, uint32_t sockets)
{
	uint32_t fill = FILL_MAX;

	while (fill > FILL_MIN && (fill + QUEUE) * sockets > BUFFERS_OF_ALL)
		fill /= 2;
	return parts_of(frame_max) == 1 ? fill : fill / 2;
}

uint32_t drb_xsk_buffers(uint32_t frame_max, uint32_t sockets)
{
	return fill_of(frame_max, sockets) + SEND;
}

static int xdp_option_set(int fd, int option, const void *value, size_t size)
{
	return setsockopt(fd, SOL_XDP, option, value, (socklen_t)size) < 0 ? -errno : 0;
}

struct extent {
	uint8_t *first, *end;
};

static void add_memory(struct rte_mempool *pool, void *extent, struct rte_mempool_memhdr *memory,
		       unsigned index)
{
	struct extent *all = extent;
	uint8_t *first = memory->addr, *end = first + memory->len;

	(void)pool;
	all->first = index == 0 || first < all->first ? first : all->first;
	all->end = index == 0 || end > all->end ? end : all->end;
}

// Lends the kernel the pool's memory.
static int lend_memory(struct drb_xsk *x)
{
	const uint32_t own = (uint32_t)sizeof(struct rte_mbuf) + rte_pktmbuf_priv_size(x->pool);
	struct extent all = {0};
	uint32_t headroom = own;

	rte_mempool_mem_iter(x->pool, add_memory, &all);
	x->memory = all.first - (uintptr_t)all.first % PAGE;
	if (x->part + headroom + XDP_HEADROOM < CHUNK_MIN)
		headroom = CHUNK_MIN - x->part - XDP_HEADROOM;
	const struct xdp_umem_reg memory = {
		.addr = (uintptr_t)x->memory,
		.len = (uint64_t)(all.end - x->memory),
		.chunk_size = XDP_HEADROOM + headroom + x->part,
		.headroom = headroom,
		.flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG,
	};
	if (headroom + XDP_HEADROOM - own + x->parts * x->part >
	    rte_pktmbuf_data_room_size(x->pool))
		return -EINVAL;
	return xdp_option_set(x->fd, XDP_UMEM_REG, &memory, sizeof(memory));
}

static int map_ring(const struct drb_xsk *x, struct drb_xsk_ring *ring, off_t at,
		    const struct xdp_ring_offset *offset, size_t entry)
{
	size_t size = offset->desc + ring->size * entry;
	uint8_t *map =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, x->fd, at);

	if (map == MAP_FAILED)
		return -errno;
	ring->map = map;
	ring->map_size = size;
	ring->producer = (uint32_t *)(map + offset->producer);
	ring->consumer = (uint32_t *)(map + offset->consumer);
	ring->flags = (const uint32_t *)(map + offset->flags);
	ring->entry = map + offset->desc;
	return 0;
}

static int map_rings(struct drb_xsk *x)
{
	const size_t address = sizeof(uint64_t), place = sizeof(struct xdp_desc);
	struct xdp_mmap_offsets offsets;
	socklen_t size = sizeof(offsets);

	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) < 0)
		return -errno;
	int rc = map_ring(x, &x->fill, XDP_UMEM_PGOFF_FILL_RING, &offsets.fr, address);
	if (rc == 0)
		rc = map_ring(x, &x->completions, XDP_UMEM_PGOFF_COMPLETION_RING, &offsets.cr,
			      address);
	if (rc == 0)
		rc = map_ring(x, &x->rx, XDP_PGOFF_RX_RING, &offsets.rx, place);
	if (rc == 0 && x->tx.size > 0)
		rc = map_ring(x, &x->tx, XDP_PGOFF_TX_RING, &offsets.tx, place);
	return rc;
}

// The kernel requires a completion ring even if nothing is sent.
static int make_rings(struct drb_xsk *x, bool sends, uint32_t fill)
{
	const struct {
		int option;
		struct drb_xsk_ring *ring;
		uint32_t size;
	} rings[] = {
		{XDP_UMEM_FILL_RING, &x->fill, fill},
		{XDP_UMEM_COMPLETION_RING, &x->completions, sends ? 4 * SEND : 2},
		{XDP_RX_RING, &x->rx, fill},
		{XDP_TX_RING, &x->tx, sends ? 4 * SEND : 0},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(rings) / sizeof(rings[0]); i++) {
		rings[i].ring->size = rings[i].size;
		if (rings[i].size > 0)
			rc = xdp_option_set(x->fd, rings[i].option, &rings[i].size,
					    sizeof(rings[i].size));
	}
	return rc == 0 ? map_rings(x) : rc;
}

// Retries while the queue is busy. After a socket was closed, by this process or by the one before
// a restart, the kernel frees its queue only milliseconds later; on a busy machine, a second later.
static int bind_to(int fd, const struct sockaddr_xdp *at)
{
	const struct timespec pause = {.tv_nsec = BUSY_NS / BUSY_TRIES};

	for (int tries = 1;; tries++) {
		if (bind(fd, (const struct sockaddr *)at, sizeof(*at)) == 0)
			return 0;
		if (errno != EBUSY || tries == BUSY_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

// Requests frames in parts only if that costs nothing, as for copies, or if long packets need it. A
// driver may support zero copy only without them.
static int bind_queue(struct drb_xsk *x, const struct drb_xsk_use *use)
{
	const uint16_t flags = XDP_USE_NEED_WAKEUP | (use->copy ? XDP_COPY : 0);
	struct sockaddr_xdp at = {.sxdp_family = AF_XDP,
				  .sxdp_flags = flags,
				  .sxdp_ifindex = drb_interface_index(use->interface),
				  .sxdp_queue_id = use->queue};

	if (use->copy || x->parts > 1)
		at.sxdp_flags |= XDP_USE_SG;
	int rc = bind_to(x->fd, &at);
	if (rc == -EINVAL && x->parts == 1 && at.sxdp_flags != flags) { // before Linux 6.6
		at.sxdp_flags = flags;
		rc = bind_to(x->fd, &at);
	}
	return rc;
}

int drb_xsk_open(struct drb_xsk *x, const struct drb_xsk_use *use, const char **step)
{
	*x = (struct drb_xsk){.fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0),
			      .pool = use->lent,
			      .packets = use->packets,
			      .frame_max = use->frame_max,
			      .parts = parts_of(use->frame_max)};
	*step = "open";
	if (x->fd < 0)
		return -errno;
	x->part = (x->frame_max + x->parts - 1) / x->parts;
	*step = "lend memory to";
	int rc = lend_memory(x);
	*step = rc == 0 ? "make the rings of" : *step;
	if (rc == 0)
		rc = make_rings(x, use->sends, fill_of(x->frame_max, use->sockets));
	*step = rc == 0 ? "bind" : *step;
	if (rc == 0)
		rc = bind_queue(x, use);
	if (rc == 0)
		drb_xsk_fill(x);
	return rc;
}

static void free_entries(const struct drb_xsk *x, const struct drb_xsk_ring *ring, uint32_t at,
			 uint32_t end)
{
	for (; at != end; at++)
		rte_pktmbuf_free(drb_xsk_buffer(x, *drb_xsk_entry(ring, at)));
}

static void free_places(const struct drb_xsk *x, const struct drb_xsk_ring *ring, uint32_t at,
			uint32_t end)
{
	for (; at != end; at++)
		rte_pktmbuf_free(drb_xsk_buffer(x, drb_xsk_place(ring, at)->addr));
}

// Frees the buffers in the rings, which a closed socket no longer touches. Buffers that a card had
// taken from the rings are lost.
static void take_back(struct drb_xsk *x)
{
	free_entries(x, &x->fill, drb_xsk_index(x->fill.consumer), *x->fill.producer);
	free_places(x, &x->rx, *x->rx.consumer, drb_xsk_index(x->rx.producer));
	if (!x->tx.map)
		return;
	free_places(x, &x->tx, drb_xsk_index(x->tx.consumer), *x->tx.producer);
	free_entries(x, &x->completions, *x->completions.consumer,
		     drb_xsk_index(x->completions.producer));
}

static void unmap(struct drb_xsk_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->map_size);
	*ring = (struct drb_xsk_ring){0};
}

void drb_xsk_close(struct drb_xsk *x)
{
	if (x->fd >= 0)
		close(x->fd);
	if (x->fill.map && x->rx.map && x->completions.map)
		take_back(x);
	unmap(&x->fill);
	unmap(&x->rx);
	unmap(&x->tx);
	unmap(&x->completions);
	*x = (struct drb_xsk){.fd = -1};
}
