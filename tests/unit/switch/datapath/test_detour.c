// SPDX-License-Identifier: BSD-3-Clause
// A whole F(3,2) in memory, with the switches' own forwarding path and real mbufs. Packets take
// detours around dead links and reach their host unchanged.
#include "fixtures/unit.h"

#include "fixtures/fabric_switches.h"

static struct drb_links ports_of[SWITCHES]; // what each switch knows from the next know() on

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

// Every switch knows its own ports. A switch above one with a single uplink knows that it has no
// alternate.
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
		drb_links_publish(&sw[n].shared.links, &ports_of[n]);
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

// Every single dead link: every host is reached. The path has exactly two more hops if the packet
// reached the link from above, and otherwise none.
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
			begun += sw[n].decide.routing.detours_begun;
			assert_int_equal(dropped(&sw[n]), 0);
		}
		assert_true(detours > 0);
		assert_int_equal(begun, detours);
		end_fabric();
	}
}

// While a worker of a switch is stuck, its switch sends nothing to other switches, which would take
// it for a sign of life. Hosts of the same switch reach each other. Afterwards all is as before.
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
			atomic_store(&sw[n].shared.silent, true);
			drb_hellos_read_silence(&sw[n]);
			for (uint32_t again = 0; again < 2; again++) {
				assert_int_equal(travel(2 * n, 15, LINKS, &at), LOST);
				assert_int_equal(travel(2 * n, 2 * n + 1, LINKS, &at), 1);
				know(); // publishes again
			}
			assert_int_equal(sw[n].drop[DRB_DROP_no_route], before + 2);
			atomic_store(&sw[n].shared.silent, false);
			drb_hellos_read_silence(&sw[n]);
			drb_hellos_read_links(&sw[n]);
			assert_int_equal(travel(2 * n, 15, LINKS, &at), shortest(2 * n, 15));
		}
	}
	end_fabric();
}

// One uplink is dead and the other one drained: the drained one is used rather than losing the
// packet.
TEST(drained_rather_than_lost)
{
	uint32_t at;

	begin("");
	ports_of[0] = (struct drb_links){.dead = 3 << 2, .drained = 1 << 3};
	know();
	assert_int_equal(travel(0, 15, LINKS, &at), shortest(0, 15));
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
	// A frame from a switch with a mark that no switch makes.
	frame_of(frame, 1, 9, 1);
	frame[1] ^= 0x0f;
	struct rte_mbuf *m = mbuf_of(frame, LEN);
	drb_forward_burst(&sw[8], 0, &m, 1);
	assert_int_equal(sw[8].drop[DRB_DROP_not_below], 1);
	end_fabric();
}

// Flows on a dead uplink move to a usable one and stay there; other flows do not move.
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
				assert_int_equal(sw[0].decide.flows.flows[u], u * 200);
		}
		uint32_t moved = 0;
		for (uint32_t flow = 0; flow < 200; flow++)
			moved += before[flow] == 2;
		assert_true(moved > 0);
		assert_int_equal(sw[0].decide.routing.flows_moved, r == 4 ? moved : 0);
		end_fabric();
	}
}

TEST_MAIN(setup_eal, free_eal)
