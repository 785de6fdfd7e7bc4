// SPDX-License-Identifier: BSD-3-Clause
// A whole F(3,2) in memory, with the switches' own forwarding path and real mbufs: packets find
// their way around what is dead and reach their host as they were sent.
#include "fixtures/unit.h"

#include "core/links/port_selection.h"

#include "fixtures/fabric_switches.h"

static struct drb_links ports_of[SWITCHES]; // what each knows, from the next know() on

static void begin(const char *more)
{
	memset(ports_of, 0, sizeof(ports_of));
	begin_fabric(more);
}

static void set_dead(uint32_t n, uint32_t port, bool dead)
{
	uint64_t bit = UINT64_C(1) << port, now = ports_of[n].dead;

	ports_of[n].dead = dead ? now | bit : now & ~bit;
}

static void cut(const struct link *l, bool dead)
{
	set_dead(l->low, l->low_port, dead);
	set_dead(l->high, l->high_port, dead);
}

// Every switch knows its own ports, and those above a switch with one uplink that it has no alternate.
static void know(void)
{
	for (uint32_t n = 0; n < SWITCHES; n++)
		ports_of[n].no_alternate = 0;
	for (uint32_t i = 0; i < LINKS; i++) {
		const struct link *l = &links[i];
		if (ports_of[l->low].dead >> 2)
			ports_of[l->high].no_alternate |= 1u << l->high_port;
	}
	for (uint32_t n = 0; n < SWITCHES; n++) {
		drb_links_publish(&sw[n].published_links, &ports_of[n]);
		drb_hellos_read_links(&sw[n]);
	}
}

static uint32_t shortest(uint32_t from, uint32_t to)
{
	return 2 * drb_distance(&setup[0].tree, from, to) - 1;
}

static const char *const routings[] = {
	"routing: {scheme: drb, threshold: 0}\n",
	"routing: {scheme: dmodk}\n",
	"routing: {scheme: ecmp}\n",
	"routing: {scheme: vlb}\n",
	"routing: {unit: flow, flow_max: 2000}\n",
	"routing: {unit: flowlet, flow_max: 2000}\n",
};

// Every single dead link: everybody is reached, with exactly two hops more where the packet came to
// the link from above, else none.
TEST(every_link)
{
	for (size_t r = 0; r < ARRAY_SIZE(routings); r++) {
		uint64_t detours = 0, begun = 0;
		begin(routings[r]);
		for (uint32_t i = 0; i < LINKS; i++) {
			cut(&links[i], true);
			know();
			for (uint32_t pair = 0; pair < HOSTS * HOSTS; pair++) {
				uint32_t from = pair / HOSTS, to = pair % HOSTS, at;
				if (from == to)
					continue;
				uint32_t extra = travel(from, to, i, &at) - shortest(from, to);
				bool above = drb_hop_below(&sw[links[i].low].hop, to) &&
					     drb_distance(&setup[0].tree, from, to) >
						     setup[links[i].low].layer;
				assert_true(extra == 0 || (extra == 2 && above));
				detours += extra / 2;
			}
			cut(&links[i], false);
			know();
		}
		for (uint32_t n = 0; n < SWITCHES; n++) {
			begun += sw[n].routing.detours_begun;
			assert_int_equal(dropped(&sw[n]), 0);
		}
		assert_true(detours > 0);
		assert_int_equal(begun, detours);
		end_fabric();
	}
}

