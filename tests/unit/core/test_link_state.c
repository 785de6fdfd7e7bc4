// SPDX-License-Identifier: BSD-3-Clause
// A port's state as hellos come, fail to come and come from the wrong end. Times in ms.
#include "fixtures/unit.h"

#include "core/links/link_state.h"

#define MS UINT64_C(1000000)
#define FABRIC 77

static const struct drb_end peer = {.layer = 2, .label = 5, .port = 1, .up = false};
static struct drb_live l;

static void begin(uint64_t period_ms)
{
	drb_live_init(&l, &peer, FABRIC, period_ms * MS, true, 1000 * MS);
	assert_int_equal(l.state, DRB_LIVE_UNKNOWN);
}

static struct drb_hello hello_of(uint8_t flags)
{
	return (struct drb_hello){.from = peer, .fabric = FABRIC, .period_ms = 100, .flags = flags};
}

static enum drb_live_state hear(uint8_t flags, uint64_t at_ms)
{
	struct drb_hello h = hello_of(flags);
	enum drb_live_state before = l.state;
	bool changed = drb_live_hear(&l, &h, at_ms * MS);

	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

static enum drb_live_state look(bool carrier, bool others, uint64_t at_ms)
{
	enum drb_live_state before = l.state;
	bool changed = drb_live_look(&l, carrier, others, at_ms * MS);

	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

static void comes_and_goes(void **state)
{
	(void)state;
	begin(100);
	assert_true(drb_live_usable(&l) && !drb_live_hears(&l, 1000 * MS));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1010), DRB_LIVE_UP);
	assert_true(drb_live_hears(&l, 1010 * MS));
	assert_int_equal(drb_live_due_ns(&l), 1330 * MS + 1);
	// Three missed: at 1110, 1210 and 1310. The third may be late by a fifth of a period.
	assert_int_equal(look(true, true, 1330), DRB_LIVE_UP);
	assert_true(drb_live_hears(&l, 1330 * MS));
	assert_int_equal(look(true, true, 1331), DRB_LIVE_DOWN);
	assert_false(drb_live_usable(&l) || drb_live_hears(&l, 1331 * MS));
	assert_int_equal(drb_live_due_ns(&l), UINT64_MAX);
	// Back with the first hello, from a neighbour that was restarted and hears nothing yet.
	assert_int_equal(hear(0, 5000), DRB_LIVE_UP);
	assert_int_equal(hear(DRB_HELLO_HEARS, 5100), DRB_LIVE_UP);
}

// The neighbour's period counts once it is known.
static void their_period(void **state)
{
	struct drb_hello h = hello_of(DRB_HELLO_HEARS);

	(void)state;
	begin(10);
	h.period_ms = 1000;
	drb_live_hear(&l, &h, 1000 * MS);
	assert_int_equal(look(true, true, 4200), DRB_LIVE_UP);
	assert_int_equal(look(true, true, 4201), DRB_LIVE_DOWN);
}

// Nobody says hello anywhere: used by its carrier. Somebody does, but not here: dead.
static void silence(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(drb_live_due_ns(&l), 1320 * MS + 1);
	assert_int_equal(look(true, false, 100000), DRB_LIVE_UNKNOWN);
	assert_int_equal(look(false, false, 100001), DRB_LIVE_DOWN);
	assert_int_equal(look(true, false, 100002), DRB_LIVE_UNKNOWN);
	assert_int_equal(look(true, true, 100322), DRB_LIVE_UNKNOWN);
	assert_int_equal(look(true, true, 100323), DRB_LIVE_DOWN);
	assert_int_equal(hear(0, 100400), DRB_LIVE_UP);
}

// Hellos off: the carrier alone, whatever is heard.
static void off(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(drb_live_due_ns(&l), UINT64_MAX);
	assert_int_equal(look(true, true, 100000), DRB_LIVE_UNKNOWN);
	assert_int_equal(hear(0, 100001), DRB_LIVE_UNKNOWN);
	assert_int_equal(look(true, true, 200000), DRB_LIVE_UNKNOWN);
	assert_int_equal(look(false, true, 200001), DRB_LIVE_DOWN);
	assert_int_equal(look(true, true, 200002), DRB_LIVE_UNKNOWN);
	l.drained = true;
	assert_int_equal(look(true, true, 200003), DRB_LIVE_DRAINED);
}

