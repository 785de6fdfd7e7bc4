// SPDX-License-Identifier: BSD-3-Clause
// Hellos of a switch on real devices, which are rings that the test fills and empties: hellos sent,
// hellos received, and the ports in use. The test sets the time.
#include "fixtures/unit.h"

#include "switch/datapath/transmit.h"
#include "fixtures/hello_switch.h"

TEST(said_to_switches_only)
{
	struct drb_hello h;

	begin(1, 5, "");
	for (uint64_t ms = 1000; ms < 2000; ms++)
		turn(ms);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(empty(i, &h), 0); // hosts
	for (uint32_t i = 2; i < PORTS; i++) {
		assert_int_equal(empty(i, &h), 10);
		assert_int_equal(h.from.layer, 1);
		assert_int_equal(h.from.label, 5);
		assert_int_equal(h.from.port, i - 2);
		assert_true(h.from.up);
		assert_int_equal(h.period_ms, 100);
		assert_int_equal(h.flags, 0); // no hello has arrived
		assert_int_equal(w->liveness.port[i].hellos_out, 10);
	}
	assert_int_equal(w->links.dead, 0);
	nothing_counted();
	end();
}

TEST(heard_and_lost)
{
	struct drb_hello h;

	begin(2, 5, "");
	turn(1000);
	for (uint32_t i = 0; i < PORTS; i++) {
		hear(i);
		assert_int_equal(state_of(i), DRB_LINK_UP);
		assert_int_equal(w->shared.snapshot.live[i].hellos_in, 1);
	}
	nothing_counted();
	turn(1100);
	for (uint32_t i = 0; i < PORTS; i++) {
		empty(i, &h);
		assert_int_equal(h.flags, DRB_HELLO_HEARS | DRB_HELLO_NEWS);
	}
	// u1 falls silent. Its state changes at the deadline, not only when the next hello is sent.
	for (uint64_t ms = 1101; ms <= 1320; ms++) {
		turn(ms);
		for (uint32_t i = 0; i < 3 && ms % 100 == 0; i++)
			hear(i);
		assert_int_equal(state_of(3), DRB_LINK_UP);
	}
	assert_int_equal(w->liveness.due_ns, 1320 * MS + 1);
	turn(1321);
	assert_int_equal(state_of(3), DRB_LINK_DOWN);
	says("port u1: down, no hello from s3-3.d2");
	assert_int_equal(w->links.dead, 8);
	assert_int_equal(w->links.ports.usable, 7);
	// One uplink is left: switches below learn of it at once. It does not concern switches
	// above.
	turn(1321);
	for (uint32_t i = 0; i < PORTS; i++)
		empty(i, &h);
	turn(1400);
	assert_int_equal(empty(2, &h), 1);
	assert_int_equal(h.flags, DRB_HELLO_HEARS | DRB_HELLO_NO_ALTERNATE);
	assert_int_equal(empty(3, &h), 1);
	assert_int_equal(h.flags, DRB_HELLO_NO_ALTERNATE);
	hear(3);
	assert_int_equal(state_of(3), DRB_LINK_UP);
	says("port u1: up again");
	assert_int_equal(w->links.dead, 0);
	end();
}

TEST(miswired_names_the_cable)
{
	char text[160];
	struct drb_hello h;

	begin(2, 5, "");
	turn(1000);
	h = neighbour_of(2);
	receive(w, 3, &h);
	assert_int_equal(state_of(3), DRB_LINK_MISWIRED);
	says("port u1: miswired, not used: move the far end of its cable from s3-1.d2 to s3-3.d2");
	assert_int_equal(w->links.dead, 8);
	*text = '\0';
	assert_int_equal(drb_liveness_trouble(&setup, w->shared.snapshot.live, text, sizeof(text)),
			 3);
	assert_string_equal(text, "u1 miswired: move s3-1.d2 to s3-3.d2");
	*text = '\0';
	assert_int_equal(drb_liveness_trouble(&setup, w->shared.snapshot.live, text, 12), 3);
	assert_string_equal(text, "u1 miswired");
	end();
}

TEST(refused)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];
	struct drb_hello h;
	struct rte_mbuf *m;

	begin(1, 0, "");
	turn(1000);
	h = neighbour_of(2);
	receive(w, 0, &h); // a host
	assert_int_equal(w->drop[DRB_DROP_hello_from_host], 1);
	uint32_t len = drb_hello_encode(&h, frame);
	frame[18] = 1; // of another version
	m = mbuf_of(frame, len);
	drb_forward_burst(w, 2, &m, 1);
	assert_int_equal(w->drop[DRB_DROP_hello_version], 1);
	frame[18] = DRB_HELLO_VERSION;
	m = mbuf_of(frame, len - 1);
	drb_forward_burst(w, 2, &m, 1);
	assert_int_equal(w->drop[DRB_DROP_bad_hello], 1);
	for (uint32_t i = 0; i < PORTS; i++)
		assert_int_equal(state_of(i), DRB_LINK_UNKNOWN);
	assert_int_equal(w->port[0].in_packets, w->port[0].in_discards);
	assert_int_equal(w->port[2].in_packets, 2);
	assert_int_equal(w->port[2].in_discards, 2);
	assert_int_equal(w->port[2].in_octets, 2 * len - 1);
	end();
}

