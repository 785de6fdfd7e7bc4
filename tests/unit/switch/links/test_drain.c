// SPDX-License-Identifier: BSD-3-Clause
// Tests draining: the ports that take traffic, the flags in hellos of both sides, and refusals.
#include "fixtures/unit.h"

#include "switch/datapath/forward.h"
#include "switch/datapath/transmit.h"
#include "fixtures/hello_switch.h"
#include "switch/links/drain_rules.h"
#include "core/links/port_selection.h"

static char reply[256];

static void drained(const char *port, const char *want)
{
	assert_int_equal(drb_port_order(&w->liveness, DRB_DRAIN, port, reply, sizeof(reply)), 0);
	assert_string_equal(reply, want);
}

static void undrained(const char *port, const char *want)
{
	assert_int_equal(drb_port_order(&w->liveness, DRB_UNDRAIN, port, reply, sizeof(reply)), 0);
	assert_string_equal(reply, want);
}

static void refused(const char *port, const char *want)
{
	assert_true(drb_port_order(&w->liveness, DRB_DRAIN, port, reply, sizeof(reply)) < 0);
	assert_string_equal(reply, want);
	for (uint32_t i = 0; i < PORTS; i++)
		assert_false(w->liveness.port[i].link.drained);
}

static void hear_from(uint32_t port, uint8_t flags)
{
	struct drb_hello h = neighbour_of(port);

	h.flags |= flags;
	receive(w, port, &h);
}

// Begins with hellos of all neighbours at 1 s.
static void begin_heard(uint32_t layer, uint32_t label, const char *more)
{
	begin(layer, label, more);
	turn(1000);
	for (uint32_t i = layer == 1 ? 2 : 0; i < PORTS; i++)
		hear_from(i, 0);
	turn(1000);
	for (uint32_t i = 0; i < PORTS; i++) {
		struct drb_hello h;
		empty(i, &h);
	}
}

// Returns the flags of the last hello that a port sent; it must have sent at least one.
static uint8_t said(uint32_t port)
{
	struct drb_hello h = {0};

	assert_true(empty(port, &h) > 0);
	return h.flags & ~(DRB_HELLO_HEARS | DRB_HELLO_NEWS);
}

static const char *state_text(uint32_t port)
{
	drb_worker_take_snapshot(w);
	return drb_liveness_state(&w->shared.snapshot.live[port]);
}

TEST(one_port)
{
	begin_heard(2, 5, "");
	drained("u1", "drained now: u1");
	turn(1001);
	assert_int_equal(w->links.dead, 8);
	assert_int_equal(w->links.ports.usable, 7);
	assert_int_equal(w->links.drained, 8);
	assert_int_equal(said(3), DRB_HELLO_DRAINED | DRB_HELLO_NO_ALTERNATE); // at once
	assert_int_equal(said(2), DRB_HELLO_NO_ALTERNATE);
	assert_string_equal(state_text(3), "drained");
	drained("u1", "drained now: u1");
	*reply = '\0';
	assert_int_equal(
		drb_liveness_trouble(&setup, w->shared.snapshot.live, reply, sizeof(reply)), 3);
	assert_string_equal(reply, "u1 drained");
	// A drained port still receives hellos. A reload does not change it, nor does turning
	// hellos off and on.
	hear_from(3, 0);
	drb_hellos_set(w, &setup);
	turn(1100);
	assert_int_equal(w->links.dead, 8);
	setup.ports[3].hello_ns = 0;
	drb_hellos_set(w, &setup);
	turn(1101);
	assert_int_equal(w->links.dead, 8);
	setup.ports[3].hello_ns = 100 * MS;
	drb_hellos_set(w, &setup);
	turn(1102);
	assert_int_equal(w->links.dead, 8);
	for (uint32_t i = 0; i < PORTS; i++)
		hear_from(i, 0);
	assert_int_equal(w->links.dead, 8);
	turn(1200);
	said(3);
	undrained("u1", "nothing is drained now");
	turn(1201);
	assert_int_equal(w->links.dead | w->links.drained, 0);
	assert_string_equal(state_text(3), "up");
	assert_int_equal(said(3), 0);
	end();
}

// A drain by the neighbour's operator has the same effect as a drain by ours.
TEST(by_neighbour)
{
	begin_heard(2, 5, "");
	hear_from(0, DRB_HELLO_DRAINED);
	hear_from(2, DRB_HELLO_DRAINED);
	assert_int_equal(w->links.dead, 5);
	assert_string_equal(state_text(0), "drained by neighbour");
	hear_from(0, 0);
	hear_from(2, 0);
	assert_int_equal(w->links.dead, 0);
	end();
}

