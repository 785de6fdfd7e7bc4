// SPDX-License-Identifier: BSD-3-Clause
// The forwarding path with real mbufs: the port by which a frame leaves.
#include "fixtures/unit.h"

#include "fixtures/forward_switch.h"

// Every switch, every port, every destination of F(3,2): down by the digit, up to the default when
// all queues are equal, and otherwise a drop with its reason.
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
			for (uint32_t in = 0; in < w.egress.ports; in++) {
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
						 w.decide.routing.down +
						 w.decide.routing.up_default,
					 16 * w.egress.ports);
			end();
		}
	}
}

// A core has only down-ports, up to 64 of them. Each is reached, packet by packet and in bursts
// that fit in their queues.
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
		w.egress.open = k % 2;
		assert_int_equal(w.egress.ports, 2 * d);
		for (uint32_t in = 0; in < w.egress.ports; in += w.egress.ports - 1) {
			for (uint32_t port = 0; port < w.egress.ports; port++)
				assert_int_equal(goes_to(in, 0, port * d),
						 port == in ? UINT32_MAX : port);
		}
		assert_int_equal(w.drop[DRB_DROP_same_port], 2);
		conserved();
		end();
	}
}

// With one dead port at such a core, packets for it take a detour by another switch below. All
// other packets are forwarded as usual.
TEST(a_dead_port_of_a_wide_core)
{
	begin("fabric: {layers: 2, arity: 32}\nswitch: {layer: 2, label: 0}\nlink: {driver: "
	      "none}\n",
	      1024);
	drb_links_publish(&w.shared.links, &(struct drb_links){.dead = UINT64_C(1) << 5});
	drb_hellos_read_links(&w);
	for (uint32_t n = 0; n < 100; n++) {
		uint32_t out = goes_to(0, 0, 5 * 32);
		assert_in_range(out, 0, 63);
		assert_true(out != 5 && out != 0);
	}
	assert_int_equal(w.decide.routing.detours_begun, 100);
	for (uint32_t port = 1; port < 64; port++) {
		if (port != 5)
			assert_int_equal(goes_to(0, 0, port * 32), port);
	}
	conserved();
	end();
}

// While a fabric changes its scheme, packets from above have marks that this switch does not know.
TEST(unknown_marks_arrive)
{
	uint8_t frame[60];

	begin(FABRIC(3, 2, 1, 0) "routing: {scheme: dmodk}\n", 1000);
	for (uint32_t to = 0; to < 2; to++) {
		make_frame(frame, sizeof(frame), 15, to);
		frame[DRB_MARK_AT] ^= 5;
		assert_int_equal(goes(2, frame, sizeof(frame)), to);
	}
	assert_int_equal(w.decide.routing.down, 2);
	conserved();
	end();
}

// An outage elsewhere is known: a packet goes down by its port, though that is drained.
TEST(down_by_a_drained_port)
{
	begin(FABRIC(3, 2, 2, 0), 1000);
	for (uint32_t rack = 0; rack < setup.tree.hosts / setup.tree.arity; rack++)
		w.links.routes[rack] = 0xf;
	w.links.ports =
		(struct drb_usable_ports){.usable = 0xd, .drained = 2, .routes = w.links.routes};
	w.links.drained = 2;
	w.links.reroutes = true;
	for (uint32_t n = 1; n <= 10; n++) {
		assert_int_equal(goes_to(2, 15, 2), 1);
		assert_int_equal(w.decide.routing.down, n);
	}
	conserved();
	end();
}

static uint32_t no_uplink(const struct drb_decider *s, struct drb_loads loads,
			  struct drb_decision *d)
{
	(void)loads;
	(void)d;
	return s->choice.uplinks;
}

// A loaded scheme that names an uplink that does not exist is counted once a packet.
TEST(errors_of_a_loaded_scheme)
{
	static const struct drb_scheme_ops erring = {.name = "erring", .choose = no_uplink};

	begin(FABRIC(3, 2, 1, 0), 1000);
	setup.scheme.like = DRB_SCHEME_COUNT;
	setup.choice.ops = &erring;
	drb_worker_choose(&w.decide, &setup);
	for (uint32_t n = 1; n <= 10; n++) {
		assert_in_range(goes_to(0, 0, 15), 2, 3);
		assert_int_equal(w.decide.routing.scheme_errors, n);
	}
	conserved();
	end();
}

TEST_MAIN(setup_eal, free_eal)
