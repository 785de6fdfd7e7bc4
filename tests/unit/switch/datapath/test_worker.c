// SPDX-License-Identifier: BSD-3-Clause
// The whole forwarding thread with real DPDK devices: rings that the test fills and empties, and
// null devices that never run dry. Counters are read while it runs.
#include "fixtures/unit.h"

#include <pthread.h>
#include <time.h>

#include "fixtures/machine_time.h"
#include "fixtures/ring_ports.h"
#include "switch/datapath/idle.h"
#include "switch/ports/port.h"

static struct drb_worker w;

static void *run_worker(void *arg)
{
	(void)arg;
	drb_worker_run(&w);
	return NULL;
}

static pthread_t begin(const char *text)
{
	pthread_t thread;

	setup = setup_of(text);
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	for (uint32_t i = 0; i < PORTS && i < w.egress.ports; i++) {
		if (setup.ports[i].driver != DRB_DRIVER_NONE)
			drb_worker_attach(&w, i, setup.ports[i].queue, port_set.port[i].queue[0]);
	}
	assert_int_equal(drb_idle_init(&w), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_worker, NULL), 0);
	return thread;
}

static void end(pthread_t thread)
{
	drb_worker_stop(&w);
	assert_int_equal(pthread_join(thread, NULL), 0);
	drb_idle_free(&w);
	drb_worker_free(&w);
}

// A snapshot from another thread while the worker runs; packets are conserved in it.
static struct totals worker_picture(void)
{
	drb_worker_ask_snapshot(&w);
	has_answered(&w);
	return totals_of(&w.shared.snapshot);
}

// Frames contain the port by which they must leave, and a number that counts up per source and
// destination.
struct counts {
	uint64_t sent, received;
	uint32_t last[PORTS][8];
};

// A port at 1000 packets/s holds packets that arrive at once, and sends them over the time that
// they take.
TEST(pace_is_kept)
{
	pthread_t thread = begin(HEAD RINGS "link: {driver: vdev, rate: 1kpps}\n");
	uint64_t begun, taken, lost;
	uint8_t frame[60];
	void *p;

	make_frame(frame, sizeof(frame), 0, 1);
	lost = machine_lost_ns();
	begun = drb_clock_now();
	for (int i = 0; i < 50; i++)
		assert_int_equal(rte_ring_enqueue(into[0][0], mbuf_of(frame, 60)), 0);
	for (int got = 0; got < 50;) {
		if (rte_ring_dequeue(from[1][0], &p) == 0) {
			rte_pktmbuf_free(p);
			got++;
		} else {
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		}
		assert_true(drb_clock_now() - begun < 30000000000);
	}
	taken = drb_clock_now() - begun;
	lost = machine_lost_ns() - lost;
	// The worker is never faster than the link, and slower only by the time that the machine
	// withheld.
	assert_true(taken >= 50000000);
	assert_true(taken < 70000000 + lost);
	worker_picture();
	end(thread);
}

