// SPDX-License-Identifier: BSD-3-Clause
// The memory of the socket is that of the pool of packet buffers. For the kernel a buffer begins with its
// struct rte_mbuf, which it does not touch: before a frame it leaves XDP_PACKET_HEADROOM octets and `headroom`
// more. The rest of it, as far as told, is one slot of a bundle: the packets of a bundle are in
// buffers of their own when they come.
#include "switch/ports/xdp/xsk.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "core/packet/wire.h"
#include "switch/ports/unfinished.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif
#ifndef XDP_USE_SG // headers before Linux 6.6
#define XDP_USE_SG (1 << 4)
#define XDP_PKT_CONTD (1 << 0)
#endif

// Buffers that the kernel has, and frames that it may have filled while the worker is off its CPU: as many as in the
// ring of a packet socket (packet_socket/rx_ring.c).
#define FILL 2048
#define PAGE 4096u
// Octets that XDP programs may use before a frame, and those of the shortest buffer that the kernel takes.
#define XDP_HEADROOM 256
#define CHUNK_MIN 2048
// How long an interface may be busy, and how often to try.
#define BUSY_NS 500000000
#define BUSY_TRIES 50
#define ADDRESS_MASK ((UINT64_C(1) << XSK_UNALIGNED_BUF_OFFSET_SHIFT) - 1)

static int set(int fd, int option, const void *value, size_t size)
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
	struct extent all = {0};

	rte_mempool_mem_iter(x->pool, add_memory, &all);
	x->memory = all.first - (uintptr_t)all.first % PAGE;
	uint32_t headroom =
		x->slot + XDP_HEADROOM < CHUNK_MIN ? CHUNK_MIN - x->slot - XDP_HEADROOM : 0;
	x->data_off = XDP_HEADROOM + headroom - (uint32_t)sizeof(struct rte_mbuf) -
		      rte_pktmbuf_priv_size(x->pool);
	const struct xdp_umem_reg memory = {
		.addr = (uintptr_t)x->memory,
		.len = (uint64_t)(all.end - x->memory),
		.chunk_size = XDP_HEADROOM + headroom + x->slot,
		.headroom = headroom,
		.flags = XDP_UMEM_UNALIGNED_CHUNK_FLAG,
	};
	if (x->data_off + x->slot > rte_pktmbuf_data_room_size(x->pool))
		return -EINVAL;
	return set(x->fd, XDP_UMEM_REG, &memory, sizeof(memory));
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
	ring->entry = map + offset->desc;
	return 0;
}

static int make_rings(struct drb_xsk *x)
{
	struct xdp_mmap_offsets offsets;
	socklen_t size = sizeof(offsets);
	int rc;

	x->fill.size = x->rx.size = FILL;
	x->completions.size = 2;
	rc = set(x->fd, XDP_UMEM_FILL_RING, &x->fill.size, sizeof(x->fill.size));
	if (rc == 0)
		rc = set(x->fd, XDP_UMEM_COMPLETION_RING, &x->completions.size,
			 sizeof(x->completions.size));
	if (rc == 0)
		rc = set(x->fd, XDP_RX_RING, &x->rx.size, sizeof(x->rx.size));
	if (rc == 0 && getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) < 0)
		rc = -errno;
	if (rc == 0)
		rc = map_ring(x, &x->fill, XDP_UMEM_PGOFF_FILL_RING, &offsets.fr, sizeof(uint64_t));
	if (rc == 0)
		rc = map_ring(x, &x->completions, XDP_UMEM_PGOFF_COMPLETION_RING, &offsets.cr,
			      sizeof(uint64_t));
	if (rc == 0)
		rc = map_ring(x, &x->rx, XDP_PGOFF_RX_RING, &offsets.rx, sizeof(struct xdp_desc));
	return rc;
}

// Gives the kernel as many buffers as it has room for. What there are too few of now it gets later.
static void fill(struct drb_xsk *x)
{
	struct rte_mbuf *fresh[FILL];
	const uint32_t at = *x->fill.producer;
	uint64_t *addresses = x->fill.entry;
	uint32_t n = x->fill.size - (at - __atomic_load_n(x->fill.consumer, __ATOMIC_ACQUIRE));

	x->starved = false;
	while (n > 0 && rte_pktmbuf_alloc_bulk(x->pool, fresh, n) != 0) {
		x->starved = true;
		n /= 2;
	}
	for (uint32_t i = 0; i < n; i++)
		addresses[(at + i) & (x->fill.size - 1)] =
			(uint64_t)((uint8_t *)fresh[i] - x->memory);
	__atomic_store_n(x->fill.producer, at + n, __ATOMIC_RELEASE);
}

// The kernel lets an interface's queue go some milliseconds after the socket that had it was closed, by this process or by
// one that a restarted switch takes the place of.
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

int drb_xsk_open(struct drb_xsk *x, const char *interface, struct rte_mempool *pool,
		 uint32_t frame_max, bool bundles)
{
	struct sockaddr_xdp at = {.sxdp_family = AF_XDP,
				  .sxdp_flags = XDP_COPY | XDP_USE_SG,
				  .sxdp_ifindex = if_nametoindex(interface)};

	*x = (struct drb_xsk){.fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0),
			      .pool = pool,
			      .slot = drb_bundle_slot(frame_max),
			      .frame_max = frame_max};
	if (x->fd < 0)
		return -errno;
	x->bundle.slot = bundles ? x->slot : 0;
	int rc = lend_memory(x);
	if (rc == 0)
		rc = make_rings(x);
	if (rc == 0)
		rc = bind_to(x->fd, &at);
	if (rc == 0)
		fill(x);
	return rc;
}

