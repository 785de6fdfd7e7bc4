// SPDX-License-Identifier: BSD-3-Clause
// Each running worker makes all changes itself, in order, whether it sleeps, spins or forwards. A
// stuck worker delays only callers that wait for a change.
#include "fixtures/unit.h"

#include <time.h>

#define EAL_LCORES "(0-2)@(0-1)"
#include "common/cli/clock.h"
#include "fixtures/apply.h"
#include "fixtures/ring_ports.h"
#include "switch/datapath/requests.h"

#define CHANGES 2000
#define SLEEPING HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2}\n"
#define SPINNING HEAD RINGS "link: {driver: vdev}\nprocess: {workers: 2, idle: poll}\n"

// Plain memory, because these tests check that workers see the data of a change, and that the
// control thread sees the writes of workers.
static uint64_t wanted, made[DRB_WORKERS_MAX];
static pid_t made_by[DRB_WORKERS_MAX];

static void count(struct drb_worker *w, uint32_t n, void *number)
{
	assert_int_equal(w->number, n);
	if (*(uint64_t *)number == made[n] + 1)
		made[n]++;
	made_by[n] = gettid();
}

#define SLOW_NS 10000000

static void count_slowly(struct drb_worker *w, uint32_t n, void *number)
{
	const uint64_t begun = drb_clock_now();

	count(w, n, number);
	while (drb_clock_now() < begun + SLOW_NS)
		;
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
		assert_int_equal(apply(&all, count, &wanted), 0);
		for (uint32_t n = 0; n < all.count; n++) {
			assert_int_equal(made[n], wanted);
			assert_int_equal(made_by[n], atomic_load(&all.worker[n].shared.tid));
		}
	}
	assert_int_not_equal(made_by[0], made_by[1]);
	snapshot();
	assert_int_equal(seen.worker.changes, CHANGES * all.count);
	const uint64_t before = seen.worker.change_ns, begun = drb_clock_now();
	wanted++;
	assert_int_equal(apply(&all, count_slowly, &wanted), 0);
	const uint64_t took = drb_clock_now() - begun;
	snapshot();
	end();
	assert_in_range(seen.worker.change_ns - before, 2 * SLOW_NS, 2 * took);
}

TEST(of_workers_that_spin)
{
	are_all_made(SPINNING);
}

// Only the change itself wakes these workers.
TEST(of_workers_that_sleep)
{
	are_all_made(SLEEPING);
}

// The caller makes a change while no workers run.
TEST(before_they_run)
{
	wanted = 1;
	memset(made, 0, sizeof(made));
	start_switch(SLEEPING);
	assert_int_equal(apply(&all, count, &wanted), 0);
	assert_int_equal(made[0], 1);
	assert_int_equal(made[1], 1);
	assert_int_equal(made_by[1], gettid());
	free_switch();
}

static atomic_bool holds, held; // worker 1 must stop within a burst or a change; it has stopped

static uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);