// On a link with a delay packets arrive later, at the same rate. Packets on the link when the
// worker ends are freed.
TEST(a_delay_is_kept)
{
	pthread_t thread = begin(HEAD "routing: {scheme: dmodk}\n" RINGS
				      "link: {driver: vdev, rate: 1kpps, delay: 40ms}\n");
	uint64_t begun, first = 0, lost = machine_lost_ns();
	uint8_t frame[60];
	uint32_t got = 0;
	void *p;

	make_frame(frame, sizeof(frame), 0, 4); // of the other rack
	begun = drb_clock_now();
	for (int i = 0; i < 100; i++)
		assert_int_equal(rte_ring_enqueue(into[0][0], mbuf_of(frame, 60)), 0);
	while (got < 50) {
		if (rte_ring_dequeue(from[2][0], &p) == 0 ||
		    rte_ring_dequeue(from[3][0], &p) == 0) {
			first = got++ ? first : drb_clock_now() - begun;
			rte_pktmbuf_free(p);
		} else {
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		}
		assert_true(drb_clock_now() - begun < 30000000000);
	}
	uint64_t taken = drb_clock_now() - begun;
	lost = machine_lost_ns() - lost;
	assert_true(first >= 41000000 && first < 55000000 + lost);
	assert_true(taken >= 90000000 && taken < 110000000 + lost);
	struct totals t = worker_picture();
	assert_true(t.out > 50 && t.out + t.queue == 100); // some are on the link
	end(thread);
	for (uint32_t u = 2; u < 4; u++) {
		while (rte_ring_dequeue(from[u][0], &p) == 0)
			rte_pktmbuf_free(p);
	}
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

// The driver takes nothing: packets stay queued, the queue fills, and all are counted.
TEST(refused_packets_stay)
{
	pthread_t thread = begin(HEAD RINGS "link: {driver: vdev, queue: 100}\n");
	uint8_t frame[60];
	struct totals t;
	void *p;

	make_frame(frame, sizeof(frame), 0, 1);
	for (int i = 0; i < RING + 500; i++) {
		struct rte_mbuf *m = mbuf_of(frame, 60);
		while (rte_ring_enqueue(into[0][0], m) != 0)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	do {
		t = worker_picture();
	} while (t.in < RING + 500);
	assert_int_equal(t.out, RING - 1);
	assert_int_equal(t.queue, 100);
	assert_int_equal(t.dropped, 401);
	uint64_t got = 0;
	while (worker_picture().queue > 0 || rte_ring_count(from[1][0]) > 0) {
		while (rte_ring_dequeue(from[1][0], &p) == 0) {
			rte_pktmbuf_free(p);
			got++;
		}
	}
	assert_int_equal(got, RING - 1 + 100);
	end(thread);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

// A worker without work sleeps until it is stopped, and replies while it sleeps.
TEST(sleeper_wakes)
{
	const struct drb_snapshot *s = &w.shared.snapshot;
	const uint64_t before = drb_clock_now(), lost = machine_lost_ns();
	pthread_t thread = begin(HEAD "link: {driver: none}\n");

	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	drb_worker_ask_snapshot(&w);
	has_answered(&w);
	assert_true(s->worker.sleep_ns + machine_lost_ns() - lost > 40000000);
	assert_true(s->worker.sleeps < 10);
	assert_true(s->worker.iterations < 20);
	// The worker slept after each iteration, and no iteration had work.
	assert_int_equal(s->worker.sleeps, s->worker.iterations);
	assert_int_equal(s->worker.idle_iterations, s->worker.iterations);
	assert_int_equal(s->worker.work_cycles, 0);
	assert_true(s->worker.busy_ns <= drb_clock_now() - before);
	uint64_t begun = drb_clock_now();
	end(thread);
	assert_true(drb_clock_now() - begun < 5000000000);
}

// A worker that is stopped before it begins must not run.
TEST(stopped_before_the_start)
{
	setup = setup_of(HEAD "link: {driver: none}\n");
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	drb_worker_stop(&w);
	drb_worker_run(&w);
	assert_int_equal(w.counters.iterations, 0);
	drb_worker_free(&w);
}

// Devices from config to forwarding and back, with input that never ends.
TEST(null_devices)
{
	struct drb_port_set set;
	pthread_t thread;
	struct totals t;

	setup = setup_of(HEAD "link: {driver: vdev}\nports:\n"
			      "  - {name: d0, device: net_null0}\n"
			      "  - {name: d1, device: \"net_null1,size=60\"}\n"
			      "  - {name: u0, device: \"net_null2,copy=1\"}\n"
			      "  - {name: u1, driver: none}\n");
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), 0);
	assert_null(set.port[3].kind);
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	for (uint32_t i = 0; i < 3; i++)
		drb_worker_attach(&w, i, 512, set.port[i].queue[0]);
	assert_int_equal(drb_idle_init(&w), 0);
	const uint64_t begun = rte_rdtsc();
	assert_int_equal(pthread_create(&thread, NULL, run_worker, NULL), 0);
	for (int i = 0; i < 20; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
		t = worker_picture();
	}
	assert_true(t.in > 1000);
	assert_int_equal(t.in, t.dropped); // all zeros is not a host
	// All iterations have work, and count at most the cycles that have passed.
	assert_true(w.shared.snapshot.worker.work_cycles > 0);
	assert_true(w.shared.snapshot.worker.work_cycles <= rte_rdtsc() - begun);
	end(thread);
	drb_ports_stop(&set);
}

// If a device cannot be made, no other devices remain.
TEST(failed_start_is_undone)
{
	uint16_t before = rte_eth_dev_count_avail();
	struct drb_port_set set;

	setup = setup_of(HEAD "link: {driver: vdev}\nports:\n"
			      "  - {name: d0, device: net_null0}\n"
			      "  - {name: d1, device: net_null1}\n"
			      "  - {name: u0, device: \"net_pcap0,rx_pcap=/nonexistent/x.pcap\"}\n"
			      "  - {name: u1, driver: none}\n");
	for (int i = 0; i < 3; i++) {
		assert_true(drb_ports_start(&set, "none", &setup, 4096, NULL) < 0);
		assert_int_equal(rte_eth_dev_count_avail(), before);
		assert_null(rte_mempool_lookup("packets"));
	}
	snprintf(setup.ports[2].device, sizeof(setup.ports[2].device), "no_such_driver7");
	assert_true(drb_ports_start(&set, "none", &setup, 4096, NULL) < 0);
	assert_int_equal(rte_eth_dev_count_avail(), before);
}

TEST_MAIN(setup_rings, free_eal)
