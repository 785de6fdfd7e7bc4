// SPDX-License-Identifier: BSD-3-Clause
// The pool of packet buffers makes each buffer when it is first needed. A large pool takes little
// memory and has the stated number of buffers. Each is handed out once, ready for a packet, and
// again after it is freed.
#include "fixtures/unit.h"

#include <stdatomic.h>
#include <sys/resource.h>

#define EAL_LCORES "(0-1)@(0-1)"
#define EAL_MEMORY_MB "192"
#include "fixtures/switch_eal.h"

#include <rte_errno.h>
#include <rte_launch.h>

#include "switch/ports/packet_pool.h"

#define BUFFERS 20000
#define ROUNDS 20000
#define HELD 700 // by each of two threads: more than they cache

static struct rte_mempool *pool;
static struct drb_setup setup;

static void start(bool driven, uint32_t buffers)
{
	setup = setup_of("fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			 "link: {driver: none}\n");
	pool = drb_pool_new(&setup, buffers, driven);
	assert_non_null(pool);
	assert_int_equal(pool->size, buffers);
	assert_int_equal(rte_mempool_avail_count(pool), buffers);
}

static void stop(void)
{
	assert_int_equal(rte_mempool_avail_count(pool), pool->size);
	rte_mempool_free(pool);
	assert_null(rte_mempool_lookup("packets"));
}

static long resident_kb(void)
{
	long all, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld %ld", &all, &resident), 2);
	fclose(f);
	return resident * sysconf(_SC_PAGESIZE) / 1024;
}

TEST(takes_what_is_used)
{
	struct rte_mbuf *packets[100];
	const long each_kb = 2432 / 1024 + 1;

	const long before = resident_kb();
	start(false, BUFFERS);
	assert_in_range(resident_kb() - before, 0, 4000);
	for (uint32_t i = 0; i < 100; i++) { // freed buffers are used first
		assert_int_equal(rte_pktmbuf_alloc_bulk(pool, packets, 100), 0);
		rte_pktmbuf_free_bulk(packets, 100);
	}
	assert_in_range(resident_kb() - before, 100, 4000 + 2 * DRB_POOL_CACHE * each_kb);
	stop();
}

// A pool that exceeds the machine's memory is refused, and nothing of it remains.
TEST(has_no_memory)
{
	const uint32_t buffers = 250000; // 600 MB
	struct rlimit limit, before;
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (UINT64_C(64) << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	pool = drb_pool_new(&setup, buffers, false);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_null(pool);
	assert_int_equal(rte_errno, ENOMEM);
	start(false, BUFFERS);
	stop();
}

// process.memory limits buffers, too.
TEST(keeps_to_the_limit)
{
	setup.memory_mb = 40; // each needs more than 2 KiB
	assert_null(drb_pool_new(&setup, 20000, false));
	assert_int_equal(rte_errno, ENOMEM);
	pool = drb_pool_new(&setup, 15000, false);
	assert_non_null(pool);
	stop();
}

static int by_address(const void *one, const void *other)
{
	const struct rte_mbuf *a = *(struct rte_mbuf *const *)one;
	const struct rte_mbuf *b = *(struct rte_mbuf *const *)other;

	return a < b ? -1 : a > b;
}

static void is_ready(struct rte_mbuf *m)
{
	assert_ptr_equal(m->pool, pool);
	assert_null(m->next);
	assert_int_equal(m->nb_segs, 1);
	assert_int_equal(rte_mbuf_refcnt_read(m), 1);
	assert_int_equal(m->buf_len, drb_packet_room(&setup));
	assert_int_equal(rte_pktmbuf_tailroom(m), drb_packet_room(&setup) - RTE_PKTMBUF_HEADROOM);
	assert_ptr_equal(rte_mempool_from_obj(m), pool);
}

// All buffers of a pool, with or without a driver's ports: each once, without shared memory, in two
// rounds.
static void all_of(bool driven)
{
	struct rte_mbuf **all = calloc(BUFFERS, sizeof(*all)), *more;

	start(driven, BUFFERS);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < BUFFERS; i++) {
			assert_non_null(all[i] = rte_pktmbuf_alloc(pool));
			is_ready(all[i]);
			memset(rte_pktmbuf_append(all[i], rte_pktmbuf_tailroom(all[i])), (int)i,
			       rte_pktmbuf_tailroom(all[i]));
		}
		assert_true(rte_pktmbuf_alloc_bulk(pool, &more, 1) < 0);
		assert_int_equal(rte_mempool_avail_count(pool), 0);
		qsort(all, BUFFERS, sizeof(*all), by_address);
		for (uint32_t i = 1; i < BUFFERS; i++)
			assert_true((uint8_t *)all[i] - (uint8_t *)all[i - 1] >=
				    (ptrdiff_t)(sizeof(**all) + drb_packet_room(&setup)));
		rte_pktmbuf_free_bulk(all, BUFFERS);
	}
	stop();
	free(all);
}

