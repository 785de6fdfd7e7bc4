// SPDX-License-Identifier: BSD-3-Clause
// A port's state as hellos come, fail to come and come from the wrong end. Times in ms.
#include "fixtures/unit.h"

#include "core/links/link_state.h"

#define MS UINT64_C(1000000)
#define FABRIC 77

static const struct drb_end peer = {.layer = 2, .label = 5, .port = 1, .up = false};
static struct drb_link l;

static void begin(uint64_t period_ms)
{
	drb_link_init(&l, &peer, FABRIC, period_ms * MS, true, 1000 * MS);
	assert_int_equal(l.state, DRB_LINK_UNKNOWN);
}

static struct drb_hello hello_of(uint8_t flags)
{
	return (struct drb_hello){.from = peer, .fabric = FABRIC, .period_ms = 100, .flags = flags};
}

static enum drb_link_state hear(uint8_t flags, uint64_t at_ms)
{
	struct drb_hello h = hello_of(flags);
	enum drb_link_state before = l.state;
	bool changed = drb_link_hear_hello(&l, &h, at_ms * MS);

	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

static enum drb_link_state look(bool carrier, bool others, uint64_t at_ms)
{
	enum drb_link_state before = l.state;
	bool changed = drb_link_check(&l, carrier, others, at_ms * MS);

	assert_int_equal(changed, l.state != before);
	assert_true(!changed || l.since_ns == at_ms * MS);
	return l.state;
}

static void comes_and_goes(void **state)
{
	(void)state;
	begin(100);
	assert_true(drb_link_is_usable(&l) && !drb_link_hears_neighbour(&l, 1000 * MS));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1010), DRB_LINK_UP);
	assert_true(drb_link_hears_neighbour(&l, 1010 * MS));
	assert_int_equal(drb_link_due_ns(&l), 1330 * MS + 1);
	// Three missed: at 1110, 1210 and 1310. The third may be late by a fifth of a period.
	assert_int_equal(look(true, true, 1330), DRB_LINK_UP);
	assert_true(drb_link_hears_neighbour(&l, 1330 * MS));
	assert_int_equal(look(true, true, 1331), DRB_LINK_DOWN);
	assert_false(drb_link_is_usable(&l) || drb_link_hears_neighbour(&l, 1331 * MS));
	assert_int_equal(drb_link_due_ns(&l), UINT64_MAX);
	// Back with the first hello, from a neighbour that was restarted and hears nothing yet.
	assert_int_equal(hear(0, 5000), DRB_LINK_UP);
	assert_int_equal(hear(DRB_HELLO_HEARS, 5100), DRB_LINK_UP);
}

// The neighbour's period counts once it is known.
static void their_period(void **state)
{
	struct drb_hello h = hello_of(DRB_HELLO_HEARS);

	(void)state;
	begin(10);
	h.period_ms = 1000;
	drb_link_hear_hello(&l, &h, 1000 * MS);
	assert_int_equal(look(true, true, 4200), DRB_LINK_UP);
	assert_int_equal(look(true, true, 4201), DRB_LINK_DOWN);
}

// Nobody says hello anywhere: used by its carrier. Somebody does, but not here: dead.
static void silence(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(drb_link_due_ns(&l), 1320 * MS + 1);
	assert_int_equal(look(true, false, 100000), DRB_LINK_UNKNOWN);
	assert_int_equal(look(false, false, 100001), DRB_LINK_DOWN);
	assert_int_equal(look(true, false, 100002), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 100322), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 100323), DRB_LINK_DOWN);
	assert_int_equal(hear(0, 100400), DRB_LINK_UP);
}

// Hellos off: the carrier alone, whatever is heard.
static void off(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(drb_link_due_ns(&l), UINT64_MAX);
	assert_int_equal(look(true, true, 100000), DRB_LINK_UNKNOWN);
	assert_int_equal(hear(0, 100001), DRB_LINK_UNKNOWN);
	assert_int_equal(look(true, true, 200000), DRB_LINK_UNKNOWN);
	assert_int_equal(look(false, true, 200001), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 200002), DRB_LINK_UNKNOWN);
	l.drained = true;
	assert_int_equal(look(true, true, 200003), DRB_LINK_DRAINED);
}

static void carrier(void **state)
{
	(void)state;
	drb_link_init(&l, &peer, FABRIC, 100 * MS, false, 0);
	assert_int_equal(l.state, DRB_LINK_DOWN);
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	assert_int_equal(look(false, true, 1001), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 1002), DRB_LINK_UP); // within the hold time
	assert_int_equal(look(false, true, 1003), DRB_LINK_DOWN);
	assert_int_equal(look(true, true, 2000), DRB_LINK_DOWN); // not before a hello
	assert_int_equal(hear(DRB_HELLO_HEARS, 2001), DRB_LINK_UP);
}

// Hellos that come but are not heard: after three in a row the link is taken for one-way.
static void one_way(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(hear(0, 1000), DRB_LINK_UP);
	assert_int_equal(hear(0, 1100), DRB_LINK_UP);
	assert_int_equal(hear(0, 1200), DRB_LINK_DOWN);
	assert_int_equal(hear(0, 1300), DRB_LINK_DOWN);
	assert_int_equal(hear(DRB_HELLO_HEARS, 1400), DRB_LINK_UP);
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
		assert_true(drb_link_hear_hello(&l, &wrong[i], 1000 * MS));
		assert_int_equal(l.state, DRB_LINK_MISWIRED);
		assert_false(drb_link_is_usable(&l));
		assert_int_equal(look(true, true, 1320), DRB_LINK_MISWIRED);
		assert_int_equal(look(true, true, 1321), DRB_LINK_DOWN);
		assert_true(drb_link_hear_hello(&l, &wrong[i], 1400 * MS));
		assert_int_equal(hear(0, 1401), DRB_LINK_UP); // the cable was moved
	}
}

static void drained(void **state)
{
	(void)state;
	begin(100);
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1000),
			 DRB_LINK_DRAINED_BY_NEIGHBOUR);
	assert_true(drb_link_is_drained(&l) && !drb_link_is_usable(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1100), DRB_LINK_UP);
	assert_false(drb_link_is_drained(&l));
	l.drained = true;
	assert_int_equal(hear(DRB_HELLO_HEARS | DRB_HELLO_DRAINED, 1100), DRB_LINK_DRAINED);
	assert_int_equal(look(true, true, 1101), DRB_LINK_DRAINED);
	assert_int_equal(look(true, true, 1500), DRB_LINK_DOWN); // dead counts for more
	assert_false(drb_link_is_drained(&l));
	assert_int_equal(hear(DRB_HELLO_HEARS, 1600), DRB_LINK_DRAINED);
	assert_true(drb_link_is_drained(&l) && !drb_link_is_usable(&l));
	l.drained = false;
	assert_int_equal(look(true, true, 1601), DRB_LINK_UP);
}

// Who was kept from listening does not blame the neighbour.
static void excused(void **state)
{
	(void)state;
	begin(100);
	hear(DRB_HELLO_HEARS, 1000);
	drb_link_excuse(&l, 2000 * MS);
	assert_int_equal(look(true, true, 3320), DRB_LINK_UP);
	assert_int_equal(look(true, true, 3321), DRB_LINK_DOWN);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(drb_link_state_name(DRB_LINK_UNKNOWN), "unknown");
	assert_string_equal(drb_link_state_name(DRB_LINK_DRAINED), "drained");
	assert_string_equal(drb_link_state_name(DRB_LINK_DRAINED_BY_NEIGHBOUR),
			    "drained by neighbour");
	assert_null(drb_link_state_name(DRB_LINK_COUNT));
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
