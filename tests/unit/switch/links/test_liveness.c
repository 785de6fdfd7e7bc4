// SPDX-License-Identifier: BSD-3-Clause
// Hellos of a switch on real devices (rings that the test fills and empties): what is said, what
// is heard, and which ports are used. Time is the test's.
#include "fixtures/unit.h"

#include <sys/stat.h>

#include "common/cli/clock.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/transmit.h"
#include "fixtures/hello_switch.h"

#include "common/cli/log.h"

static void says(const char *what)
{
	if (!strstr(drb_msg_last(), what))
		fail_msg("said \"%s\", not \"%s\"", drb_msg_last(), what);
}

static void said_to_switches_only(void **state)
{
	struct drb_hello h;

	(void)state;
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
		assert_int_equal(h.flags, 0); // nobody was heard
		assert_int_equal(w->liveness.hellos_out[i], 10);
	}
	assert_int_equal(w->dead, 0);
	nothing_counted();
	end();
}

static void heard_and_lost(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	for (uint32_t i = 0; i < PORTS; i++) {
		h = neighbour_of(i);
		receive(w, i, &h);
		assert_int_equal(state_of(i), DRB_LINK_UP);
		assert_int_equal(w->snapshot.live[i].hellos_in, 1);
	}
	nothing_counted();
	turn(1100);
	for (uint32_t i = 0; i < PORTS; i++) {
		empty(i, &h);
		assert_int_equal(h.flags, DRB_HELLO_HEARS);
	}
	// u1 falls silent; the deadline is met without waiting for the next hello to be said.
	for (uint64_t ms = 1101; ms <= 1320; ms++) {
		turn(ms);
		for (uint32_t i = 0; i < 3 && ms % 100 == 0; i++) {
			h = neighbour_of(i);
			receive(w, i, &h);
		}
		assert_int_equal(state_of(3), DRB_LINK_UP);
	}
	assert_int_equal(w->liveness.due_ns, 1320 * MS + 1);
	turn(1321);
	assert_int_equal(state_of(3), DRB_LINK_DOWN);
	says("port u1: down, no hello from s3-3.d2");
	assert_int_equal(w->dead, 8);
	assert_int_equal(w->links.usable, 7);
	// One uplink is left: those below are told at once. Above nothing depends on it.
	turn(1321);
	for (uint32_t i = 0; i < PORTS; i++)
		empty(i, &h);
	turn(1400);
	assert_int_equal(empty(2, &h), 1);
	assert_int_equal(h.flags, DRB_HELLO_HEARS | DRB_HELLO_NO_ALTERNATE);
	assert_int_equal(empty(3, &h), 1);
	assert_int_equal(h.flags, DRB_HELLO_NO_ALTERNATE);
	h = neighbour_of(3);
	receive(w, 3, &h);
	assert_int_equal(state_of(3), DRB_LINK_UP);
	says("port u1: up again");
	assert_int_equal(w->dead, 0);
	end();
}

static void miswired_names_the_cable(void **state)
{
	char text[160];
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	h = neighbour_of(2);
	receive(w, 3, &h);
	assert_int_equal(state_of(3), DRB_LINK_MISWIRED);
	says("port u1: miswired, not used: move the far end of its cable from s3-1.d2 to s3-3.d2");
	assert_int_equal(w->dead, 8);
	assert_int_equal(drb_liveness_trouble(&setup, w->snapshot.live, text, sizeof(text)), 3);
	assert_string_equal(text, "u1 miswired: move s3-1.d2 to s3-3.d2");
	assert_int_equal(drb_liveness_trouble(&setup, w->snapshot.live, text, 12), 3);
	assert_string_equal(text, "u1 miswired");
	end();
}

