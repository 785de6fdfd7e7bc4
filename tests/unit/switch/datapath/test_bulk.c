// SPDX-License-Identifier: BSD-3-Clause
// The scheduling policy of a worker under bulk traffic and without. The test's thread is the worker.
#include "fixtures/unit.h"

#include <sched.h>

#include "switch/datapath/bulk.h"

#define PORTS 3
// One octet a ns is 8 Gbit/s.
#define BULK (DRB_BULK_SPAN_NS * (uint64_t)DRB_BULK_MBPS / 8000)

static struct drb_worker w;
static uint64_t now_ns;

static int begin(void **state)
{
	(void)state;
	memset(&w, 0, sizeof(w));
	w.config.ports = PORTS;
	w.config.sched_batch = true;
	now_ns = 1000000000;
	drb_bulk_init(&w);
	drb_bulk_look(&w, now_ns);
	return 0;
}

static int end(void **state)
{
	const struct sched_param none = {0};

	(void)state;
	return sched_setscheduler(0, SCHED_OTHER, &none);
}

// A span in which this comes, by two ports; the policy behind it.
static int after(uint64_t octets, uint64_t packets)
{
	w.port[0].in_octets += octets / 2;
	w.port[2].in_octets += octets - octets / 2;
	w.port[1].in_packets += packets;
	now_ns += DRB_BULK_SPAN_NS;
	drb_bulk_look(&w, now_ns);
	return sched_getscheduler(0);
}

static void bulk_traffic_makes_it_batch(void **state)
{
	(void)state;
	assert_int_equal(after(0, 0), SCHED_OTHER);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_BATCH);
	assert_int_equal(w.bulk.batch_ns, 0);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_BATCH);
	assert_int_equal(w.bulk.batch_ns, DRB_BULK_SPAN_NS);
}

static void less_or_smaller_packets_do_not(void **state)
{
	(void)state;
	assert_int_equal(after(BULK - 1, BULK / 1500), SCHED_OTHER);
	assert_int_equal(after(BULK, BULK / DRB_BULK_OCTETS + 1), SCHED_OTHER);
	assert_int_equal(after(BULK, BULK / DRB_BULK_OCTETS), SCHED_BATCH);
}

static void it_is_looked_at_by_spans(void **state)
{
	(void)state;
	w.port[0].in_octets = 2 * BULK;
	w.port[0].in_packets = 1;
	drb_bulk_look(&w, now_ns + DRB_BULK_SPAN_NS - 1);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	drb_bulk_look(&w, now_ns + DRB_BULK_SPAN_NS);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
}

static void after_some_calm_it_is_prompt_again(void **state)
{
	(void)state;
	after(BULK, BULK / 1500);
	for (int i = 1; i < DRB_BULK_CALM_NS / DRB_BULK_SPAN_NS; i++)
		assert_int_equal(after(0, 0), SCHED_BATCH);
	assert_int_equal(after(0, 0), SCHED_OTHER);
	// It slept through the calm.
	after(BULK, BULK / 1500);
	now_ns += DRB_BULK_CALM_NS;
	assert_int_equal(after(100, 1), SCHED_OTHER);
}

static void links_with_a_rate_need_it_prompt(void **state)
{
	(void)state;
	w.config.paced = true;
	assert_int_equal(after(BULK, BULK / 1500), SCHED_OTHER);
	w.config.paced = false;
	assert_int_equal(after(BULK, BULK / 1500), SCHED_BATCH);
	w.config.paced = true; // by a reload
	assert_int_equal(after(BULK, BULK / 1500), SCHED_OTHER);
}

static void who_wakes_too_late_is_prompt_for_a_while(void **state)
{
	(void)state;
	after(BULK, BULK / 1500);
	drb_bulk_woke(&w, now_ns - DRB_BULK_LATE_NS + 1, now_ns);
	drb_bulk_woke(&w, UINT64_MAX, now_ns);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_BATCH);
	drb_bulk_woke(&w, now_ns - DRB_BULK_LATE_NS, now_ns);
	const uint64_t end = now_ns + DRB_BULK_HOLD_NS;
	while (now_ns + DRB_BULK_SPAN_NS < end)
		assert_int_equal(after(BULK, BULK / 1500), SCHED_OTHER);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_BATCH);
}

static void who_says_never_or_has_another_policy_keeps_it(void **state)
{
	const struct sched_param none = {0};

	(void)state;
	w.config.sched_batch = false;
	drb_bulk_init(&w);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_OTHER);
	w.config.sched_batch = w.config.poll = true;
	drb_bulk_init(&w);
	assert_int_equal(after(BULK, BULK / 1500), SCHED_OTHER);
	w.config.poll = false;
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &none), 0);
	drb_bulk_init(&w);
	now_ns += DRB_BULK_CALM_NS;
	assert_int_equal(after(0, 0), SCHED_BATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bulk_traffic_makes_it_batch, begin, end),
		cmocka_unit_test_setup_teardown(less_or_smaller_packets_do_not, begin, end),
		cmocka_unit_test_setup_teardown(it_is_looked_at_by_spans, begin, end),
		cmocka_unit_test_setup_teardown(after_some_calm_it_is_prompt_again, begin, end),
		cmocka_unit_test_setup_teardown(links_with_a_rate_need_it_prompt, begin, end),
		cmocka_unit_test_setup_teardown(who_wakes_too_late_is_prompt_for_a_while, begin,
						end),
		cmocka_unit_test_setup_teardown(who_says_never_or_has_another_policy_keeps_it,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
