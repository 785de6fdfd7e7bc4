// SPDX-License-Identifier: BSD-3-Clause
// Losses of a card are counted once, whether or not it clears its register on each read.
#include "fixtures/unit.h"

#include "switch/ports/dpdk/card_losses.h"

static struct drb_card_losses losses;
static uint64_t in_register, driver; // of the card; the sum in its driver
static bool clears;

static void begin(bool clearing, uint64_t lost_before)
{
	losses = (struct drb_card_losses){0};
	in_register = lost_before;
	driver = 0;
	clears = clearing;
}

// Three reads; before each of them the card loses this many packets.
static void look(uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t lost[DRB_CARD_READS] = {first, second, third};
	uint64_t said[DRB_CARD_READS];

	for (int i = 0; i < DRB_CARD_READS; i++) {
		in_register += lost[i];
		driver += in_register;
		said[i] = driver;
		if (clears)
			in_register = 0;
	}
	drb_card_losses_note(&losses, said);
}

static void counted_once_of(bool clearing)
{
	begin(clearing, 70); // of a process before
	look(0, 0, 0);
	assert_int_equal(losses.missed, 0);
	look(0, 0, 0);
	assert_int_equal(losses.missed, 0);
	look(1, 0, 0);
	assert_int_equal(losses.missed, 1);
	for (int i = 0; i < 10; i++)
		look(0, 0, 0);
	assert_int_equal(losses.missed, 1);
	look(1000, 2, 3);
	assert_int_equal(losses.missed, 1006);
	look(500, 0, 7);
	assert_int_equal(losses.missed, 1513);
	look(0, 0, 0);
	assert_int_equal(losses.missed, 1513);
}

TEST(of_a_card_that_clears)
{
	counted_once_of(true);
}

TEST(of_a_card_that_does_not)
{
	counted_once_of(false);
}

// With steady losses two consecutive reads find the same number, which proves nothing.
TEST(steady_losses)
{
	begin(true, 0);
	look(0, 0, 0);
	for (int i = 0; i < 100; i++)
		look(1000000, 10, 10);
	assert_int_equal(losses.missed, 100 * 1000020);
}

TEST_MAIN(NULL, NULL)