static void refused(void **state)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];
	struct drb_hello h;
	struct rte_mbuf *m;

	(void)state;
	begin(1, 0, "");
	turn(1000);
	h = neighbour_of(2);
	receive(w, 0, &h); // a host
	assert_int_equal(w->drop[DRB_DROP_hello_from_host], 1);
	uint32_t len = drb_hello_encode(&h, frame);
	frame[18] = 1; // of another version
	m = mbuf_of(frame, len);
	drb_forward_burst(w, 2, &m, 1);
	assert_int_equal(w->drop[DRB_DROP_bad_hello], 1);
	m = mbuf_of(frame, len - 1);
	drb_forward_burst(w, 2, &m, 1);
	assert_int_equal(w->drop[DRB_DROP_bad_hello], 2);
	for (uint32_t i = 0; i < PORTS; i++)
		assert_int_equal(state_of(i), DRB_LINK_UNKNOWN);
	assert_int_equal(w->port[0].in_packets, w->port[0].in_discards);
	assert_int_equal(w->port[2].in_packets, 2);
	assert_int_equal(w->port[2].in_discards, 2);
	end();
}

// Who did not look for a second does not take everybody for dead.
static void late_looks_are_excused(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 0, "");
	turn(1000);
	for (uint32_t i = 0; i < PORTS; i++) {
		h = neighbour_of(i);
		receive(w, i, &h);
	}
	turn(5000);
	assert_int_equal(w->dead, 0);
	for (uint64_t ms = 5001; ms < 5321; ms++)
		turn(ms);
	assert_int_equal(w->dead, 0xf);
	end();
}

// Worker 1 receives, worker 0 judges, both know.
static void handed_over(void **state)
{
	struct drb_worker *other = &all.worker[1];
	struct drb_hello h;

	(void)state;
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
	assert_int_equal(other->dead, 0);
	drb_hellos_read_links(other);
	assert_int_equal(other->dead, 8);
	assert_int_equal(other->links.usable, 7);
	assert_int_equal(other->links.no_alternate, 1);
	nothing_counted();
	// What was handed over and never taken goes with the switch.
	receive(other, 3, &h);
	end();
}

// Off, on a device of a benchmark by default: nothing is said, and what is heard changes nothing.
static void off(void **state)
{
	struct drb_hello h;

	(void)state;
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
	assert_int_equal(w->dead, 0);
	nothing_counted();
	for (uint32_t i = 0; i < PORTS; i++)
		assert_int_equal(empty(i, &h), 0);
	end();
}

// Another period while the switch runs, off, and on again.
static void set_anew(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	h = neighbour_of(3);
	receive(w, 3, &h);
	receive(w, 2, &h); // miswired
	assert_int_equal(w->dead, 4);
	empty(3, &h);
	setup.ports[3].hello_ns = 20 * MS;
	setup.ports[2].hello_ns = 0;
	drb_hellos_set(w, &setup);
	for (uint64_t ms = 1001; ms <= 1100; ms++)
		turn(ms);
	assert_int_equal(empty(3, &h), 6); // at once, then at multiples of 20 ms
	assert_int_equal(h.period_ms, 20);
	assert_int_equal(empty(2, &h), 1);
	assert_int_equal(w->dead, 0);
	setup.ports[2].hello_ns = 100 * MS;
	drb_hellos_set(w, &setup);
	turn(1101);
	assert_int_equal(state_of(2), DRB_LINK_UNKNOWN);
	assert_int_equal(empty(2, &h), 1);
	end();
}

// A neighbour that changes its mind with every hello fills no log.
static void logs_are_bounded(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	for (uint32_t n = 0; n < 1000; n++) {
		h = neighbour_of(3);
		h.flags = n % 2 ? DRB_HELLO_HEARS : DRB_HELLO_HEARS | DRB_HELLO_DRAINED;
		receive(w, 3, &h);
		assert_int_equal(state_of(3), n % 2 ? DRB_LINK_UP : DRB_LINK_DRAINED_BY_NEIGHBOUR);
	}
	assert_int_equal(w->liveness.log[3].lines, DRB_LOG_LINES);
	assert_int_equal(w->liveness.log[3].left_out, 1000 - DRB_LOG_LINES);
	// Later it is heard again.
	w->now_ns += 2 * DRB_LOG_WINDOW_NS;
	h = neighbour_of(3);
	h.flags = DRB_HELLO_HEARS | DRB_HELLO_DRAINED;
	receive(w, 3, &h);
	assert_int_equal(w->liveness.log[3].lines, 1);
	says("port u1: drained by s3-3.d2, no new traffic to it");
	end();
}

