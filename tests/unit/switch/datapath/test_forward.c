// SPDX-License-Identifier: BSD-3-Clause
// The forwarding path with real mbufs: which port a frame leaves by.
#include "fixtures/unit.h"

#include "core/routing/decide.h"

#include "fixtures/chi2.h"
#include "fixtures/forward_switch.h"

// Every switch, every port, every destination of F(3,2): down by the digit, up to the default
// when all queues are equal, else a named drop.
TEST(every_destination)
{
	for (uint32_t layer = 1; layer <= 3; layer++) {
		for (uint32_t label = 0; label < (layer < 3 ? 8 : 4); label++) {
			char text[256];
			snprintf(text, sizeof(text),
				 "fabric: {layers: 3, arity: 2}\nswitch: {layer: %u, label: %u}\n"
				 "link: {driver: none}\nrouting: {check_source: off, threshold: "
				 "100000}\n",
				 layer, label);
			begin(text, 1000);
			for (uint32_t in = 0; in < w.ports; in++) {
				for (uint32_t to = 0; to < 16; to++) {
					uint32_t digit = drb_hop_digit(&setup.hop, to);
					bool below = drb_hop_below(&setup.hop, to);
					uint32_t want = below ? digit : setup.down_ports + digit;
					if (want == in || (!below && in >= setup.down_ports))
						want = UINT32_MAX;
					assert_int_equal(goes_to(in, 0, to), want);
				}
			}
			conserved();
			assert_int_equal(w.drop[DRB_DROP_same_port] + w.drop[DRB_DROP_not_below] +
						 w.routing.down + w.routing.up_default,
					 16 * w.ports);
			end();
		}
	}
}

// A core has nothing but down-ports, up to 64 of them: each is reached, packet by packet and in bursts
// that fit their queues.
TEST(every_port_of_a_wide_core)
{
	static const uint32_t arities[] = {15, 16, 17, 32};

	for (size_t k = 0; k < 2 * ARRAY_SIZE(arities); k++) {
		uint32_t d = arities[k / 2];
		char text[128];
		snprintf(text, sizeof(text),
			 "fabric: {layers: 2, arity: %u}\nswitch: {layer: 2, label: 0}\n"
			 "link: {driver: none}\n",
			 d);
		begin(text, 1024);
		w.open = k % 2;
		assert_int_equal(w.ports, 2 * d);
		for (uint32_t in = 0; in < w.ports; in += w.ports - 1) {
			for (uint32_t port = 0; port < w.ports; port++)
				assert_int_equal(goes_to(in, 0, port * d),
						 port == in ? UINT32_MAX : port);
		}
		assert_int_equal(w.drop[DRB_DROP_same_port], 2);
		conserved();
		end();
	}
}

// With one dead port at such a core, packets for it turn at another child, one layer below; all
// others go as ever.
TEST(a_dead_port_of_a_wide_core)
{
	begin("fabric: {layers: 2, arity: 32}\nswitch: {layer: 2, label: 0}\nlink: {driver: "
	      "none}\n",
	      1024);
	drb_links_publish(&w.published_links, &(struct drb_links){.dead = UINT64_C(1) << 5});
	drb_hellos_read_links(&w);
	for (uint32_t n = 0; n < 100; n++) {
		uint32_t out = goes_to(0, 0, 5 * 32);
		assert_in_range(out, 0, 63);
		assert_true(out != 5 && out != 0);
	}
	assert_int_equal(w.routing.detours_begun, 100);
	for (uint32_t port = 1; port < 64; port++) {
		if (port != 5)
			assert_int_equal(goes_to(0, 0, port * 32), port);
	}
	conserved();
	end();
}

// Loads the uplinks and sends one packet up; the uplink it took.
static uint32_t decide(const uint32_t *load, uint32_t from, uint32_t to)
{
	uint32_t out;

	for (uint32_t u = 0; u < setup.up_ports; u++)
		w.occupancy[setup.down_ports + u] = load[u];
	w.queued = 0;
	for (uint32_t i = 0; i < w.ports; i++)
		w.queued += w.occupancy[i];
	out = goes_to(0, from, to) - setup.down_ports;
	assert_in_range(out, 0, setup.up_ports - 1);
	return out;
}