static void is_queued(uint32_t in, uint32_t to, uint32_t out)
{
	uint8_t frame[60];
	struct rte_mbuf *m;

	make_frame(frame, sizeof(frame), in < 2 ? 8 + in : 0, to);
	m = mbuf_of(frame, sizeof(frame));
	drb_forward_burst(w, in, &m, 1);
	assert_int_equal(drb_egress_length(&w->egress.queue[out]), 1);
}

// Asserts that a packet which arrived before the neighbours knew of the drain is still forwarded.
static void passes(uint32_t in, uint32_t to, uint32_t out)
{
	struct rte_mbuf *m;
	uint32_t one = 1;

	is_queued(in, to, out);
	m = *(struct rte_mbuf **)drb_egress_front(&w->egress.queue[out], &one);
	drb_egress_pop(&w->egress.queue[out], 1, m->pkt_len, w->egress.now_ns);
	w->egress.occupancy[out]--;
	w->egress.queued--;
	rte_pktmbuf_free(m);
}

TEST(whole_switch)
{
	begin_heard(2, 5, ""); // hosts 8 to 11 are below it
	drained(NULL, "drained now: d0 d1 u0 u1");
	turn(1001);
	assert_int_equal(w->links.drained, 0xf);
	for (uint32_t i = 0; i < PORTS; i++) {
		assert_int_equal(said(i), DRB_HELLO_DRAINED);
		assert_string_equal(state_text(i), "drained");
	}
	for (uint32_t host = 8; host < 12; host++) {
		passes(2, host, (host - 8) / 2);
		passes(3, host, (host - 8) / 2);
	}
	for (uint32_t in = 0; in < 2; in++) {
		passes(in, 0, 2);
		passes(in, 2, 3);
	}
	assert_int_equal(w->drop[DRB_DROP_no_route], 0);
	undrained("d0", "drained now: d1 u0 u1");
	undrained(NULL, "nothing is drained now");
	turn(1002);
	assert_int_equal(w->links.dead | w->links.drained, 0);
	end();
}

// A switch below that has lost its other uplink is still served, and uplinks are kept for it.
TEST(needed)
{
	begin_heard(2, 5, "");
	drained(NULL, "drained now: d0 d1 u0 u1");
	turn(1001);
	assert_int_equal(w->links.dead, 0);
	for (uint32_t i = 0; i < PORTS; i++)
		said(i);
	hear_from(1, DRB_HELLO_NEEDS_UPSTREAM);
	turn(1002);
	assert_int_equal(w->links.dead, 1);
	assert_string_equal(state_text(0), "drained");
	assert_string_equal(state_text(1), "drained, still needed");
	for (uint32_t i = 2; i < PORTS; i++) {
		assert_int_equal(said(i), DRB_HELLO_DRAINED | DRB_HELLO_NEEDS_UPSTREAM);
		assert_string_equal(state_text(i), "drained, still needed");
	}
	assert_int_equal(drb_port_order(&w->liveness, DRB_DOWN, "u0", reply, sizeof(reply)), 0);
	assert_string_equal(state_text(2), "down"); // at once, without waiting for silence
	assert_int_equal(drb_port_order(&w->liveness, DRB_UP, "u0", reply, sizeof(reply)), 0);
	hear_from(1, 0);
	turn(1003);
	assert_int_equal(w->links.dead, 0);
	assert_int_equal(said(2), DRB_HELLO_DRAINED);
	assert_string_equal(state_text(1), "drained");
	end();
}

// If both uplinks of a layer-1 switch, which has hosts below, are drained, they are still used.
TEST(hosts_are_never_cut)
{
	begin_heard(1, 5, "");
	hear_from(2, DRB_HELLO_DRAINED);
	hear_from(3, DRB_HELLO_DRAINED);
	turn(1001);
	assert_int_equal(w->links.dead, 0);
	assert_string_equal(state_text(2), "drained by neighbour, still needed");
	assert_int_equal(said(2), DRB_HELLO_NEEDS_UPSTREAM);
	hear_from(3, 0);
	turn(1002);
	assert_int_equal(w->links.dead, 4);
	assert_int_equal(said(2), DRB_HELLO_NO_ALTERNATE);
	end();
}

TEST(what_is_refused)
{
	begin_heard(1, 5, "");
	refused(NULL, "not drained: its hosts have no other path");
	refused("d1", "d1 not drained: h11 has no other path");
	refused("d2", "no port 'd2'");
	refused("", "no such port: they are d0, u0 and so on");
	hear_from(2, DRB_HELLO_DRAINED);
	refused("u1", "u1 not drained: no other uplink is in use");
	drained("u0", "drained now: u0"); // the neighbour's drain has already taken it out of use
	end();
	begin_heard(2, 5, "");
	hear_from(1, DRB_HELLO_NO_ALTERNATE);
	refused("d1", "d1 not drained: s1-5 has no other uplink in use");
	refused(NULL, "d1 not drained: s1-5 has no other uplink in use");
	drained("d0", "drained now: d0");
	end();
	begin(2, 5, "");
	turn(1000);
	refused("d2", "no port 'd2'");
	refused("d0", "d0 not drained: s1-4 sends no hello and would not know");
	setup.ports[1].hello_ns = 0;
	drb_hellos_set(w, &setup);
	turn(1001);
	refused("d1", "d1 not drained: hello is off, s1-5 would not know");
	end();
}