// What is left out is counted in a line once the port may speak again.
static const char *warned;

static void keep_warning(enum drb_log_level level, const char *fmt, const char *text)
{
	static char line[256];

	(void)fmt;
	if (level == DRB_LOG_WARNING && strstr(text, "not logged"))
		warned = strcpy(line, text);
}

static void what_was_left_out_is_told(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	for (uint32_t n = 0; n <= DRB_LOG_LINES + 6; n++) {
		h = neighbour_of(3);
		h.flags = n % 2 ? DRB_HELLO_HEARS : DRB_HELLO_HEARS | DRB_HELLO_DRAINED;
		receive(w, 3, &h);
	}
	uint32_t left_out = w->liveness.log[3].left_out;
	char text[64];
	snprintf(text, sizeof(text), "port u1: %u more changes of its state were not logged",
		 left_out);
	w->now_ns += 2 * DRB_LOG_WINDOW_NS;
	uint8_t before = h.flags;
	h = neighbour_of(3);
	h.flags = before ^ DRB_HELLO_DRAINED;
	drb_log_set_sink(keep_warning);
	receive(w, 3, &h);
	drb_log_set_sink(NULL);
	assert_true(left_out > 0);
	assert_non_null(warned);
	if (!strstr(warned, text))
		fail_msg("warned \"%s\", not \"%s\"", warned, text);
	end();
}

// A neighbour that does not hear this switch is not used, and it is said why.
static void a_deaf_neighbour(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	for (uint64_t ms = 1000; ms < 2000; ms++) {
		turn(ms);
		for (uint32_t i = 0; i < PORTS && ms % 100 == 0; i++) {
			h = neighbour_of(i);
			h.flags = i == 3 ? 0 : DRB_HELLO_HEARS;
			receive(w, i, &h);
		}
	}
	assert_int_equal(state_of(3), DRB_LINK_DOWN);
	says("port u1: down, s3-3.d2 does not hear our hellos");
	end();
}

static void what_is_logged(void **state)
{
	struct drb_liveness *l = &w->liveness;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	l->port[3].state = DRB_LINK_DOWN;
	l->port[3].carrier = false;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->now_ns);
	says("port u1: down, no carrier (to s3-3.d2)");
	l->port[3].state = DRB_LINK_FLAPPING;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->now_ns);
	says("port u1: flapping, 0 times down: used only where there is no other path until it has "
	     "been up for");
	l->port[3].state = DRB_LINK_DRAINED;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->now_ns);
	says("port u1: drained, no new traffic to s3-3.d2");
	drb_liveness_log_needed(l, 3, true, w->now_ns);
	says("port u1: drained, but still used: no other path to or from s3-3.d2 is left");
	drb_liveness_log_needed(l, 3, false, w->now_ns);
	says("port u1: not needed any more");
	end();
}

static const char *trouble(void)
{
	static char text[256];

	drb_worker_take_snapshot(w);
	drb_liveness_trouble(&setup, w->snapshot.live, text, sizeof(text));
	return text;
}