static struct rte_mbuf *buffer_at(const struct drb_xsk *x, uint64_t address)
{
	return (struct rte_mbuf *)(x->memory + (address & ADDRESS_MASK));
}

static const struct xdp_desc *received(const struct drb_xsk *x, uint32_t at)
{
	return (const struct xdp_desc *)x->rx.entry + (at & (x->rx.size - 1));
}

// The kernel no longer fills what it has not given back.
static void take_back(struct drb_xsk *x)
{
	const uint64_t *addresses = x->fill.entry;
	uint32_t at = __atomic_load_n(x->fill.consumer, __ATOMIC_ACQUIRE);

	for (; at != *x->fill.producer; at++)
		rte_pktmbuf_free(buffer_at(x, addresses[at & (x->fill.size - 1)]));
	at = *x->rx.consumer;
	for (; at != __atomic_load_n(x->rx.producer, __ATOMIC_ACQUIRE); at++)
		rte_pktmbuf_free(buffer_at(x, received(x, at)->addr));
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
	if (x->fill.map && x->rx.map)
		take_back(x);
	unmap(&x->fill);
	unmap(&x->rx);
	unmap(&x->completions);
	drb_rx_bundle_drop(&x->bundle);
	*x = (struct drb_xsk){.fd = -1};
}

// The buffer of a part of a frame, as the kernel has filled it.
static struct rte_mbuf *part_of(const struct drb_xsk *x, const struct xdp_desc *d)
{
	struct rte_mbuf *m = buffer_at(x, d->addr);

	m->data_off = (uint16_t)x->data_off;
	m->data_len = (uint16_t)d->len;
	m->pkt_len = d->len;
	return m;
}

// A frame that is no bundle but longer than any that is forwarded: its beginning.
static struct rte_mbuf *shorten(const struct drb_xsk *x, struct rte_mbuf **parts, uint32_t count)
{
	rte_pktmbuf_free_bulk(parts + 1, count - 1);
	parts[0]->data_len = (uint16_t)(x->frame_max + 1);
	parts[0]->pkt_len = x->frame_max + 1;
	return parts[0];
}

// The parts of the frame at index `at` of those up to `end`, at most DRB_BUNDLE_SLOTS, and its octets. How many
// there are in the ring; 0: it is not all there.
static uint32_t gather(const struct drb_xsk *x, uint32_t at, uint32_t end, struct rte_mbuf **parts,
		       uint32_t *octets)
{
	uint32_t n = 0;
	bool more = true;

	*octets = 0;
	for (; more && at != end; at++, n++) {
		const struct xdp_desc *d = received(x, at);
		struct rte_mbuf *m = part_of(x, d);
		more = d->options & XDP_PKT_CONTD;
		*octets += d->len;
		if (n < DRB_BUNDLE_SLOTS)
			parts[n] = m;
		else if (!more || at + 1 == end)
			*octets = UINT32_MAX; // no bundle
	}
	return more ? 0 : n;
}

// Takes the bundle that so many parts are apart. False: they are none.
static bool take_bundle(struct drb_xsk *x, struct rte_mbuf **parts, uint32_t count, uint32_t octets)
{
	const uint8_t *frame = rte_pktmbuf_mtod(parts[0], const uint8_t *);

	if (x->bundle.slot == 0 || parts[0]->data_len < sizeof(struct drb_bundle_head) ||
	    !drb_bundle_is(frame) ||
	    drb_rx_bundle_check(&x->bundle, frame, parts[0]->data_len, octets) == 0)
		return false;
	x->bundle.next = 0;
	x->bundle.count = drb_bundle_open(parts, count, x->pool, x->bundle.packet);
	return true;
}

// Takes the frame at the ring's front, of those up to `end`. How many packets it is at once, of a bundle none;
// *parts: how many entries of the ring it had.
static uint32_t take_frame(struct drb_xsk *x, uint32_t end, struct rte_mbuf **packet,
			   uint32_t *entries)
{
	struct rte_mbuf *parts[DRB_BUNDLE_SLOTS];
	const uint32_t at = *x->rx.consumer;
	uint32_t octets, count;

	*entries = gather(x, at, end, parts, &octets);
	if (*entries == 0)
		return 0;
	for (uint32_t i = DRB_BUNDLE_SLOTS; i < *entries; i++)
		rte_pktmbuf_free(buffer_at(x, received(x, at + i)->addr));
	count = *entries < DRB_BUNDLE_SLOTS ? *entries : DRB_BUNDLE_SLOTS;
	if (take_bundle(x, parts, count, octets))
		return 0;
	*packet = octets > x->frame_max ? shorten(x, parts, count) : parts[0];
	// The kernel does not tell an XDP program what a sender left to its device; a bundle does.
	drb_find_unfinished(*packet);
	return 1;
}

uint32_t drb_xsk_receive(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count)
{
	const uint32_t end = __atomic_load_n(x->rx.producer, __ATOMIC_ACQUIRE);
	uint32_t n = drb_rx_bundle_take(&x->bundle, packets, count), entries = 1;
	const uint32_t begin = *x->rx.consumer;

	while (n < count && *x->rx.consumer != end && entries > 0) {
		n += take_frame(x, end, packets + n, &entries);
		__atomic_store_n(x->rx.consumer, *x->rx.consumer + entries, __ATOMIC_RELEASE);
		n += drb_rx_bundle_take(&x->bundle, packets + n, count - n);
	}
	// What the kernel drops for want of buffers brings no frames that would make it try again.
	if (*x->rx.consumer != begin || x->starved)
		fill(x);
	return n;
}
