// SPDX-License-Identifier: BSD-3-Clause
// Scheme walk in the forwarding path: when it spreads, over which uplinks. Hosts see no marks.
#include "fixtures/unit.h"

#include "fixtures/walk_state.h"
#include "switch/control/reconfigure.h"
#include "switch/datapath/decide/flow_assign.h"
#include "fixtures/forward_switch.h"

static uint16_t frame_len = 60; // of frames sent by passes()

// A packet arrives by a port, from one host to another, with a mark in its source. Returns the port
// by which it left, or UINT32_MAX; *left is its mark then.
static uint32_t passes(uint32_t in, uint32_t from, uint32_t to, uint8_t mark, uint8_t *left)
{
	uint8_t frame[1514];
	struct rte_mbuf *m;
	uint32_t out = UINT32_MAX;

	make_frame(frame, frame_len, from, to);
	frame[7] ^= mark;
	m = mbuf_of(frame, frame_len);
	assert_non_null(m);
	drb_forward_burst(&w, in, &m, 1);
	for (uint32_t i = 0; i < w.egress.ports; i++) {
		if (w.egress.occupancy[i] == 0)
			continue;
		const struct rte_mbuf *sent =
			w.egress.queue[i].packet[drb_egress_ring_index(&w.egress.queue[i], 0)];
		const uint8_t *octets = rte_pktmbuf_mtod(sent, const uint8_t *);
		*left = octets[7];
		// All other bytes are unchanged.
		frame[7] = octets[7];
		assert_memory_equal(octets, frame, frame_len);
		out = i;
	}
	empty_queues();
	return out;
}

#define SWITCH_AT(rate, m, s, more)                                                                \
	"fabric: {layers: 3, arity: 4}\nswitch: {layer: " #m ", label: " #s "}\n"                  \
	"link: {driver: none" rate "}\nrouting: {" more "}\n"
#define SWITCH(m, s, more) SWITCH_AT("", m, s, more)

