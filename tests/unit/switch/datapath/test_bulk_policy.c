// SPDX-License-Identifier: BSD-3-Clause
// A worker waits for its turn on a CPU only under bulk traffic. The test's thread is the worker.
#include "fixtures/unit.h"

#include <sched.h>

#include "switch/datapath/bulk_policy.h"

#define BULK DRB_BULK_OCTETS

static struct drb_worker w;

static int begin(void **state)
{
	(void)state;
	w = (struct drb_worker){.egress.ports = 3, .egress.now_ns = 1000000000};
	drb_bulk_policy_init(&w);
	drb_bulk_policy_update(&w);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
}

// A span in which this many bytes arrive by two ports. Returns the scheduling policy after it.
static int after(uint64_t octets)
{
	w.port[0].in_octets += octets / 2;
	w.port[2].in_octets += octets - octets / 2;
	w.egress.now_ns += DRB_BULK_SPAN_NS;
	drb_bulk_policy_update(&w);
	return sched_getscheduler(0);
}

TEST_WITH(bulk_traffic_waits, begin, end)
{
	assert_int_equal(after(BULK - 1), SCHED_OTHER);
	assert_int_equal(after(BULK), SCHED_BATCH);
	assert_int_equal(after(BULK), SCHED_BATCH);
}

TEST_WITH(spans_are_looked_at_whole, begin, end)
{
	w.port[0].in_octets = BULK;
	w.egress.now_ns += DRB_BULK_SPAN_NS - 1;
	drb_bulk_policy_update(&w);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	w.egress.now_ns++;
	drb_bulk_policy_update(&w);
	assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
}

// A long sleep is one span, and its limit is larger in proportion.
TEST_WITH(a_long_span_takes_more, begin, end)
{
	w.egress.now_ns += 9 * DRB_BULK_SPAN_NS;
	assert_int_equal(after(9 * BULK), SCHED_OTHER);
	w.egress.now_ns += 9 * DRB_BULK_SPAN_NS;
	assert_int_equal(after(10 * BULK), SCHED_BATCH);
}

TEST_WITH(after_some_calm_it_is_prompt, begin, end)
{
	after(BULK);
	for (int i = 1; i < DRB_BULK_CALM_NS / DRB_BULK_SPAN_NS; i++)
		assert_int_equal(after(0), SCHED_BATCH);
	assert_int_equal(after(0), SCHED_OTHER);
}

TEST_WITH(with_a_rate_it_is_prompt, begin, end)
{
	w.egress.paced = true;
	assert_int_equal(after(BULK), SCHED_OTHER);
	w.egress.paced = false;
	assert_int_equal(after(BULK), SCHED_BATCH);
	w.egress.paced = true; // by a reload
	assert_int_equal(after(BULK), SCHED_OTHER);
}

TEST_WITH(another_policy_stays, begin, end)
{
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}), 0);
	drb_bulk_policy_init(&w);
	assert_int_equal(after(BULK), SCHED_BATCH);
	w.egress.now_ns += DRB_BULK_CALM_NS;
	assert_int_equal(after(0), SCHED_BATCH);
}

TEST_MAIN(NULL, NULL)