// A switch that did not read hellos for a second does not take all neighbours for dead.
TEST(late_looks_are_excused)
{
	begin(2, 0, "");
	turn(1000);
	hear_all();
	turn(5000);
	assert_int_equal(w->links.dead, 0);
	for (uint64_t ms = 5001; ms < 5321; ms++)
		turn(ms);
	assert_int_equal(w->links.dead, 0xf);
	// The same holds if a check was requested meanwhile.
	hear_all();
	turn(5400);
	assert_int_equal(w->links.dead, 0);
	drb_liveness_look(&w->liveness);
	turn(9000);
	assert_int_equal(w->links.dead, 0);
	end();
}

// Counts the hellos that ports 2 and 3 send in this time, while all neighbours send one every 100
// ms. Returns the flags of the last hello of port 2.
static uint8_t said_until(uint64_t from_ms, uint64_t to_ms, uint32_t sent[PORTS])
{
	struct drb_hello h = {0};

	sent[2] = sent[3] = 0;
	for (uint64_t ms = from_ms; ms < to_ms; ms++) {
		turn(ms);
		if (ms % 100 == 0)
			hear_all();
		sent[3] += empty(3, &h);
		sent[2] += empty(2, &h);
	}
	return h.flags;
}

TEST(at_rest)
{
	uint8_t frame[60];
	uint32_t sent[PORTS];

	begin(2, 5, "");
	assert_int_equal(said_until(1000, 1001, sent), DRB_HELLO_NEWS);
	assert_int_equal(said_until(1001, 1101, sent), DRB_HELLO_HEARS | DRB_HELLO_NEWS);
	assert_int_equal(said_until(1101, 1201, sent), DRB_HELLO_HEARS);
	assert_false(w->shared.rests);
	said_until(1201, 2201, sent);
	assert_true(w->shared.rests);
	assert_int_equal(said_until(2201, 4201, sent), DRB_HELLO_HEARS | DRB_HELLO_RESTS);
	assert_true(sent[2] == 12 && sent[3] == 12);
	// A packet at one port: that port sends hellos at the usual rate for a second.
	make_frame(frame, sizeof(frame), 0, 10);
	struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
	drb_forward_burst(w, 2, &m, 1);
	assert_int_equal(said_until(4201, 4401, sent), DRB_HELLO_HEARS);
	assert_false(w->shared.rests);
	said_until(4401, 5001, sent);
	assert_true(sent[2] == 6 && sent[3] == 3);
	assert_int_equal(said_until(5001, 6001, sent), DRB_HELLO_HEARS | DRB_HELLO_RESTS);
	assert_true(w->shared.rests);
	drb_transmit_free(w, 0);
	w->egress.occupancy[0] = w->egress.queued = 0;
	end();
}

// Worker 1 receives, worker 0 decides, and both know the result.
TEST(handed_over)
{
	struct drb_worker *other = &all.worker[1];
	struct drb_hello h;

	begin(2, 5, "process: {workers: 2}\n");
	turn(1000);
	assert_false(drb_hellos_waiting(w));
	h = neighbour_of(2);
	receive(other, 3, &h);
	h = neighbour_of(0);
	h.flags |= DRB_HELLO_NO_ALTERNATE;
	receive(other, 0, &h);
	assert_true(drb_hellos_waiting(w));
	assert_int_equal(state_of(3), DRB_LINK_UNKNOWN);
	turn(1001);
	assert_false(drb_hellos_waiting(w));
	assert_int_equal(state_of(3), DRB_LINK_MISWIRED);
	assert_int_equal(state_of(0), DRB_LINK_UP);
	assert_int_equal(other->links.dead, 0);
	drb_hellos_read_links(other);
	assert_int_equal(other->links.dead, 8);
	assert_int_equal(other->links.ports.usable, 7);
	assert_int_equal(other->links.ports.no_alternate, 1);
	nothing_counted();
	// Hellos that were handed over and never read are freed with the switch.
	receive(other, 3, &h);
	end();
}