// A window lasts a fixed number of packet times of the first uplink, of full frames where sizes
// matter. If this uplink needs several slots of the other links for a packet, one slot counts.
// Without rates, or with rates in different units, a window is a number of packets.
TEST(windows_follow_the_rate)
{
	static const struct {
		const char *rest;
		double packet_ns; // 0: counted in packets
	} cases[] = {
		{"link: {driver: none, rate: 500pps}\n", 2e6},
		{"link: {driver: none, rate: 10Mbit}\n", 1230400}, // 1514 + 24 bytes
		{"link: {driver: none, rate: 10Mbit, overhead: 0}\n", 1211200},
		{"link: {driver: none, rate: 10000Gbit}\n", 100},
		{"link: {driver: none, rate: 0.25pps}\n", 1e9},
		{"link: {driver: none, rate: 500pps}\nports: [{name: u0, rate: 1kpps}]\n", 1e6},
		{"link: {driver: none, rate: 500pps}\nports: [{name: d0, rate: 1kpps}]\n", 2e6},
		{"link: {driver: none, rate: 500pps}\nports: [{name: u0, rate: 166.6pps}]\n", 6e6},
		{"link: {driver: none, rate: 500pps, slotted: true}\n"
		 "ports: [{name: u0, rate: 100pps}]\n",
		 2e6},
		{"link: {driver: none}\n", 0},
		{"link: {driver: none, rate: 500pps}\nports: [{name: u1, rate: 1Mbit}]\n", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct drb_scheme_state *s = &w.decide.scheme_state;
		char text[256];
		snprintf(text, sizeof(text),
			 "fabric: {layers: 3, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			 "routing: {scheme: walk}\n%s",
			 cases[i].rest);
		begin(text, 512);
		assert_int_equal(s->timed, cases[i].packet_ns > 0);
		assert_int_equal(spread_of(s->state)->rate > 0, s->timed);
		if (s->timed) {
			const double window =
				(double)spread_of(s->state)->window * (1 << s->tick_shift);
			const double wanted = DRB_SPREAD_WINDOW * cases[i].packet_ns;
			assert_true(window > 0.98 * wanted && window <= wanted);
		}
		end();
	}
}

// A single uplink, or none at all.
TEST(small_switches_spread_nothing)
{
	uint8_t mark;

	begin("fabric: {layers: 2, arity: 1}\nswitch: {layer: 1, label: 0}\nlink: {driver: none}\n"
	      "routing: {scheme: walk}\n",
	      512);
	for (int i = 0; i < 5; i++)
		assert_int_equal(passes(0, 0, 1, 0, &mark), 1);
	assert_int_equal(mark, 0);
	end();
	begin("fabric: {layers: 1, arity: 2}\nswitch: {layer: 1, label: 0}\nlink: {driver: none}\n"
	      "routing: {scheme: walk}\n",
	      512);
	assert_int_equal(passes(0, 0, 3, 0, &mark), 3);
	end();
}

// A slot at rate rho: each host sends to its own destination.
static void slot_of_hosts(double rho, const uint32_t to[4], struct drb_rng *rng, uint8_t *mark)
{
	for (uint32_t host = 0; host < 4; host++) {
		uint8_t none;
		if (drb_rng_unit(rng) >= rho)
			continue;
		passes(4 + host, to[host], host, 0, &none); // an answer: it is not deaf
		passes(host, host, to[host], 0, mark);
	}
	w.egress.now_ns += 2000000;
}

// If all defaults are one uplink, packets are soon marked and take the uplinks in turn. If the
// defaults are disjoint, no packet is marked. The rate is one packet, or one full frame, per slot.
TEST(defaults_that_overflow_are_spread)
{
	static const struct {
		const char *text;
		uint16_t frame_len;
	} switches[] = {
		{SWITCH_AT(", rate: 500pps", 1, 0, "scheme: walk"), 60},
		{SWITCH_AT(", rate: 6152kbit, overhead: 24", 1, 0, "scheme: walk"), 1514},
	};
	static const uint32_t same[4] = {64, 68, 72, 76}, disjoint[4] = {64, 65, 66, 67};

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		struct drb_rng rng = drb_rng_seed(i, 0);
		uint8_t mark = 0;
		begin(switches[i].text, 512);
		frame_len = switches[i].frame_len;
		for (uint32_t slot = 0; slot < 3000; slot++) {
			slot_of_hosts(0.9, disjoint, &rng, &mark);
			assert_int_equal(mark, 0);
		}
		assert_int_equal(w.decide.routing.up_walked, 0);
		for (uint32_t slot = 0; slot < 3 * DRB_SPREAD_WINDOW; slot++)
			slot_of_hosts(0.9, same, &rng, &mark);
		assert_int_equal(mark, 1);
		uint64_t walked = w.decide.routing.up_walked;
		uint32_t count[8] = {0};
		for (uint32_t n = 0; n < 400; n++) {
			uint32_t out = passes(n % 4, n % 4, same[n % 4], 0, &mark);
			assert_int_equal(mark, 1);
			count[out]++;
		}
		for (uint32_t u = 4; u < 8; u++)
			assert_int_equal(count[u], 100);
		assert_int_equal(w.decide.routing.up_walked, walked + 400);
		// Packets that stay below are never marked.
		assert_int_equal(passes(0, 0, 1, 0, &mark), 1);
		assert_int_equal(mark, 0);
		for (uint32_t slot = 0; slot < 5000; slot++)
			slot_of_hosts(0.9, disjoint, &rng, &mark);
		assert_int_equal(mark, 0);
		end();
		frame_len = 60;
	}
}

// Marks of packets from above are heard and answered, in any layer below the top.
TEST(marks_are_heard)
{
	static const char *const switches[] = {SWITCH(1, 0, "scheme: walk"),
					       SWITCH(2, 0, "scheme: walk")};
	const uint32_t all = DRB_SPREAD_HEAR * 4;
	uint8_t mark;

	for (uint32_t layer = 1; layer <= 2; layer++) {
		for (uint32_t few = 0; few <= 1; few++) {
			begin(switches[layer - 1], 512);
			for (uint32_t n = 0; n < all; n++)
				passes(4 + n % 4, 77, n % 4, n < drb_spread_enough(4) - few ? 2 : 0,
				       &mark);
			assert_in_range(passes(1, 1, 77, 0, &mark), 4, 7);
			assert_int_equal(mark, few ? 0 : 3);
			// A smaller distance from below stays.
			if (layer == 2) {
				passes(0, 1, 77, 1, &mark);
				assert_int_equal(mark, 1);
			}
			end();
		}
	}
}