// While a worker of a switch is stuck nothing goes from there to other switches, which would take it for a sign of
// life; hosts of the same switch reach each other. All is as before when the worker goes on.
TEST(silent_switch)
{
	uint32_t at;

	begin(routings[0]);
	for (uint32_t n = 0; n < 2; n++) {
		setup[n].ports[2].hello_ns = setup[n].ports[3].hello_ns = 100000000;
		drb_worker_configure(&sw[n], &setup[n]);
		for (uint32_t drained = 0; drained < 2; drained++) {
			const uint64_t before = sw[n].drop[DRB_DROP_no_route];
			ports_of[n].dead = ports_of[n].drained = drained << 3;
			know();
			atomic_store(&sw[n].silent, true);
			drb_hellos_read_silence(&sw[n]);
			for (uint32_t again = 0; again < 2; again++) {
				assert_int_equal(travel(2 * n, 15, LINKS, &at), LOST);
				assert_int_equal(travel(2 * n, 2 * n + 1, LINKS, &at), 1);
				know(); // publishes anew
			}
			assert_int_equal(sw[n].drop[DRB_DROP_no_route], before + 2);
			atomic_store(&sw[n].silent, false);
			drb_hellos_read_silence(&sw[n]);
			drb_hellos_read_links(&sw[n]);
			assert_int_equal(travel(2 * n, 15, LINKS, &at), shortest(2 * n, 15));
		}
	}
	end_fabric();
}

// What hellos would bring about: who uses which ports, given what is dead and what is drained.
static void settle(const uint32_t dead[SWITCHES], const uint32_t drained[SWITCHES])
{
	struct drb_port_knowledge known[SWITCHES];
	struct drb_port_selection use[SWITCHES] = {0};
	bool changed = true;

	for (uint32_t n = 0; n < SWITCHES; n++)
		known[n] = (struct drb_port_knowledge){.downs = (1u << sw[n].down_ports) - 1,
						       .ups = n < 16 ? 12 : 0,
						       .dead = dead[n],
						       .drained = drained[n] & ~dead[n]};
	for (uint32_t round = 0; changed; round++) {
		assert_true(round < 10); // they do not go round in circles
		changed = false;
		for (uint32_t n = 0; n < SWITCHES; n++)
			use[n] = drb_select_ports(&known[n]);
		for (uint32_t i = 0; i < LINKS; i++) {
			const struct link *l = &links[i];
			uint64_t bit = 1u << l->high_port, before = known[l->high].asked;
			known[l->high].asked =
				use[l->low].needs >> l->low_port & 1 ? before | bit : before & ~bit;
			changed |= known[l->high].asked != before;
		}
	}
	for (uint32_t n = 0; n < SWITCHES; n++)
		ports_of[n] = (struct drb_links){.dead = use[n].out, .drained = known[n].drained};
	know();
}

static void add_link(uint32_t set[SWITCHES], const struct link *l)
{
	set[l->low] |= 1u << l->low_port;
	set[l->high] |= 1u << l->high_port;
}

static void add_switch(uint32_t set[SWITCHES], uint32_t n)
{
	for (uint32_t i = 0; i < LINKS; i++) {
		if (links[i].low == n || links[i].high == n)
			add_link(set, &links[i]);
	}
}

// How many of all pairs do not reach each other.
static uint32_t pairs_lost(void)
{
	uint32_t lost = 0, at;

	for (uint32_t pair = 0; pair < HOSTS * HOSTS; pair++) {
		uint32_t from = pair / HOSTS, to = pair % HOSTS;
		lost += from != to && travel(from, to, pair, &at) == LOST;
	}
	return lost;
}

// Packets that came by some ports.
static uint64_t came_by(const uint32_t ports[SWITCHES])
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < SWITCHES; n++) {
		for (uint32_t i = 0; i < sw[n].ports; i++)
			sum += ports[n] >> i & 1 ? sw[n].port[i].in_packets : 0;
	}
	return sum;
}

