// SPDX-License-Identifier: BSD-3-Clause
// A switch in memory that never rests: packets of all kinds go round as fast as they come, while
// its config changes again and again. Every snapshot conserves packets; at the end all of them are
// accounted for, every buffer is back, and the program has not grown.
// DRB_SOAK_SECONDS (default 4) says for how long; 600 is the long run.
#include "fixtures/unit.h"

#include <pthread.h>
#include <time.h>

#include "fixtures/ring_ports.h"
#include "switch/control/reconfigure.h"

#define IN_FLIGHT 4000
#define BURST 64
// Growth of the resident set that is no leak, KiB: the C library's own buffers, and what
// AddressSanitizer holds back of what was freed (it looks for leaks itself).
#ifndef __has_feature // clang's way to say it
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define GROWTH_MAX (400 << 10)
#else
#define GROWTH_MAX 1024
#endif

static const char *const configs[] = {
	HEAD RINGS "link: {driver: vdev}\nrouting: {flow_max: 2000}\n",
	HEAD RINGS "link: {driver: vdev, queue: 20}\nrouting: {scheme: least, flow_max: 2000}\n",
	HEAD RINGS "link: {driver: vdev, rate: 5Mpps}\nrouting: {scheme: vlb, flow_max: 2000}\n",
	HEAD RINGS "link: {driver: vdev, rate: 100kpps, queue: 100}\n"
		   "routing: {unit: flow, flow_max: 2000}\n",
	HEAD RINGS "link: {driver: vdev}\nrouting: {unit: flowlet, flow_max: 2000}\n",
	HEAD RINGS
	"link: {driver: vdev, rate: 1Gbit}\nrouting: {threshold: auto, flow_max: 2000}\n",
};

static uint64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE) / 1024;
}

// A frame from the host or the core behind port in: mostly good, of 100 flows, else of any kind.
static void make_any(struct drb_rng *r, uint8_t *frame, uint32_t in)
{
	uint32_t kind = drb_rng_below(r, 20);

	make_frame(frame, 60, in < 2 ? in : 7, in < 2 ? drb_rng_below(r, 8) : drb_rng_below(r, 2));
	frame[23] = 17;
	frame[14] = 0x45;
	frame[35] = (uint8_t)drb_rng_below(r, 100);
	if (kind == 0)
		frame[11] ^= 1; // another's source
	else if (kind == 1)
		memset(frame, 0xff, 6);
	else if (kind == 2)
		frame[drb_rng_below(r, 60)] = (uint8_t)drb_rng_next(r);
}

static uint64_t put(struct drb_rng *r, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t in = drb_rng_below(r, PORTS);

	for (uint32_t i = 0; i < count; i++)
		make_any(r, rte_pktmbuf_mtod(packets[i], uint8_t *), in);
	uint32_t taken = rte_ring_enqueue_burst(into[in][0], (void **)packets, count, NULL);
	rte_pktmbuf_free_bulk(packets + taken, count - taken);
	return taken;
}

static uint64_t feed(struct drb_rng *r)
{
	struct rte_mbuf *packets[BURST];

	if (rte_mempool_avail_count(test_pool) < MBUFS - IN_FLIGHT ||
	    rte_pktmbuf_alloc_bulk(test_pool, packets, BURST) < 0)
		return 0;
	for (uint32_t i = 0; i < BURST; i++)
		rte_pktmbuf_append(packets[i], 60);
	return put(r, packets, BURST);
}

// Takes what left; most of it goes in again, as another packet.
static uint64_t collect(struct drb_rng *r, bool again, uint64_t *sent)
{
	struct rte_mbuf *packets[BURST];
	uint64_t got = 0;

	for (uint32_t i = 0; i < PORTS; i++) {
		uint32_t n = rte_ring_dequeue_burst(from[i][0], (void **)packets, BURST, NULL);
		got += n;
		// An answer to a host's question may be longer or shorter than what is sent.
		for (uint32_t k = 0; k < n; k++) {
			packets[k]->data_len = 60;
			packets[k]->pkt_len = 60;
		}
		if (again && n > 0)
			*sent += put(r, packets, n);
		else
			rte_pktmbuf_free_bulk(packets, n);
	}
	return got;
}

static void change_to(const char *text)
{
	static struct drb_setup next;
	struct drb_reconfigure change;

	next = setup_of(text);
	assert_int_equal(drb_reconfigure_make(&change, &all.worker[0], &setup, &next), 0);
	drb_workers_park(&all);
	drb_reconfigure_apply(&all.worker[0], &change);
	drb_workers_unpark(&all);
	drb_reconfigure_free(&change);
	setup = next;
}

TEST(soak)
{
	const char *wanted = getenv("DRB_SOAK_SECONDS");
	uint64_t length = wanted ? strtoull(wanted, NULL, 10) : 4, begun = seconds(), now = begun;
	struct drb_rng r = drb_rng_seed(9, 9);
	uint64_t sent = 0, got = 0, changes = 0;
	struct totals sum;
	long before = 0, after;
	pthread_t thread;

	start_switch(configs[0]);
	assert_int_equal(pthread_create(&thread, NULL, run_workers, NULL), 0);
	for (uint32_t turn = 0; now < begun + length || before == 0; turn++) {
		sent += feed(&r);
		got += collect(&r, true, &sent);
		if (turn % 20000 != 0)
			continue;
		change_to(configs[drb_rng_below(&r, ARRAY_SIZE(configs))]);
		changes++;
		snapshot();
		now = seconds();
		// Each config had its turn: what is kept for it is there.
		if (before == 0 && changes > 100)
			before = resident_kb();
	}
	after = resident_kb();
	change_to(configs[0]);
	do {
		got += collect(&r, false, &sent);
		sum = snapshot();
	} while (sum.in < sent || sum.queue > 0);
	for (uint64_t more = 1; more > 0; got += more)
		more = collect(&r, false, &sent);
	printf("# %" PRIu64 " packets in, %" PRIu64 " out, %" PRIu64 " dropped by name; %" PRIu64
	       " configs; resident %ld KiB, then %ld KiB\n",
	       sum.in, sum.out, sum.dropped, changes, before, after);
	assert_int_equal(sum.in, sent);
	assert_int_equal(sum.out, got);
	assert_true(after < before + GROWTH_MAX);
	drb_workers_stop(&all);
	assert_int_equal(pthread_join(thread, NULL), 0);
	free_switch(); // every buffer is back
}

TEST_MAIN(setup_rings, free_eal)
