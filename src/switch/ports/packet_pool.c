// SPDX-License-Identifier: BSD-3-Clause
// Makes pools like rte_pktmbuf_pool_create(), but with less memory:
//   - Buffers are packed. Without hugepages, DPDK gives each buffer of 2432 bytes a page of 4096,
//     so that none crosses a page. That would double the memory of a switch process.
//   - Buffers are made when they are needed. There is one for every packet that all queues can
//     hold, but queues are rarely full.
//   - Without hugepages, buffers are outside of DPDK's memory. DPDK keeps a list of all its pages,
//     which takes 12 kB for each MiB, used or not.
#include "switch/ports/packet_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#include "switch/ports/lazy_pool.h"

#define XDP_HEADROOM 256
#define TAG 4

// Includes the headroom of the kernel in a buffer of an AF_XDP socket. Also includes a VLAN tag,
// which may be put back into a frame that is just too long to be forwarded.
uint32_t drb_packet_room(const struct drb_setup *s)
{
	uint32_t room = RTE_PKTMBUF_HEADROOM + XDP_HEADROOM + drb_frame_max(s->mtu) + TAG + 1;

	room = RTE_ALIGN_CEIL(room, RTE_CACHE_LINE_SIZE);
	return room > RTE_MBUF_DEFAULT_BUF_SIZE ? room : RTE_MBUF_DEFAULT_BUF_SIZE;
}

static void unmap(struct rte_mempool_memhdr *piece, void *none)
{
	(void)none;
	munmap(piece->addr, piece->len);
}

// Gives the pool memory outside of DPDK's. memory_mb: limit in MiB; 0: no limit.
static int populate_own(struct rte_mempool *pool, uint32_t memory_mb)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t each = pool->header_size + pool->elt_size + pool->trailer_size;
	const size_t size = RTE_ALIGN_CEIL(pool->size * each, page);
	if (memory_mb && size > (size_t)memory_mb << 20)
		return -ENOMEM;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	madvise(at, size, MADV_NOHUGEPAGE); // otherwise the first buffer takes 2 MiB
	int rc = rte_mempool_populate_virt(pool, at, size, page, unmap, NULL);
	if (rc <= 0)
		munmap(at, size);
	return rc == 0 ? -ENOMEM : rc;
}

struct kind {
	const char *name;
	bool packed; // buffers may cross pages
	bool lazy;   // buffers are made when they are needed
};

static struct rte_mempool *new_pool(const struct drb_setup *s, uint32_t mbufs,
				    const struct kind *kind)
{
	struct rte_pktmbuf_pool_private room = {.mbuf_data_room_size =
							(uint16_t)drb_packet_room(s)};
	unsigned size = sizeof(struct rte_mbuf) + room.mbuf_data_room_size;
	// With one worker, a cache has no use. It would take 257 buffers, and a page for each core
	// of DPDK.
	const unsigned cache = kind->lazy && s->workers == 1 ? 0 : DRB_POOL_CACHE;
	struct rte_mempool *pool = rte_mempool_create_empty(
		kind->name, mbufs, size, cache, sizeof(room), SOCKET_ID_ANY,
		kind->packed ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0);
	int rc;

	if (!pool)
		return NULL;
	rc = kind->lazy ? drb_lazy_pool_use(pool)
			: rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
	if (rc == 0) {
		rte_pktmbuf_pool_init(pool, &room);
		rc = kind->lazy && !rte_eal_has_hugepages() ? populate_own(pool, s->memory_mb)
							    : rte_mempool_populate_default(pool);
	}
	if (rc < 0) {
		rte_mempool_free(pool);
		rte_errno = -rc;
		return NULL;
	}
	if (!kind->lazy)
		rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return pool;
}

struct rte_mempool *drb_pool_new(const struct drb_setup *s, uint32_t mbufs, bool driven)
{
	return new_pool(s, mbufs,
			&(struct kind){.name = "packets", .packed = !driven, .lazy = !driven});
}

struct rte_mempool *drb_pool_new_lent(const struct drb_setup *s, uint32_t mbufs, bool packed)
{
	return new_pool(s, mbufs, &(struct kind){.name = "lent", .packed = packed});
}
