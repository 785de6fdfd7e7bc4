// SPDX-License-Identifier: BSD-3-Clause
// Neighbours that never agree on what is dead. News is sent at once, several times in a row. If
// news never ends, it is sent about as often as regular hellos, so that hundreds of switches on a
// few CPUs are not overloaded.
#include "fixtures/unit.h"

#include "core/links/outages.h"
#include "fixtures/hello_switch.h"

// A neighbour above reports a link that is not its own as dead, at this distance; 0: reports
// nothing.
static void tell(uint32_t port, uint32_t distance)
{
	struct drb_hello h = neighbour_of(port);

	if (distance > 0)
		drb_outages_add(
			&h.outages, &setup.tree,
			drb_outage_key(drb_outage_link(&setup.tree, 1, 0, 0), DRB_OUTAGE_DEAD),
			distance);
	receive(w, port, &h);
}

// Counts the hellos by u1 within this many ms; `changes`: u0 changes its report each ms.
static uint32_t told(uint64_t *now_ms, uint32_t ms, bool changes)
{
	struct drb_hello h;
	uint32_t hellos = 0;

	for (uint64_t until = *now_ms + ms; *now_ms < until; ++*now_ms) {
		turn(*now_ms);
		if (changes)
			tell(2, (uint32_t)(*now_ms % 7));
		if (w->liveness.due_ns <= *now_ms * MS)
			drb_hellos_service(w);
		hellos += empty(3, &h);
	}
	return hellos;
}

TEST(news_without_end)
{
	uint64_t now_ms = 1000;
	struct drb_hello h;

	begin(1, 5, "");
	turn(now_ms++);
	tell(2, 0);
	tell(3, 0);
	empty(3, &h);
	assert_in_range(told(&now_ms, 1000, false), 9, 11);
	// At first hellos with news are sent every 20 ms.
	assert_in_range(told(&now_ms, 400, true), 16, 28);
	told(&now_ms, 600, true);
	// Later news goes with the regular hellos, and with as many hellos in between.
	const uint32_t without_end = told(&now_ms, 10000, true);
	assert_in_range(without_end, 100, 210);
	// After a quiet time news is fast again.
	told(&now_ms, 5000, false);
	assert_in_range(told(&now_ms, 400, true), 16, 28);
	end();
}

// A neighbour that is drained and back each ms makes this switch check for news each ms. This does
// not delay later news of other neighbours.
TEST(news_after_flapping)
{
	const struct drb_outages *known = &w->liveness.known.outages;
	uint64_t now_ms = 1000;
	struct drb_hello ours;
	bool found = false;

	begin(1, 5, "");
	turn(now_ms++);
	tell(2, 0);
	tell(3, 0);
	for (uint64_t until = now_ms + 2000; now_ms < until; now_ms++) {
		turn(now_ms);
		hear_with(2, h.flags |= now_ms % 2 ? DRB_HELLO_DRAINED : 0);
		drb_hellos_service(w);
		empty(3, &ours);
	}
	tell(3, 0);
	tell(2, 3);
	told(&now_ms, 200, false);
	for (uint32_t i = 0; i < known->count; i++)
		found |= known->key[i] ==
			 drb_outage_key(drb_outage_link(&setup.tree, 1, 0, 0), DRB_OUTAGE_DEAD);
	assert_true(found);
	end();
}

TEST_MAIN(setup_rings, free_eal)