// Hellos are off, which is the default on a benchmark device: none are sent, and received ones
// change nothing.
TEST(off)
{
	struct drb_hello h;

	setup = setup_of("fabric: {layers: 3, arity: 2}\nswitch: {layer: 2, label: 0}\n"
			 "link: {driver: vdev}\nports:\n  - {name: d0, device: a}\n"
			 "  - {name: d1, device: b}\n  - {name: u0, device: c}\n"
			 "  - {name: u1, device: d, hello: off}\n");
	assert_int_equal(drb_workers_init(&all, &setup), 0);
	assert_int_equal(drb_workers_attach(&all, &port_set, &setup), 0);
	turn(1000);
	assert_true(w->liveness.due_ns == UINT64_MAX);
	h = neighbour_of(0);
	receive(w, 3, &h);
	assert_int_equal(w->links.dead, 0);
	nothing_counted();
	for (uint32_t i = 0; i < PORTS; i++)
		assert_int_equal(empty(i, &h), 0);
	end();
}

// The period changes while the switch runs: another value, off, and on again.
TEST(set_anew)
{
	struct drb_hello h;

	begin(2, 5, "");
	turn(1000);
	h = neighbour_of(3);
	receive(w, 3, &h);
	receive(w, 2, &h); // miswired
	assert_int_equal(w->links.dead, 4);
	empty(3, &h);
	setup.ports[3].hello_ns = 20 * MS;
	setup.ports[2].hello_ns = 0;
	drb_hellos_set(w, &setup);
	for (uint64_t ms = 1001; ms <= 1100; ms++)
		turn(ms);
	assert_int_equal(empty(3, &h), 6); // at once, then at multiples of 20 ms
	assert_int_equal(h.period_ms, 20);
	assert_int_equal(empty(2, &h), 1);
	const uint64_t said = h.serial.number;
	assert_int_equal(w->links.dead, 0);
	setup.ports[2].hello_ns = 100 * MS;
	drb_hellos_set(w, &setup);
	turn(1101);
	assert_int_equal(state_of(2), DRB_LINK_UNKNOWN);
	assert_int_equal(empty(2, &h), 1);
	// A neighbour would refuse a number that it has seen.
	assert_int_equal(h.serial.number, said + 1);
	end();
}

// Data is a sign of life of a neighbour whose hellos are lost, until it stops.
TEST(data_is_life)
{
	uint8_t frame[60];

	begin(2, 5, "");
	turn(1000);
	hear_all();
	make_frame(frame, sizeof(frame), 0, 10); // host 10 is below
	for (uint64_t ms = 1001; ms <= 1900; ms++) {
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		turn(ms);
		drb_forward_burst(w, 2, &m, 1);
		if (ms < 1300) {
			m = mbuf_of(frame, sizeof(frame));
			frame[0] = 0x0a; // of no fabric: a dropped frame is not a sign of life
			memcpy(rte_pktmbuf_mtod(m, uint8_t *), frame, sizeof(frame));
			drb_forward_burst(w, 3, &m, 1);
			frame[0] = 0x02;
		}
	}
	assert_int_equal(state_of(2), DRB_LINK_UP);
	assert_int_equal(state_of(3), DRB_LINK_DOWN);
	for (uint64_t ms = 1901; ms <= 2221; ms++)
		turn(ms);
	assert_int_equal(state_of(2), DRB_LINK_DOWN);
	drb_transmit_free(w, 0);
	w->egress.occupancy[0] = w->egress.queued = 0;
	end();
}

static bool (*send_really)(void *context, uint32_t port, const uint8_t *frame, uint32_t len);
static uint32_t tries, taken_every, longest_taken;

static bool send_seldom(void *context, uint32_t port, const uint8_t *frame, uint32_t len)
{
	return ++tries % taken_every == 0 && len <= longest_taken &&
	       send_really(context, port, frame, len);
}

// Counts the hellos, and long ones among them, that leave by u0 within two seconds. u0 accepts each
// `every`th, and none longer than `longest`.
static uint32_t sent_within_two_seconds(uint32_t every, uint32_t longest, uint32_t *are_long)
{
	uint32_t sent = 0;
	struct drb_hello h;

	begin(1, 5, "");
	send_really = w->liveness.io.send;
	w->liveness.io.send = send_seldom;
	w->liveness.port[3].hello_due_ns = UINT64_MAX; // u1 sends none
	tries = *are_long = 0;
	taken_every = every;
	longest_taken = longest;
	for (uint64_t ms = 1000; ms < 3000; ms++) {
		turn(ms);
		if (empty(2, &h) == 0)
			continue;
		sent++;
		*are_long += h.serial.number % DRB_HELLO_LONG_EVERY == 0;
	}
	w->liveness.io.send = send_really;
	end();
	return sent;
}

// A port that is full most of the time: whichever attempt succeeds, long hellos are among them. A
// port that accepts no long hellos continues to send short ones.
TEST(tried_again)
{
	uint32_t are_long;

	for (uint32_t every = 1; every <= 8; every++) {
		assert_int_equal(sent_within_two_seconds(every, UINT32_MAX, &are_long), 20);
		assert_int_equal(are_long, 5);
	}
	assert_true(sent_within_two_seconds(1, 200, &are_long) >= 14);
	assert_int_equal(are_long, 0);
}

TEST_MAIN(setup_rings, free_eal)