// Marks of packets that a switch sends down, from above or from below, after a packet of distance 1
// from below turned round in it. In layer 1 hosts see no mark.
TEST(marks_go_down)
{
	static const struct {
		const char *text;
		struct {
			uint32_t in, from;
		} first, next; // to host 0
		uint8_t left;
	} cases[] = {
		{SWITCH_AT(", rate: 500pps", 3, 0, "scheme: walk"), {2, 32}, {1, 16}, 1},
		{SWITCH_AT(", rate: 500pps", 2, 0, "scheme: walk"), {1, 5}, {4, 77}, 1},
		{SWITCH_AT(", rate: 500pps", 2, 0, "scheme: walk"), {1, 5}, {2, 9}, 1},
		{SWITCH_AT(", rate: 500pps", 2, 0, "scheme: walk"), {4, 77}, {2, 9}, 0},
		{SWITCH_AT(", rate: 500pps", 1, 0, "scheme: walk"), {4, 77}, {5, 78}, 0},
	};
	uint8_t mark;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint32_t in = cases[i].next.in, from = cases[i].next.from;
		begin(cases[i].text, 512);
		assert_int_equal(passes(in, from, 0, 0, &mark), 0);
		assert_int_equal(mark, 0);
		passes(cases[i].first.in, cases[i].first.from, 0, 1, &mark);
		w.egress.now_ns += 2 * DRB_SPREAD_WINDOW * UINT64_C(2000000);
		passes(in, from, 0, 0, &mark); // the window ends
		for (uint8_t came = 0; came <= DRB_SPREAD_FAR; came++) {
			passes(in, from, 0, came, &mark);
			assert_int_equal(mark, cases[i].left ? cases[i].left
					       : from == 9   ? came
							     : 0);
		}
		end();
	}
}

// With several workers, each sees a part of the switch's packets, and takes that into account.
TEST(workers_are_parts)
{
	for (uint32_t workers = 1; workers <= 2; workers++) {
		char text[192];
		snprintf(text, sizeof(text),
			 "fabric: {layers: 3, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			 "link: {driver: none, rate: 500pps}\nrouting: {scheme: walk}\n"
			 "process: {workers: %" PRIu32 "}\n",
			 workers);
		begin(text, 512);
		assert_int_equal(spread_of(w.decide.scheme_state.state)->hears_all, workers == 1);
		end();
	}
}

// A core ignores the mark of a packet on a detour.
TEST(a_detour_does_not_turn)
{
	for (uint8_t detour = 0; detour <= 2; detour++) {
		uint8_t frame[60];
		struct rte_mbuf *m;
		begin(SWITCH_AT(", rate: 500pps", 3, 0, "scheme: walk"), 512);
		make_frame(frame, sizeof(frame), 32, 0);
		frame[1] ^= detour;
		frame[7] ^= 1;
		m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(&w, 2, &m, 1);
		const struct drb_spread *s = spread_of(w.decide.scheme_state.state);
		assert_int_equal(s->turned || s->remembers > 0, !detour);
		empty_queues();
		end();
	}
}

// A burst is decided at once if no packet waits or is marked, otherwise packet by packet. Both
// count its defaults and obey its marks.
TEST(bursts_count_their_defaults)
{
	enum { BURST = 16 };
	struct drb_rng rng = drb_rng_seed(4, 0);
	uint32_t at_once = 0;

	begin(SWITCH(2, 0, "scheme: walk"), 512);
	for (uint32_t n = 0; n < 400; n++) {
		struct rte_mbuf *m[BURST];
		uint64_t expected[4];
		uint8_t frame[60], marks = 0;
		uint64_t walked = w.decide.routing.up_walked;
		w.egress.open = n % 2;
		if (n % 20 == 10)
			spread_of(w.decide.scheme_state.state)->distance =
				spread_of(w.decide.scheme_state.state)->distance ? 0 : 2;
		drb_scheme_state_tick(&w.decide.scheme_state, w.egress.now_ns); // due judgements
		memcpy(expected, spread_of(w.decide.scheme_state.state)->count, sizeof(expected));
		for (uint32_t i = 0; i < BURST; i++) {
			uint32_t to = 64 + drb_rng_below(&rng, 64), last = n % 3 == 0 && i == 15;
			make_frame(frame, sizeof(frame), 1, to);
			frame[7] ^= last ? 5 : 0;
			marks += last || spread_of(w.decide.scheme_state.state)->distance;
			expected[to / 4 % 4] += UINT64_C(1) << 40 | 1;
			m[i] = mbuf_of(frame, sizeof(frame));
		}
		drb_forward_burst(&w, 1, m, BURST);
		assert_memory_equal(spread_of(w.decide.scheme_state.state)->count, expected,
				    sizeof(expected));
		assert_int_equal(w.decide.routing.up_walked, walked + marks);
		at_once += w.egress.open && !marks;
		empty_queues();
	}
	assert_in_range(at_once, 50, 150);
	end();
}