// A port that is down by order behaves as if its cable were cut, whatever it leads to. It ignores
// hellos of the neighbour.
TEST(down)
{
	struct drb_hello h;
	uint64_t next_ns;

	begin_heard(2, 5, "");
	assert_int_equal(drb_port_order(&w->liveness, DRB_DOWN, "u1", reply, sizeof(reply)), 0);
	assert_string_equal(reply, "down by order now: u1");
	turn(1001);
	assert_string_equal(state_text(3), "down");
	assert_int_equal(w->links.dead, 0);
	is_queued(0, 2, 3);
	drb_transmit(w, &next_ns);
	assert_int_equal(w->port[3].lost, 1);
	assert_int_equal(w->drop[DRB_DROP_port_down], 1);
	empty(3, &h);
	for (uint32_t ms = 1100; ms <= 1400; ms += 100) {
		for (uint32_t i = 0; i < PORTS; i++)
			hear_from(i, 0);
		turn(ms);
	}
	says("port u1: down by order (to s3-3.d2)");
	assert_int_equal(w->links.dead, 8);
	assert_int_equal(empty(3, &h), 0);
	drb_worker_take_snapshot(w);
	assert_int_equal(w->shared.snapshot.live[3].hellos_in, 1); // before
	*reply = '\0';
	assert_int_equal(
		drb_liveness_trouble(&setup, w->shared.snapshot.live, reply, sizeof(reply)), 3);
	assert_string_equal(reply, "u1 down by order");
	assert_int_equal(drb_port_order(&w->liveness, DRB_DOWN, "d7", reply, sizeof(reply)),
			 -EINVAL);
	assert_string_equal(reply, "no port 'd7'");
	assert_int_equal(drb_port_order(&w->liveness, DRB_UP, NULL, reply, sizeof(reply)), 0);
	assert_string_equal(reply, "nothing is down by order now");
	turn(1500);
	turn(1600);
	assert_true(empty(3, &h) >= 1);
	hear_from(3, 0);
	turn(1601);
	assert_string_equal(state_text(3), "up");
	assert_int_equal(w->links.dead, 0);
	end();
}

// A port without hellos is out of use at once, whatever was ordered before: no neighbour could
// notice its silence.
TEST(down_without_hellos)
{
	begin_heard(2, 5, "");
	drained("u1", "drained now: u1");
	for (uint32_t i = 2; i < PORTS; i++)
		setup.ports[i].hello_ns = 0;
	drb_hellos_set(w, &setup);
	assert_int_equal(drb_port_order(&w->liveness, DRB_DOWN, "u0", reply, sizeof(reply)), 0);
	turn(1001);
	assert_int_equal(w->links.dead, 4); // u1 is the last way up
	assert_int_equal(drb_port_order(&w->liveness, DRB_DOWN, "u1", reply, sizeof(reply)), 0);
	turn(1002);
	assert_int_equal(w->links.dead, 12);
	assert_string_equal(state_text(3), "down");
	assert_int_equal(drb_port_order(&w->liveness, DRB_UP, NULL, reply, sizeof(reply)), 0);
	turn(1003);
	assert_int_equal(w->links.dead, 8);
	end();
}

// The selection follows the rules in the header for any state of four ports.
TEST(every_use)
{
	for (uint32_t n = 0; n < 1u << 10; n++) {
		struct drb_port_knowledge k = {.downs = 3, .ups = 12, .asked = n >> 8 & 3};
		for (uint32_t i = 0; i < PORTS; i++) {
			uint32_t s = n >> 2 * i & 3;
			k.dead |= (uint32_t)(s == 1) << i;
			k.drained |= (uint32_t)(s == 2) << i;
		}
		struct drb_port_selection u = drb_select_ports(&k);
		assert_int_equal(u.out & k.dead, k.dead);
		assert_int_equal(u.out & ~(k.dead | k.drained), 0);
		assert_int_equal(u.needed & ~k.drained, 0);
		assert_int_equal(u.needed & u.out, 0);
		uint64_t out = k.dead | (k.drained & ~k.asked);
		bool up = (k.dead | k.drained) >> 2 != 3, down = (out & 3) != 3;
		assert_int_equal(u.out & 3, up || down ? out & 3 : k.dead & 3);
		assert_int_equal(u.out >> 2, (up ? k.dead | k.drained : k.dead) >> 2);
		assert_int_equal(u.needs, down && !up ? k.drained & 12 : 0);
	}
}

TEST_MAIN(setup_rings, free_eal)
