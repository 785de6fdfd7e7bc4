// SPDX-License-Identifier: BSD-3-Clause
// The doorbell of memif links is rung once for a receiver that sleeps, and no ring is missed.
#include "fixtures/unit.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/memif_channel.h"
#include "switch/datapath/idle.h"
#include "switch/ports/memif/memif_port.h"

static struct drb_doorbell rx, tx;     // of this client
static struct drb_memif_ring *ring[2]; // [0]: from the client

static int begin(void **state)
{
	if (drb_doorbell_open(1) < 0 || begin_client(state) < 0)
		return -1;
	join_as_client();
	rx = *drb_memif_channel_rx(&channel, 0);
	tx = *drb_memif_channel_tx(&channel, 0);
	tx.asks_each = true;
	ring[0] = tx.ring;
	ring[1] = rx.ring;
	return 0;
}

// A doorbell counts packets that were sent and not taken, also when the counters of the ring wrap,
// and whatever the peer writes.
TEST_WITH(holds_what_was_not_taken, begin, end_channel)
{
	assert_int_equal(drb_doorbell_packets(&(struct drb_doorbell){0}), 0); // no link
	for (uint32_t sent = 0; sent < 140000; sent += 7) {
		uint32_t taken = sent - (sent % 1000 < sent ? sent % 1000 : 0);
		// From client to server, the sender moves the head. From server to client, the
		// client lends 1024 buffers, and the sender fills some of them.
		ring[0]->head = (uint16_t)sent;
		ring[0]->tail = (uint16_t)taken;
		ring[1]->head = (uint16_t)(taken + 1024);
		ring[1]->tail = (uint16_t)sent;
		assert_int_equal(drb_doorbell_packets(&tx), sent - taken);
		assert_int_equal(drb_doorbell_packets(&rx), sent - taken);
		assert_int_equal(drb_doorbell_silent(&rx), sent == taken);
	}
	ring[0]->head = (uint16_t)(ring[0]->tail - 1);
	assert_int_equal(drb_doorbell_packets(&tx), 1024);
}

TEST_WITH(rings_once_for_who_asks, begin, end_channel)
{
	uint64_t count;

	struct drb_doorbell *b = &tx;
	ring[0]->flags = DRB_MEMIF_AWAKE;
	drb_doorbell_ring(b);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), -1);
	ring[0]->flags = 0;
	drb_doorbell_ring(b);
	assert_int_equal(ring[0]->flags, DRB_MEMIF_AWAKE); // the request is used up
	drb_doorbell_ring(b);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	// The receiver fell asleep again.
	ring[0]->flags = 0;
	drb_doorbell_ring(b);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
}

// A receiver such as libmemif requests wake-ups once. It is rung each time, and its flag stays as
// it is.
TEST_WITH(rings_always_for_who_asks_once, begin, end_channel)
{
	uint64_t count;

	tx.asks_each = false;
	assert_int_equal(ring[0]->flags, 0); // the request is permanent
	for (int i = 0; i < 3; i++)
		drb_doorbell_ring(&tx);
	assert_int_equal(ring[0]->flags, 0);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 3);
	ring[0]->flags = DRB_MEMIF_AWAKE;
	drb_doorbell_ring(&tx);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), -1);
}

// Adds many descriptors of one eventfd to epoll sets. The kernel notifies each of them of a ring.
#define WATCHERS 400
#define SETS 150

static void watch_many_times(int bell, int set[SETS])
{
	struct epoll_event event = {.events = EPOLLIN};
	int copy[WATCHERS];

	for (int i = 0; i < WATCHERS; i++)
		assert_true((copy[i] = dup(bell)) >= 0);
	for (int n = 0; n < SETS; n++) {
		assert_true((set[n] = epoll_create1(EPOLL_CLOEXEC)) >= 0);
		for (int i = 0; i < WATCHERS; i++)
			assert_int_equal(epoll_ctl(set[n], EPOLL_CTL_ADD, copy[i], &event), 0);
	}
	// The copies stay open, as a peer would leave them.
}

