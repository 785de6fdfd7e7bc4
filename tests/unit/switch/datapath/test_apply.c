// SPDX-License-Identifier: BSD-3-Clause
// Changes of running workers: each makes every one of them itself, in order, whether it sleeps, spins or forwards; one
// that is stuck keeps nobody but who wants the change.
#include "fixtures/unit.h"

#include <time.h>

#define EAL_LCORES "(0-2)@(0-1)"
#include "common/cli/clock.h"
#include "fixtures/ring_ports.h"
#include "switch/datapath/requests.h"

#define CHANGES 2000
#define SLEEPING HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2}\n"
#define SPINNING HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2, idle: poll}\n"

// Plain memory: that a change is seen by its worker, and what it did by the control thread, is what is tested.
static uint64_t wanted, made[DRB_WORKERS_MAX];
static pid_t made_by[DRB_WORKERS_MAX];

static void count(struct drb_worker *w, void *number)
{
	if (*(uint64_t *)number == made[w->number] + 1)
		made[w->number]++;
	made_by[w->number] = gettid();
}

static void begin(const char *text)
{
	wanted = 0;
	memset(made, 0, sizeof(made));
	start_switch(text);
	assert_int_equal(drb_workers_start(&all), 0);
}

static void end(void)
{
	drb_workers_stop(&all);
	drb_workers_join(&all);
	free_switch();
}

static void are_all_made(const char *text)
{
	begin(text);
	for (uint32_t i = 0; i < CHANGES; i++) {
		wanted++;
		assert_int_equal(drb_workers_apply(&all, count, &wanted), 0);
		for (uint32_t n = 0; n < all.count; n++) {
			assert_int_equal(made[n], wanted);
			assert_int_equal(made_by[n], atomic_load(&all.worker[n].tid));
		}
	}
	assert_int_not_equal(made_by[0], made_by[1]);
	snapshot();
	assert_int_equal(seen.worker.changes, CHANGES * all.count);
	assert_true(seen.worker.change_ns > 0);
	end();
}

TEST(of_workers_that_spin)
{
	are_all_made(SPINNING);
}

// Nothing else would wake them.
TEST(of_workers_that_sleep)
{
	are_all_made(SLEEPING);
}

// The caller makes it.
TEST(before_they_run)
{
	wanted = 1;
	memset(made, 0, sizeof(made));
	start_switch(SLEEPING);
	assert_int_equal(drb_workers_apply(&all, count, &wanted), 0);
	assert_int_equal(made[0], 1);
	assert_int_equal(made[1], 1);
	assert_int_equal(made_by[1], gettid());
	free_switch();
}

// Nor after they have ended, one of them with a change before it.
TEST(after_they_have_ended)
{
	begin(SLEEPING);
	drb_workers_stop(&all);
	drb_workers_join(&all);
	drb_worker_post(&all.worker[1], count, &wanted);
	wanted = 1;
	assert_int_equal(drb_workers_apply(&all, count, &wanted), 0);
	assert_int_equal(made[1], 1);
	free_switch();
}

static atomic_bool holds, held; // worker 1 in the middle of a burst, or of a change; it does

static uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);

static uint32_t hold_and_receive(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t most)
{
	while (atomic_load(&holds)) {
		atomic_store(&held, true);
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	return receive(q, packets, most);
}

static uint64_t bursts[DRB_WORKERS_MAX]; // of a healthy worker, by its own count

static void look(struct drb_worker *w, void *unused)
{
	(void)unused;
	bursts[w->number] = w->counters.iterations;
}

// A worker that does not go on for so long: nobody has changed anything, and the other one went on.
TEST(of_a_worker_that_holds)
{
	share_queues(2);
	struct drb_port_queue *q = port_set.port[0].queue[1];

	receive = q->receive;
	q->receive = hold_and_receive;
	begin(SPINNING);
	assert_int_equal(drb_workers_apply(&all, look, NULL), 0);
	const uint64_t before = bursts[0];
	atomic_store(&holds, true);
	while (!atomic_load(&held))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	const uint64_t begun = drb_clock_now();
	wanted = 1;
	assert_int_equal(drb_workers_apply(&all, count, &wanted), -ETIMEDOUT);
	assert_true(drb_clock_now() - begun >= DRB_APPLY_WITHIN_NS);
	// It is waited for once.
	const uint64_t again = drb_clock_now();
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(drb_workers_apply(&all, count, &wanted), -ETIMEDOUT);
	assert_true(drb_clock_now() - again < DRB_APPLY_WITHIN_NS);
	atomic_store(&holds, false);
	while (drb_workers_apply(&all, look, NULL) == -ETIMEDOUT)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	assert_true(bursts[0] > before + 1000);
	assert_int_equal(made[0], 0);
	assert_int_equal(made[1], 0);
	assert_int_equal(drb_workers_apply(&all, count, &wanted), 0);
	assert_int_equal(made[1], 1);
	end();
	q->receive = receive;
}

// One that is known to be stuck is not waited for.
TEST(of_a_worker_that_is_stuck)
{
	begin(SPINNING);
	while (!atomic_load(&all.worker[1].running))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	wanted = 1;
	atomic_store(&all.stuck, 1);
	const uint64_t begun = drb_clock_now();
	assert_int_equal(drb_workers_apply(&all, count, &wanted), -ETIMEDOUT);
	assert_true(drb_clock_now() - begun < DRB_APPLY_WITHIN_NS);
	atomic_store(&all.stuck, -1);
	assert_int_equal(made[0], 0);
	assert_int_equal(drb_workers_apply(&all, count, &wanted), 0);
	assert_int_equal(made[0], 1);
	end();
}

static void hold_and_count(struct drb_worker *w, void *number)
{
	while (w->number == 1 && atomic_load(&holds))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	count(w, number);
}

// One that gets stuck with a change before it: the other has made it and goes on, it makes it when it goes on, and
// before that there is no other.
TEST(of_a_worker_that_gets_stuck)
{
	static uint64_t first = 1, second = 2;

	begin(SPINNING);
	atomic_store(&holds, true);
	assert_int_equal(drb_workers_apply(&all, hold_and_count, &first), -EINPROGRESS);
	assert_int_equal(made[0], 1);
	assert_int_equal(drb_workers_apply(&all, count, &second), -ETIMEDOUT);
	assert_int_equal(made[0], 1);
	atomic_store(&holds, false);
	while (drb_workers_apply(&all, count, &second) == -ETIMEDOUT)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	assert_int_equal(made[0], 2);
	assert_int_equal(made[1], 2);
	end();
}

TEST_MAIN(setup_rings, free_eal)