// With two uplinks the draw decides nothing but ties: the port is the one drb_choose() says.
TEST(two_uplinks_as_the_core_says)
{
	static const char *const schemes[] = {"drb", "dmodk", "ecmp", "micro", "least"};

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct drb_rng r = drb_rng_seed(i, 0);
		char text[256];
		snprintf(text, sizeof(text),
			 FABRIC(3, 2, 1, 0) "routing: {scheme: %s, threshold: 2.5}\n", schemes[i]);
		begin(text, 1 << 16);
		for (int n = 0; n < 5000; n++) {
			uint32_t load[2] = {drb_rng_below(&r, 12), drb_rng_below(&r, 12)};
			uint32_t to = 2 + drb_rng_below(&r, 14);
			struct drb_flow_key key;
			uint8_t frame[60];
			make_frame(frame, sizeof(frame), 0, to);
			drb_flow_key_of(frame, sizeof(frame), &key);
			uint32_t out = decide(load, 0, to);
			uint32_t want[2];
			for (uint32_t side = 0; side < 2; side++)
				want[side] = drb_choose(&setup.choice, load,
							drb_hop_digit(&setup.hop, to),
							drb_flow_hash(&key), side ? UINT64_MAX : 0);
			if (want[0] == want[1] || load[0] != load[1])
				assert_int_equal(out, want[0]);
		}
		conserved();
		end();
	}
}

// More uplinks: the rule holds for whatever candidate was drawn, and every candidate is equally
// likely.
TEST(candidates_are_uniform)
{
	uint64_t seen[5] = {0};

	begin(FABRIC(2, 5, 1, 0) "routing: {threshold: 3}\n", 1 << 16);
	for (int n = 0; n < 12000; n++) {
		uint32_t to = 5 + (uint32_t)n % 45, def = drb_hop_digit(&setup.hop, to);
		uint32_t load[5] = {7, 7, 7, 7, 7};
		load[def] = 11; // 7 < 11 - 3: each other port takes it
		uint32_t out = decide(load, 0, to);
		assert_true(out != def);
		seen[(out + 5 - def) % 5]++;
		load[def] = 10; // 7 < 10 - 3 does not hold
		if (n % 4 == 0)
			assert_int_equal(decide(load, 0, to), def);
		if (n % 4000 == 3999) {
			conserved();
			end();
			begin(FABRIC(2, 5, 1, 0) "routing: {threshold: 3}\n", 1 << 16);
			w.rng = drb_rng_seed((uint64_t)n, 7);
		}
	}
	end();
	assert_int_equal(seen[0], 0);
	assert_uniform(seen + 1, 4);
}

TEST(vlb_is_uniform)
{
	uint64_t seen[4] = {0};

	begin(FABRIC(2, 4, 1, 0) "routing: {scheme: vlb}\n", 1 << 16);
	for (int n = 0; n < 12000; n++) {
		const uint32_t load[4] = {9, 0, 5, 1};
		seen[decide(load, 0, 4 + (uint32_t)n % 28)]++;
	}
	conserved();
	end();
	assert_uniform(seen, 4);
}

// Many choices and least: always the emptiest of what was looked at.
TEST(all_choices_find_the_emptiest)
{
	static const char *const routing[] = {"{scheme: least}", "{choices: 8, threshold: 0}",
					      "{choices: 4, threshold: 0}"};
	struct drb_rng r = drb_rng_seed(5, 5);
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(routing); i++) {
		snprintf(text, sizeof(text), FABRIC(2, 4, 1, 3) "routing: %s\n", routing[i]);
		begin(text, 1 << 16);
		for (int n = 0; n < 5000; n++) {
			uint32_t load[4], low = UINT32_MAX;
			for (uint32_t u = 0; u < 4; u++) {
				load[u] = drb_rng_below(&r, 9);
				low = load[u] < low ? load[u] : low;
			}
			assert_int_equal(load[decide(load, 12, drb_rng_below(&r, 12))], low);
		}
		conserved();
		end();
	}
}

TEST_MAIN(setup_eal, free_eal)