// Beside a dead uplink, marked packets take the others equally. Defaults count as usual.
TEST(it_walks_beside_a_dead_uplink)
{
	static const char *const of[] = {SWITCH(1, 0, "scheme: walk"),
					 SWITCH(2, 0, "scheme: walk")};

	for (uint32_t layer = 1; layer <= 2; layer++) {
		uint32_t from = layer - 1, count[8] = {0};
		uint8_t mark;
		begin(of[from], 512);
		struct drb_spread *spread = spread_of(w.decide.scheme_state.state);
		drb_links_publish(&w.shared.links, &(struct drb_links){.dead = 1 << 5});
		drb_hellos_read_links(&w);
		spread->distance = 2;
		for (uint32_t n = 0; n < 252; n++)
			count[passes(0, from, 65, layer - 1, &mark)]++;
		assert_int_equal(mark, layer == 1 ? 2 : 1);
		assert_true(count[4] == 84 && count[6] == 84 && count[7] == 84);
		assert_int_equal(w.decide.routing.up_walked, 252);
		assert_int_equal(spread->count[drb_hop_digit(&setup.hop, 65)] >> 40, 252);
		drb_links_publish(&w.shared.links, &(struct drb_links){0});
		drb_hellos_read_links(&w);
		for (uint32_t n = 0; n < 40; n++)
			count[passes(0, from, 65, 0, &mark)]++;
		assert_int_equal(count[5], 10);
		end();
	}
}

TEST(hosts_see_no_marks)
{
	uint8_t mark;

	begin(SWITCH(1, 0, "scheme: walk"), 512);
	for (uint8_t m = 0; m <= DRB_SPREAD_FAR; m++) {
		assert_int_equal(passes(4, 77, 2, m, &mark), 2);
		assert_int_equal(mark, 0);
	}
	end();
	// The second byte of MACs is that of the fabric's prefix.
	begin("fabric: {layers: 3, arity: 4, mac: \"02:0a\"}\nswitch: {layer: 1, label: 0}\n"
	      "link: {driver: none}\nrouting: {scheme: walk}\n",
	      512);
	spread_of(w.decide.scheme_state.state)->distance = 3;
	for (int down = 0; down <= 1; down++) {
		uint8_t frame[60];
		make_frame(frame, sizeof(frame), down ? 77 : 0, down ? 1 : 77);
		frame[1] = 0x0a;
		frame[7] = down ? 0x0b : 0x0a;
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(&w, down ? 5 : 0, &m, 1);
		assert_int_equal(rte_pktmbuf_mtod(m, const uint8_t *)[7], down ? 0x0a : 0x0a ^ 3);
	}
	assert_int_equal(w.egress.queued, 2);
	end();
}

// Hosts see no marks either if the switch itself has another scheme while others still walk. Frames
// that have no mark are unchanged.
TEST(no_scheme_shows_marks)
{
	static const char *const switches[] = {
		SWITCH(1, 0, "scheme: drb"),
		SWITCH(1, 0, "scheme: ecmp, check_source: off"),
		SWITCH(1, 0, "unit: flow, flow_max: 100"),
	};
	uint8_t frame[60], mark;
	struct rte_mbuf *m;

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		begin(switches[i], 512);
		assert_int_equal(drb_assign_init(&w.decide, &setup), 0);
		for (uint32_t host = 0; host < 4; host++) {
			assert_int_equal(passes(4, 77, host, (uint8_t)(1 + 2 * host), &mark), host);
			assert_int_equal(mark, 0);
			assert_int_equal(passes(5, 77, host, 0, &mark), host);
			assert_int_equal(mark, 0);
		}
		assert_int_equal(w.decide.routing.down, 8);
		// A source that belongs to no host, in a fabric that accepts it.
		make_frame(frame, sizeof(frame), 77, 2);
		memset(frame + 6, 0x0f, 6);
		m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(&w, 4, &m, 1);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), frame, sizeof(frame));
		assert_int_equal(w.egress.occupancy[2], 1);
		empty_queues();
		// The same on a detour.
		make_frame(frame, sizeof(frame), 77, 3);
		frame[1] ^= 1;
		frame[7] ^= 1;
		m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(&w, 4, &m, 1);
		assert_int_equal(w.egress.occupancy[3], 1);
		frame[1] ^= 1;
		frame[7] ^= 1;
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), frame, sizeof(frame));
		empty_queues();
		// The host's port is dead.
		drb_links_publish(&w.shared.links, &(struct drb_links){.dead = 4});
		drb_hellos_read_links(&w);
		assert_int_equal(passes(4, 77, 2, 1, &mark), UINT32_MAX);
		assert_int_equal(w.drop[DRB_DROP_port_down], 1);
		end();
	}
}