// A peer may watch its descriptor so many times that a ring takes milliseconds. Its doorbell rests
// after DRB_DOORBELL_RESTS such rings.
TEST_WITH(a_slow_bell_rests, begin, end_channel)
{
	int set[SETS];
	uint64_t count;

	drb_doorbell_ring(&tx);
	assert_int_equal(atomic_load(&tx.slow), 0);
	watch_many_times(tx.fd, set);
	for (int i = 0; i < 100; i++) {
		ring[0]->flags = 0;
		drb_doorbell_ring(&tx);
	}
	assert_true(atomic_load(&tx.slow) >= DRB_DOORBELL_RESTS);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), sizeof(count));
	print_message("# rung %d times\n", (int)count - 1);
	assert_true(count <= 10);
	for (int n = 0; n < SETS; n++)
		close(set[n]);
	tx.rests_ns = 1; // the rest is over
	for (int i = 0; i < 3; i++) {
		ring[0]->flags = 0;
		drb_doorbell_ring(&tx);
	}
	assert_int_equal(atomic_load(&tx.slow), 0);
	assert_int_equal(read(tx.fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 3);
}

#define ROUNDS 200000
#define ROUNDS_MIN 500 // however slow the machine is
#define ROUNDS_S 3
#define LOST_MS 30000

static struct drb_worker sleeper;
static struct {
	atomic_uint seen; // packets
	atomic_bool done, lost;
	uint32_t slept; // times
} race;

// Takes packets, requests to be woken and sleeps, as drb_worker_run() does.
static void *sleep_and_look(void *unused)
{
	struct epoll_event event;

	(void)unused;
	while (!atomic_load(&race.done)) {
		uint16_t head = atomic_load_explicit(&ring[1]->head, memory_order_acquire);
		if (head != ring[1]->tail) {
			atomic_store_explicit(&ring[1]->tail, head, memory_order_relaxed);
			atomic_fetch_add_explicit(&race.seen, 1, memory_order_release);
			// Pauses vary, so that the next packet comes before, during or after the
			// request.
			for (volatile uint32_t pause = 0; pause < head * 7u % 512; pause++)
				;
			continue;
		}
		if (!drb_idle_arm(&sleeper))
			continue;
		race.slept++;
		if (epoll_wait(sleeper.idle.epoll_fd, &event, 1, LOST_MS) == 0)
			atomic_store(&race.lost, true);
		drb_idle_disarm(&sleeper);
		if (atomic_load(&race.lost))
			break;
	}
	return NULL;
}

static bool time_is_up(time_t began, uint32_t round)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return round >= ROUNDS_MIN && now.tv_sec - began >= ROUNDS_S;
}

// Each packet is sent once the previous one was taken, while the receiver is about to sleep. If it
// missed a ring, it would sleep forever.
TEST_WITH(no_wake_up_is_lost, begin, end_channel)
{
	struct drb_memif_queue queue = {
		.base = {.kind = &drb_memif_port, .doorbell = true, .fd = -1}, .rx = rx};
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	struct drb_doorbell sender = {.ring = rx.ring, .fd = rx.fd, .asks_each = true};
	struct timespec began;
	pthread_t thread;
	uint32_t round;

	queue.rx.empty = 0;
	sleeper.egress.ports = 1;
	sleeper.port[0].queue = &queue.base;
	sleeper.idle.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	assert_int_equal(epoll_ctl(sleeper.idle.epoll_fd, EPOLL_CTL_ADD, rx.fd, &event), 0);
	assert_int_equal(pthread_create(&thread, NULL, sleep_and_look, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (round = 1; round <= ROUNDS && !time_is_up(began.tv_sec, round); round++) {
		atomic_store_explicit(&ring[1]->head, (uint16_t)round, memory_order_release);
		drb_doorbell_ring(&sender);
		for (uint32_t looks = 0;
		     atomic_load_explicit(&race.seen, memory_order_acquire) < round &&
		     !atomic_load(&race.lost);
		     looks++) {
			if (looks > 10000)
				sched_yield();
		}
		if (atomic_load(&race.lost))
			break;
		for (volatile uint32_t pause = 0; pause < round % 128; pause++)
			;
	}
	atomic_store(&race.done, true);
	uint64_t one = 1;
	assert_int_equal(write(rx.fd, &one, sizeof(one)), sizeof(one));
	pthread_join(thread, NULL);
	close(sleeper.idle.epoll_fd);
	assert_false(atomic_load(&race.lost));
	print_message("# %u packets, asleep %u times\n", round - 1, race.slept);
	assert_true(race.slept > 0);
}

TEST_MAIN(NULL, NULL)
