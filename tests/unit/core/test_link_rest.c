// SPDX-License-Identifier: BSD-3-Clause
// A link comes to rest. Also tests its hold time: at rest, after this switch did not listen, and
// after this switch lost hellos itself. Times in ms.
#include "fixtures/unit.h"

#include "core/links/link_state.h"

#define MS UINT64_C(1000000)

static const struct drb_end peer = {.layer = 2, .label = 5, .port = 1};
static struct drb_link l;
static uint64_t number; // of the neighbour's hellos

static void begin(uint64_t period_ms)
{
	const struct drb_link_setup setup = {
		.peer = peer, .fabric = 77, .period_ns = period_ms * MS, .instance = 9};

	drb_link_init(&l, &setup, true, 1000 * MS);
}

static void hear(uint8_t flags, uint64_t at_ms)
{
	const struct drb_hello h = {.from = peer,
				    .fabric = 77,
				    .period_ms = 100,
				    .serial = {5, ++number},
				    .flags = flags};
	bool changed;

	assert_int_equal(drb_link_hear_hello(&l, &h, 0, at_ms * MS, &changed), DRB_HELLO_TAKEN);
}

static enum drb_link_state look(uint64_t at_ms)
{
	drb_link_check(&l, true, true, at_ms * MS);
	return l.state;
}

// A link comes to rest a second after the last packet, if it has nothing to report.
TEST(rests)
{
	begin(100);
	hear(DRB_HELLO_HEARS, 1010);
	assert_false(drb_link_rests(&l, 2010 * MS));
	assert_true(drb_link_rests(&l, 2011 * MS));
	drb_link_hear_frame(&l, 2000 * MS);
	assert_false(drb_link_rests(&l, 3000 * MS));
	assert_true(drb_link_rests(&l, 3001 * MS));
	hear(DRB_HELLO_HEARS | DRB_HELLO_NO_ALTERNATE | DRB_HELLO_RESTS | DRB_HELLO_NEWS, 3010);
	assert_true(drb_link_rests(&l, 3010 * MS));
	// One hello may be lost, at 3185, and the next one may be late by a third of a period.
	assert_int_equal(look(3395), DRB_LINK_UP);
	assert_int_equal(drb_link_due_ns(&l), 3395 * MS + 1);
	assert_int_equal(look(3396), DRB_LINK_DOWN);
	assert_false(drb_link_rests(&l, 9000 * MS));
	static const uint8_t awake[] = {0, DRB_HELLO_PROBE, DRB_HELLO_LOSSY,
					DRB_HELLO_NEEDS_UPSTREAM, DRB_HELLO_DRAINED};
	for (size_t i = 0; i < ARRAY_SIZE(awake); i++) {
		hear(DRB_HELLO_HEARS, 9000);
		assert_true(drb_link_rests(&l, 20000 * MS));
		hear(awake[i] ? DRB_HELLO_HEARS | awake[i] : 0, 9000);
		assert_false(drb_link_rests(&l, 20000 * MS));
	}
	// If hellos are rare, none is left out.
	begin(501);
	hear(DRB_HELLO_HEARS, 1010);
	assert_false(drb_link_rests(&l, 9000 * MS));
}

// Time in which this switch could not listen does not count as the neighbour's silence.
TEST(excused)
{
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	drb_link_excuse(&l, 2000 * MS, 3000 * MS);
	assert_int_equal(look(3320), DRB_LINK_UP);
	assert_int_equal(look(3321), DRB_LINK_DOWN);
}

// A hello that waited during that time counts from its arrival.
TEST(excused_no_longer_than_now)
{
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	hear(DRB_HELLO_HEARS, 3000);
	drb_link_excuse(&l, 2000 * MS, 3000 * MS);
	assert_int_equal(look(3320), DRB_LINK_UP);
	assert_int_equal(look(3321), DRB_LINK_DOWN);
}

// Hellos that this switch lost for lack of space do not count as silence, for up to 3.2 s since the
// last hello.
TEST(lost_here)
{
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	for (uint64_t ms = 1100; ms <= 4100; ms += 100) {
		drb_link_lost_here(&l, ms * MS);
		assert_int_equal(look(ms), DRB_LINK_UP);
	}
	for (uint64_t ms = 4200; ms <= 4500; ms += 100) {
		drb_link_lost_here(&l, ms * MS);
		assert_int_equal(look(ms), ms <= 4420 ? DRB_LINK_UP : DRB_LINK_DOWN);
	}
	drb_link_lost_here(&l, 4600 * MS); // this brings no dead link back
	assert_int_equal(look(4600), DRB_LINK_DOWN);
}

// The link is not lossy either, if all long hellos were among the lost ones.
TEST(long_ones_lost_here)
{
	const uint32_t most = DRB_SHORT_HELLOS_MAX;

	for (int here = 0; here < 2; here++) {
		begin(100);
		l.setup.loss_limit = 1000;
		for (number = 1; number <= 4 * most;) {
			number += (number + 1) % DRB_HELLO_LONG_EVERY == 0;
			hear(DRB_HELLO_HEARS, 1000 + 100 * number);
			if (here)
				drb_link_lost_here(&l, (1000 + 100 * number) * MS);
			drb_link_count(&l, NULL, (1000 + 100 * number) * MS);
		}
		assert_int_equal(l.state, here ? DRB_LINK_UP : DRB_LINK_LOSSY);
	}
}

TEST_MAIN(NULL, NULL)
