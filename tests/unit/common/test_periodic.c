// SPDX-License-Identifier: BSD-3-Clause
// A periodic thread runs at multiples of its period, and ends at once.
#include "fixtures/unit.h"

#include <stdatomic.h>

#include "common/cli/clock.h"
#include "common/cli/periodic.h"

#define PERIOD_NS 20000000

static atomic_uint looks;
static uint64_t looked_ns[3];

static void look(void *context)
{
	const uint32_t n = atomic_load(&looks);

	assert_ptr_equal(context, &looks);
	if (n < ARRAY_SIZE(looked_ns))
		looked_ns[n] = drb_clock_now();
	atomic_store(&looks, n + 1);
}

TEST(at_multiples)
{
	struct drb_periodic p = {
		.what = "looks", .look = look, .context = &looks, .period_ns = PERIOD_NS};

	assert_int_equal(drb_periodic_begin(&p), 0);
	while (atomic_load(&looks) < ARRAY_SIZE(looked_ns))
		drb_clock_sleep_until(drb_clock_now() + PERIOD_NS);
	drb_periodic_end(&p);
	const uint32_t ended = atomic_load(&looks);
	for (size_t i = 1; i < ARRAY_SIZE(looked_ns); i++)
		assert_true(looked_ns[i] / PERIOD_NS > looked_ns[i - 1] / PERIOD_NS);
	drb_clock_sleep_until(drb_clock_now() + 3 * PERIOD_NS);
	assert_int_equal(atomic_load(&looks), ended);
}

TEST(ends_at_once)
{
	struct drb_periodic p = {
		.what = "looks", .look = look, .period_ns = UINT64_C(3600000000000)};
	const uint64_t began = drb_clock_now();

	drb_periodic_end(&p); // was not begun
	assert_int_equal(drb_periodic_begin(&p), 0);
	drb_periodic_end(&p);
	assert_true(drb_clock_now() - began < UINT64_C(60000000000));
}

TEST_MAIN(NULL, NULL)