// Hellos between switches pass unchanged.
TEST(hellos_are_left_alone)
{
	struct rte_mbuf *m;
	uint8_t frame[60];

	begin(SWITCH(1, 0, "scheme: walk"), 512);
	make_frame(frame, sizeof(frame), 0, 0);
	frame[0] |= 1;
	frame[7] = 0x55;
	m = mbuf_of(frame, sizeof(frame));
	struct drb_burst b = {.in = 4, .count = 1, .packets = &m};
	drb_scheme_state_marks(&w.decide.scheme_state, &b);
	assert_memory_equal(rte_pktmbuf_mtod(m, const uint8_t *), frame, sizeof(frame));
	rte_pktmbuf_free(m);
	end();
}

// The source of hellos looks like a host with a mark if the fabric's MACs also begin with 06.
TEST(hellos_arrive)
{
	struct drb_hello hello = {.period_ms = 100, .serial = {1, 1}};
	uint8_t frame[DRB_HELLO_LEN_MAX];
	struct rte_mbuf *m;

	begin("fabric: {layers: 3, arity: 4, mac: \"06:11\"}\nswitch: {layer: 1, label: 0}\n"
	      "link: {driver: none}\n",
	      512);
	hello.fabric = drb_hello_fabric("drb", &setup.tree);
	hello.from = setup.ports[4].peer;
	uint32_t len = drb_hello_encode(&hello, frame);
	assert_int_not_equal(drb_addr_mark(&w.addr, frame + 6), 0);
	m = mbuf_of(frame, len);
	drb_forward_burst(&w, 4, &m, 1);
	assert_int_equal(w.drop[DRB_DROP_bad_hello], 0);
	end();
}

TEST(hosts_cannot_send_marks)
{
	uint8_t mark = 0xff;

	begin(SWITCH(1, 0, "scheme: walk"), 512);
	for (uint32_t m = 1; m < 256; m++)
		assert_int_equal(passes(0, 0, 77, (uint8_t)m, &mark), UINT32_MAX);
	assert_int_equal(mark, 0xff);
	assert_int_equal(w.drop[DRB_DROP_spoofed_source], 255);
	end();
}

// A reload keeps the scheme's state unless scheme, parameters or the rates of uplinks change.
TEST(reloads_keep_the_state)
{
	static const struct {
		const char *rest;
		bool stays;
	} cases[] = {
		{"routing: {scheme: ars}\n", true},
		{"routing: {scheme: ars, threshold: 9, seed: 7}\n", true},
		{"routing: {scheme: ars}\nports: [{name: d0, rate: 100pps}]\n", true},
		{"routing: {scheme: 'ars:max_flows=64'}\n", false},
		{"routing: {scheme: walk}\n", false},
		{"routing: {scheme: ars}\nports: [{name: u1, rate: 100pps}]\n", false},
		{"routing: {scheme: ars}\nports: [{name: u1, rate: 500pps, slotted: true}]\n",
		 true},
	};
	static struct drb_setup to;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_reconfigure change;
		char text[256];
		begin(SWITCH_AT(", rate: 500pps", 1, 0, "scheme: ars"), 512);
		snprintf(text, sizeof(text),
			 "fabric: {layers: 3, arity: 4}\nswitch: {layer: 1, label: 0}\n"
			 "link: {driver: none, rate: 500pps}\n%s",
			 cases[i].rest);
		to = setup_of(text);
		const void *before = w.decide.scheme_state.state;
		assert_int_equal(drb_reconfigure_make(&change, &w, &setup, &to), 0);
		drb_reconfigure_apply(&w, &change);
		drb_reconfigure_free(&change);
		assert_int_equal(w.decide.scheme_state.state == before, cases[i].stays);
		assert_ptr_equal(w.decide.scheme_state.ops, to.choice.ops);
		end();
	}
}

TEST_MAIN(setup_eal, free_eal)