static void carrier(void **state)
{
	(void)state;
	drb_live_init(&l, &peer, FABRIC, 100 * MS, false, 0);
	assert_int_equal(l.state, DRB_LIVE_DOWN);
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	assert_int_equal(look(false, true, 1001), DRB_LIVE_DOWN);
	assert_int_equal(look(true, true, 1002), DRB_LIVE_UP); // within the hold time
	assert_int_equal(look(false, true, 1003), DRB_LIVE_DOWN);
	assert_int_equal(look(true, true, 2000), DRB_LIVE_DOWN); // not before a hello
	assert_int_equal(hear(DRB_HELLO_HEARS, 2001), DRB_LIVE_UP);
}

// Hellos that come but are not heard: after three in a row the link is taken for one-way.
static void one_way(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(hear(0, 1000), DRB_LIVE_UP);
	assert_int_equal(hear(0, 1100), DRB_LIVE_UP);
	assert_int_equal(hear(0, 1200), DRB_LIVE_DOWN);
	assert_int_equal(hear(0, 1300), DRB_LIVE_DOWN);
	assert_int_equal(hear(DRB_HELLO_HEARS, 1400), DRB_LIVE_UP);
}

static void miswired(void **state)
{
	struct drb_hello wrong[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		wrong[i] = hello_of(DRB_HELLO_HEARS);
	wrong[0].from.layer = 3;
	wrong[1].from.label = 4;
	wrong[2].from.port = 0;
	wrong[3].from.up = true;
	wrong[4].fabric++;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		begin(100);
		assert_true(drb_live_hear(&l, &wrong[i], 1000 * MS));
		assert_int_equal(l.state, DRB_LIVE_MISWIRED);
		assert_false(drb_live_usable(&l));
		assert_int_equal(look(true, true, 1320), DRB_LIVE_MISWIRED);
		assert_int_equal(look(true, true, 1321), DRB_LIVE_DOWN);
		assert_true(drb_live_hear(&l, &wrong[i], 1400 * MS));
		assert_int_equal(hear(0, 1401), DRB_LIVE_UP); // the cable was moved
	}
}

static void drained(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1000), DRB_LIVE_DRAINED_THERE);
	assert_true(drb_live_drained(&l) && !drb_live_usable(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1100), DRB_LIVE_UP);
	assert_false(drb_live_drained(&l));
	l.drained = true;
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1100), DRB_LIVE_DRAINED);
	assert_int_equal(look(true, true, 1101), DRB_LIVE_DRAINED);
	assert_int_equal(look(true, true, 1500), DRB_LIVE_DOWN); // dead counts for more
	assert_false(drb_live_drained(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1600), DRB_LIVE_DRAINED);
	assert_true(drb_live_drained(&l) && !drb_live_usable(&l));
	l.drained = false;
	assert_int_equal(look(true, true, 1601), DRB_LIVE_UP);
}

// Who was kept from listening does not blame the neighbour.
static void excused(void **state)
{
	(void)state;
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	drb_live_excuse(&l, 2000 * MS);
	assert_int_equal(look(true, true, 3320), DRB_LIVE_UP);
	assert_int_equal(look(true, true, 3321), DRB_LIVE_DOWN);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(drb_live_name(DRB_LIVE_UNKNOWN), "unknown");
	assert_string_equal(drb_live_name(DRB_LIVE_DRAINED), "drained");
	assert_string_equal(drb_live_name(DRB_LIVE_DRAINED_THERE), "drained by neighbour");
	assert_null(drb_live_name(DRB_LIVE_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_and_goes), cmocka_unit_test(their_period),
		cmocka_unit_test(silence),        cmocka_unit_test(off),
		cmocka_unit_test(carrier),        cmocka_unit_test(one_way),
		cmocka_unit_test(miswired),       cmocka_unit_test(drained),
		cmocka_unit_test(excused),        cmocka_unit_test(names),
	};
	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