static void write_key(char path[32], const char *key)
{
	strcpy(path, "/tmp/drb-test-key-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, key, strlen(key)) == (ssize_t)strlen(key));
	close(fd);
}

// Hellos without the key, with another one, and played again, change nothing and are named.
static void keys(void **state)
{
	char path[32], other[32], text[64];
	struct drb_hello h, said;

	(void)state;
	write_key(path, "the key of this fabric");
	write_key(other, "another key than that");
	snprintf(text, sizeof(text), "process: {workers: 1}\n");
	begin_with(2, 5, text, path);
	unlink(path);
	turn(drb_clock_now() / MS);
	h = neighbour_of(2);
	receive(w, 2, &h);
	assert_int_equal(w->drop[DRB_DROP_forged_hello], 1);
	assert_int_equal(chmod(other, 0644), 0);
	assert_int_equal(drb_hello_key_load(&neighbours_key, other), 0);
	says("everybody can read this key: chmod o-r");
	unlink(other);
	receive(w, 2, &h);
	assert_int_equal(w->drop[DRB_DROP_forged_hello], 2);
	assert_int_equal(w->port[2].in_packets, 2);
	assert_int_equal(w->port[2].in_discards, 2);
	assert_int_equal(w->counters.rx_packets, 2);
	assert_int_equal(state_of(2), DRB_LINK_UNKNOWN);
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.hello_key");
	// The right one, but no answer to us; then an answer; then the same again.
	neighbours_key = w->liveness.key;
	receive(w, 2, &h);
	assert_int_equal(state_of(2), DRB_LINK_UNKNOWN);
	empty(2, &said);
	turn(w->now_ns / MS + 1);
	assert_int_equal(empty(2, &said), 1); // at once, for it to answer
	assert_true(said.echo.instance == h.serial.instance && said.echo.number == h.serial.number);
	h = neighbour_of(2);
	h.echo = said.serial;
	receive(w, 2, &h);
	assert_int_equal(state_of(2), DRB_LINK_UP);
	receive(w, 2, &h);
	assert_int_equal(w->drop[DRB_DROP_replayed_hello], 1);
	assert_non_null(strstr(trouble(), "sends hellos again that were sent before"));
	neighbours_key = (struct drb_hello_key){0};
	end();
}

// Who is configured otherwise, or there twice, is named once and as long as it goes on.
static void neighbours_faults(void **state)
{
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(drb_clock_now() / MS);
	h = neighbour_of(2);
	h.ipv4_len = 16;
	receive(w, 2, &h);
	assert_int_equal(state_of(2), DRB_LINK_UP);
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.ipv4");
	h = neighbour_of(3);
	h.mac = 0x0600;
	receive(w, 3, &h);
	assert_int_equal(state_of(3), DRB_LINK_MISWIRED);
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.ipv4; u1 miswired; "
				       "u1: s3-3.d2 has another fabric.mac");
	for (uint32_t n = 0; n < 3; n++) {
		h = neighbour_of(0);
		h.serial.instance = n % 2 ? 70 : 71;
		receive(w, 0, &h);
	}
	assert_non_null(strstr(trouble(), "d0: s1-4.u1 is there twice"));
	h = neighbour_of(1);
	h.from.layer = 2;
	h.from.label = 5;
	receive(w, 1, &h);
	assert_non_null(strstr(trouble(), "d1: s2-5.u1 has the name of this switch"));
	end();
}

// Data is a sign of life of a neighbour whose hellos are lost, until it stops.
static void data_is_life(void **state)
{
	uint8_t frame[60];
	struct drb_hello h;

	(void)state;
	begin(2, 5, "");
	turn(1000);
	for (uint32_t i = 0; i < PORTS; i++) {
		h = neighbour_of(i);
		receive(w, i, &h);
	}
	make_frame(frame, sizeof(frame), 0, 10); // host 10 is below
	for (uint64_t ms = 1001; ms <= 1900; ms++) {
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		turn(ms);
		drb_forward_burst(w, 2, &m, 1);
		if (ms < 1300) {
			m = mbuf_of(frame, sizeof(frame));
			frame[0] = 0x0a; // of no fabric: a frame that is dropped is no sign of life
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
	w->occupancy[0] = w->queued = 0;
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(said_to_switches_only),
		cmocka_unit_test(heard_and_lost),
		cmocka_unit_test(miswired_names_the_cable),
		cmocka_unit_test(refused),
		cmocka_unit_test(late_looks_are_excused),
		cmocka_unit_test(handed_over),
		cmocka_unit_test(off),
		cmocka_unit_test(set_anew),
		cmocka_unit_test(logs_are_bounded),
		cmocka_unit_test(keys),
		cmocka_unit_test(neighbours_faults),
		cmocka_unit_test(data_is_life),
		cmocka_unit_test(what_was_left_out_is_told),
		cmocka_unit_test(a_deaf_neighbour),
		cmocka_unit_test(what_is_logged),
	};
	return cmocka_run_group_tests_name("liveness", tests, setup_rings, free_eal);
}