static uint32_t hold_and_receive(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t most)
{
	while (atomic_load(&holds)) {
		atomic_store(&held, true);
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	return receive(q, packets, most);
}

static uint64_t bursts[DRB_WORKERS_MAX]; // iterations that each worker has counted

static void look(struct drb_worker *w, uint32_t n, void *unused)
{
	(void)n, (void)unused;
	bursts[w->number] = w->counters.iterations;
}

// If a worker stops for longer than the deadline, no worker makes the change. The other worker goes
// on forwarding.
TEST(of_a_worker_that_holds)
{
	share_queues(2);
	struct drb_port_queue *q = port_set.port[0].queue[1];

	receive = q->receive;
	q->receive = hold_and_receive;
	begin(SPINNING);
	assert_int_equal(apply(&all, look, NULL), 0);
	const uint64_t before = bursts[0];
	atomic_store(&holds, true);
	while (!atomic_load(&held))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	const uint64_t begun = drb_clock_now();
	wanted = 1;
	assert_int_equal(apply(&all, count, &wanted), -ETIMEDOUT);
	assert_true(drb_clock_now() - begun >= DRB_CHANGE_WITHIN_NS);
	// Many changes wait for it at once, together no longer than one.
	struct applied applied[100] = {0};
	struct drb_change changes[100];
	const uint64_t again = drb_clock_now();
	for (uint32_t i = 0; i < ARRAY_SIZE(changes); i++) {
		applied[i] = (struct applied){.make = count, .context = &wanted};
		changes[i] = (struct drb_change){
			.make = make_applied, .done = is_applied, .context = &applied[i]};
		drb_change_post(&all, &changes[i]);
	}
	assert_int_equal(apply(&all, count, &wanted), -ETIMEDOUT);
	for (uint32_t i = 0; i < ARRAY_SIZE(changes); i++)
		assert_true(applied[i].over && applied[i].rc == -ETIMEDOUT);
	assert_true(drb_clock_now() - again < 2 * DRB_CHANGE_WITHIN_NS);
	atomic_store(&holds, false);
	while (apply(&all, look, NULL) == -ETIMEDOUT)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	assert_true(bursts[0] > before + 1000);
	assert_int_equal(made[0], 0);
	assert_int_equal(made[1], 0);
	assert_int_equal(apply(&all, count, &wanted), 0);
	assert_int_equal(made[1], 1);
	end();
	q->receive = receive;
}

// The caller does not wait for a worker that is known to be stuck.
TEST(of_a_worker_that_is_stuck)
{
	begin(SPINNING);
	while (!atomic_load(&all.worker[1].shared.running))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	wanted = 1;
	atomic_store(&all.stuck, 1);
	const uint64_t begun = drb_clock_now();
	assert_int_equal(apply(&all, count, &wanted), -ETIMEDOUT);
	assert_true(drb_clock_now() - begun < DRB_CHANGE_WITHIN_NS);
	atomic_store(&all.stuck, -1);
	assert_int_equal(made[0], 0);
	assert_int_equal(apply(&all, count, &wanted), 0);
	assert_int_equal(made[0], 1);
	end();
}

// Worker 1 gets stuck while it makes a change. A patient change behind it waits without a deadline.
// The other worker goes on.
static void hold_and_count(struct drb_worker *w, uint32_t n, void *number)
{
	while (n == 1 && atomic_load(&holds))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	count(w, n, number);
}

static uint64_t number_1 = 1, number_2 = 2, number_3 = 3;
static struct applied held_one, patient_one;
static struct drb_change held_change = {
	.make = make_applied, .done = is_applied, .context = &held_one};
static struct drb_change patient_change = {
	.make = make_applied, .done = is_applied, .context = &patient_one, .patient = true};

static void hold_one(void)
{
	held_one = (struct applied){.make = hold_and_count, .context = &number_1};
	patient_one = (struct applied){.make = count, .context = &number_2};
	begin(SPINNING);
	atomic_store(&holds, true);
	drb_change_post(&all, &held_change);
	drb_change_post(&all, &patient_change);
	// The third change waits behind both, and fails at its deadline.
	assert_int_equal(apply(&all, count, &number_3), -ETIMEDOUT);
	assert_int_equal(made[0], 1);
	assert_false(held_one.over || patient_one.over);
}

TEST(of_a_worker_that_gets_stuck)
{
	hold_one();
	atomic_store(&holds, false);
	while (apply(&all, count, &number_3) == -ETIMEDOUT)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	assert_true(held_one.over && held_one.rc == 0);
	assert_true(patient_one.over && patient_one.rc == 0);
	assert_int_equal(made[0], 3);
	assert_int_equal(made[1], 3);
	end();
}

// News of interfaces come while a check of carriers waits. One more check follows, for all of them.
TEST(a_check_follows_news)
{
	hold_one();
	for (int news = 0; news < 3; news++)
		drb_workers_look_at_carriers(&all);
	atomic_store(&holds, false);
	while (apply(&all, count, &number_3) == -ETIMEDOUT)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	assert_int_equal(apply(&all, count, &number_3), 0);
	snapshot();
	end();
	// The sum is that of hold_one(), two checks, and two that count.
	assert_int_equal(seen.worker.changes, (2 + 2 + 2) * all.count);
}

// The control thread makes the changes that are left when workers have ended, each once.
TEST(after_they_have_ended)
{
	hold_one();
	drb_workers_stop(&all);
	atomic_store(&holds, false);
	drb_workers_join(&all);
	assert_true(held_one.over && patient_one.over);
	assert_int_equal(made[0], 2);
	assert_int_equal(made[1], 2);
	assert_int_equal(apply(&all, count, &number_3), 0);
	assert_int_equal(made[1], 3);
	free_switch();
}

TEST_MAIN(setup_rings, free_eal)