// A link or a switch is drained: no packet comes that way any more, none is lost. Then a link dies
// as well: what is drained takes traffic again where there is no other way. Only of a drained
// switch of layer 2, which is passed by the longest detour as if it were dead, the other one of the
// pod needs its uplinks.
TEST(drained)
{
	begin(routings[0]);
	for (uint32_t k = 0; k < LINKS + 12; k++) {
		uint32_t dead[SWITCHES] = {0}, gone[SWITCHES] = {0};
		uint32_t leaving = k < LINKS ? SWITCHES : 8 + k - LINKS;
		if (k < LINKS)
			add_link(gone, &links[k]);
		else
			add_switch(gone, leaving);
		settle(dead, gone);
		uint64_t before = came_by(gone);
		assert_int_equal(pairs_lost(), 0);
		assert_int_equal(came_by(gone), before);
		for (uint32_t i = 0; i < LINKS; i++) {
			if (leaving < 16 && links[i].low == (leaving ^ 1))
				continue;
			memset(dead, 0, sizeof(dead));
			add_link(dead, &links[i]);
			settle(dead, gone);
			assert_int_equal(pairs_lost(), 0);
		}
	}
	end_fabric();
}

TEST(dead_host_port)
{
	uint32_t at;

	begin("");
	set_dead(3, 1, true);
	know();
	assert_int_equal(travel(0, 7, 1, &at), LOST);
	assert_int_equal(at, 3);
	assert_int_equal(travel(6, 7, 1, &at), LOST);
	assert_int_equal(sw[3].drop[DRB_DROP_port_down], 2);
	assert_int_equal(travel(0, 6, 1, &at), 5);
	end_fabric();
}

TEST(nobody_left)
{
	uint32_t at;

	begin("");
	set_dead(0, 2, true);
	set_dead(0, 3, true);
	know();
	assert_int_equal(travel(0, 2, 1, &at), LOST);
	assert_int_equal(sw[0].drop[DRB_DROP_no_route], 1);
	assert_int_equal(travel(0, 1, 1, &at), 1);
	end_fabric();
}

// Hosts cannot send on detours, whatever they write into a frame.
TEST(hosts_cannot_mark)
{
	uint8_t frame[LEN];
	uint32_t out;

	begin("");
	for (uint32_t mark = 1; mark < 256; mark++) {
		frame_of(frame, 1, 9, 1);
		frame[1] ^= (uint8_t)mark;
		struct rte_mbuf *m = mbuf_of(frame, LEN);
		drb_forward_burst(&sw[0], 1, &m, 1);
		assert_null(sent(&sw[0], &out));
	}
	assert_int_equal(sw[0].drop[DRB_DROP_spoofed_mark], 255);
	// From a switch, a mark that none makes.
	frame_of(frame, 1, 9, 1);
	frame[1] ^= 0x0f;
	struct rte_mbuf *m = mbuf_of(frame, LEN);
	drb_forward_burst(&sw[8], 0, &m, 1);
	assert_int_equal(sw[8].drop[DRB_DROP_not_below], 1);
	end_fabric();
}

// Flows on a dead uplink move to a usable one and stay there; others stay where they are.
TEST(flows_move)
{
	uint8_t frame[LEN];
	uint32_t before[200], out;

	for (size_t r = 4; r < ARRAY_SIZE(routings); r++) {
		begin(routings[r]);
		for (uint32_t round = 0; round < 3; round++) {
			set_dead(0, 2, round == 1);
			know();
			for (uint32_t flow = 0; flow < 200; flow++) {
				frame_of(frame, 0, 8, flow);
				struct rte_mbuf *m = mbuf_of(frame, LEN);
				drb_forward_burst(&sw[0], 0, &m, 1);
				rte_pktmbuf_free(sent(&sw[0], &out));
				if (round == 0)
					before[flow] = out;
				else if (round == 1 || r == 4)
					assert_int_equal(out, 3);
				else
					assert_true(out == 3); // no gap between their packets
			}
			if (round == 0)
				continue;
			for (uint32_t u = 0; u < 2 && r == 4; u++)
				assert_int_equal(sw[0].flows.flows[u], u * 200);
		}
		uint32_t moved = 0;
		for (uint32_t flow = 0; flow < 200; flow++)
			moved += before[flow] == 2;
		assert_true(moved > 0);
		assert_int_equal(sw[0].routing.flows_moved, r == 4 ? moved : 0);
		end_fabric();
	}
}

TEST_MAIN(setup_eal, free_eal)
