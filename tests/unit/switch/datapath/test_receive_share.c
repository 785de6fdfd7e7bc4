// SPDX-License-Identifier: BSD-3-Clause
// A flooded port gets short turns while other ports have packets, and whole bursts otherwise.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "switch/datapath/worker/receive_share.h"

#define BURST 64

static struct drb_receive_share share;

// One turn of a port with `waiting` packets; returns how many it gave.
static uint32_t turn(uint32_t port, uint32_t waiting, uint64_t iteration)
{
	uint32_t budget = drb_receive_budget(&share, port, BURST, iteration);
	uint32_t n = waiting < budget ? waiting : budget;

	drb_receive_note(&share, port, n, budget, iteration);
	return n;
}

TEST(a_flood_is_short_beside_others)
{
	memset(&share, 0, sizeof(share));
	for (uint64_t i = 0; i < 1000; i++) {
		uint32_t n = turn(0, UINT32_MAX, i);
		turn(1, i % 100 == 0, i);
		assert_int_equal(n, i < DRB_SHARE_FLOODED ? BURST : DRB_SHARE_SHORT);
	}
	// The other ports have fallen silent.
	for (uint64_t i = 1000; i < 2000; i++) {
		uint32_t n = turn(0, UINT32_MAX, i);
		turn(1, 0, i);
		assert_int_equal(n, i < 900 + DRB_SHARE_LATELY ? DRB_SHARE_SHORT : BURST);
	}
	// The flood ends: the port is at once like others.
	turn(1, 3, 2000);
	assert_int_equal(turn(0, 5, 2001), 5);
	assert_int_equal(turn(0, UINT32_MAX, 2002), BURST);
}

TEST(bursts_are_no_flood)
{
	memset(&share, 0, sizeof(share));
	for (uint64_t i = 0; i < 10000; i++) {
		turn(1, 1, i);
		// A ring that is sometimes emptied.
		assert_int_equal(turn(0, i % DRB_SHARE_FLOODED == 0 ? BURST - 1 : BURST, i),
				 i % DRB_SHARE_FLOODED == 0 ? BURST - 1 : BURST);
	}
}

// Whatever the mix, a packet of a port that is not flooded waits for at most a short turn of each
// flooded port, except at the beginning. All flooded ports get the same.
TEST(any_mix)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct drb_rng r = drb_rng_seed(seed, 1);
		const uint32_t ports = 2 + drb_rng_below(&r, 15), floods = drb_rng_below(&r, ports);
		uint64_t given[DRB_PORTS_MAX] = {0};
		memset(&share, 0, sizeof(share));
		for (uint64_t i = 0; i < 5000; i++) {
			uint32_t before_light = 0;
			for (uint32_t p = 0; p < ports; p++) {
				uint32_t n =
					turn(p, p < floods ? UINT32_MAX : (i + p) % 50 == 0, i);
				given[p] += n;
				before_light += p < floods ? n : 0;
			}
			if (i > DRB_SHARE_FLOODED + 50)
				assert_int_equal(before_light, floods * DRB_SHARE_SHORT);
		}
		for (uint32_t p = 1; p < floods; p++)
			assert_true(given[p] <= given[0] + DRB_SHARE_FLOODED * BURST);
		for (uint32_t p = floods; p < ports; p++)
			assert_int_equal(given[p], 100);
	}
}

TEST_MAIN(NULL, NULL)