TEST(has_all)
{
	all_of(false);
	all_of(true); // made at once
}

// A request is served from the remaining buffers if these suffice.
TEST(gives_the_rest)
{
	struct rte_mbuf *packets[564], *rest[64];

	start(false, 600);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, packets, 564), 0);
	assert_true(rte_pktmbuf_alloc_bulk(pool, rest, 64) < 0);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, rest, 36), 0);
	rte_pktmbuf_free_bulk(rest, 36);
	rte_pktmbuf_free_bulk(packets, 564);
	stop();
}

static uint32_t room_of(const char *driver, uint32_t mtu)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 2, arity: 2, mtu: %u}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none}\n"
		 "ports:\n  - {name: d0, driver: %s, device: \"0000:00:1a.0\", interface: lo}\n",
		 mtu, driver);
	const struct drb_setup s = setup_of(text);
	return drb_packet_room(&s) - RTE_PKTMBUF_HEADROOM;
}

// A frame fits into one buffer.
TEST(has_room)
{
	assert_int_equal(room_of("pci", 1500), 2048);
	assert_int_equal(room_of("af_packet", 1500), 2048);
	assert_int_equal(room_of("pci", 9000), room_of("af_packet", 9000));
	assert_in_range(room_of("af_packet", 9000), drb_frame_max(9000), 9400);
}

static atomic_uint twice; // buffers that both threads held at once

// Takes and frees random numbers of buffers, and writes its own number into each.
static int use(void *number)
{
	const uint32_t own = (uint32_t)(uintptr_t)number;
	struct rte_mbuf *held[HELD];
	uint32_t count = 0, random = own;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		random = random * 1664525 + 1013904223;
		uint32_t n = 1 + (random >> 16) % 64;
		if (random >> 31 && count + n <= HELD &&
		    rte_pktmbuf_alloc_bulk(pool, held + count, n) == 0) {
			for (uint32_t k = count; k < count + n; k++)
				*rte_pktmbuf_mtod(held[k], uint32_t *) = own;
			count += n;
		} else if (count >= n) {
			for (uint32_t k = count - n; k < count; k++) {
				uint32_t *mark = rte_pktmbuf_mtod(held[k], uint32_t *);
				twice += *mark != own;
				*mark = 0;
			}
			count -= n;
			rte_pktmbuf_free_bulk(held + count, n);
		}
	}
	rte_pktmbuf_free_bulk(held, count);
	return 0;
}

TEST(serves_two_threads)
{
	for (uint32_t buffers = 600; buffers < 4000; buffers += 1300) { // too few, enough
		start(false, buffers);
		assert_int_equal(rte_eal_remote_launch(use, (void *)1, 1), 0);
		use((void *)2);
		assert_int_equal(rte_eal_wait_lcore(1), 0);
		assert_int_equal(twice, 0);
		stop();
	}
}

TEST_MAIN(setup_eal, free_eal)
