// SPDX-License-Identifier: BSD-3-Clause
// Messages of a switch about its links: changes of their states, limited in number, and neighbours
// with another configuration.
#include "fixtures/unit.h"

#include <sys/stat.h>

#include "common/cli/clock.h"
#include "fixtures/hello_switch.h"

// A neighbour that changes its state with every hello does not fill the log.
TEST(logs_are_bounded)
{
	begin(2, 5, "");
	turn(1000);
	for (uint32_t n = 0; n < 1000; n++) {
		hear_with(3,
			  h.flags = n % 2 ? DRB_HELLO_HEARS : DRB_HELLO_HEARS | DRB_HELLO_DRAINED);
		assert_int_equal(state_of(3), n % 2 ? DRB_LINK_UP : DRB_LINK_DRAINED_BY_NEIGHBOUR);
	}
	assert_int_equal(w->liveness.port[3].log.lines, DRB_LOG_LINES);
	assert_int_equal(w->liveness.port[3].log.left_out, 1000 - DRB_LOG_LINES);
	// Later changes are logged again.
	w->egress.now_ns += 2 * DRB_LOG_WINDOW_NS;
	hear_with(3, h.flags = DRB_HELLO_HEARS | DRB_HELLO_DRAINED);
	assert_int_equal(w->liveness.port[3].log.lines, 1);
	says("port u1: drained by s3-3.d2, no new traffic to it");
	end();
}

// The message on a lossy link gives its loss, or says that it is held back; it never says that it
// loses 0.0 %.
TEST(lossy_links)
{
	static const struct {
		struct drb_port_link view;
		const char *text;
	} cases[] = {
		{{.lossy = true, .short_only = true}, "loses all long frames from s3-3.d2"},
		{{.lossy = true, .loss_in = 123456}, "loses 12.3 % from s3-3.d2, 0.0 % to it"},
		{{.last.loss = 500}, "loses 0.0 % from s3-3.d2, 0.1 % to it"},
		{{.lossy = true, .loss_in = 499, .held_ns = UINT64_C(94500000000)},
		 "lost frames from s3-3.d2, to be trusted in 95 s at the earliest"},
		{{.last.loss = 499}, "lost frames to s3-3.d2, which does not trust it yet"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[128];
		drb_liveness_lossy_text(&cases[i].view, "s3-3.d2", text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
	begin(2, 5, "");
	turn(1000);
	hear_with(3, h.flags = DRB_HELLO_HEARS | DRB_HELLO_LOSSY);
	says("port u1: lossy, lost frames to s3-3.d2, which does not trust it yet: used only where "
	     "there is no other path");
	// If this switch itself counts a link as lossy, the remaining hold time is shown.
	struct drb_link *p = &w->liveness.port[3].link;
	p->lossy = true;
	p->lossy_ns = w->egress.now_ns;
	p->trust_ns = DRB_LOSSY_HOLD_NS;
	const uint64_t later = w->egress.now_ns + DRB_LOSSY_HOLD_NS / 3;
	assert_int_equal(drb_liveness_view_port(&w->liveness, 3, later).held_ns,
			 DRB_LOSSY_HOLD_NS - DRB_LOSSY_HOLD_NS / 3);
	end();
}

// Omitted messages are counted in one line once the port may log again.
static const char *warned;

static void keep_warning(enum drb_log_level level, const char *fmt, const char *text)
{
	static char line[256];

	(void)fmt;
	if (level == DRB_LOG_WARNING && strstr(text, "not logged"))
		warned = strcpy(line, text);
}

TEST(what_was_left_out_is_told)
{
	begin(2, 5, "");
	turn(1000);
	for (uint32_t n = 0; n <= DRB_LOG_LINES + 6; n++) {
		hear_with(3,
			  h.flags = n % 2 ? DRB_HELLO_HEARS : DRB_HELLO_HEARS | DRB_HELLO_DRAINED);
	}
	uint32_t left_out = w->liveness.port[3].log.left_out;
	char text[64];
	snprintf(text, sizeof(text), "port u1: %u more changes of its state were not logged",
		 left_out);
	w->egress.now_ns += 2 * DRB_LOG_WINDOW_NS;
	drb_log_set_sink(keep_warning);
	hear(3); // not drained
	assert_true(left_out > 0);
	assert_non_null(warned);
	if (!strstr(warned, text))
		fail_msg("warned \"%s\", not \"%s\"", warned, text);
	// They are told once.
	warned = NULL;
	w->egress.now_ns += 2 * DRB_LOG_WINDOW_NS;
	hear_with(3, h.flags = DRB_HELLO_HEARS | DRB_HELLO_DRAINED);
	drb_log_set_sink(NULL);
	assert_null(warned);
	end();
}

// A neighbour that does not hear this switch is not used, and the log says why.
TEST(a_deaf_neighbour)
{
	begin(2, 5, "");
	turn(1000);
	for (uint64_t ms = 1000; ms < 2000; ms++) {
		turn(ms);
		for (uint32_t i = 0; i < PORTS && ms % 100 == 0; i++) {
			hear_with(i, h.flags = i == 3 ? 0 : DRB_HELLO_HEARS);
		}
	}
	assert_int_equal(state_of(3), DRB_LINK_DOWN);
	says("port u1: down, s3-3.d2 does not hear our hellos");
	end();
}

TEST(what_is_logged)
{
	struct drb_liveness *l = &w->liveness;

	begin(2, 5, "");
	turn(1000);
	l->port[3].link.state = DRB_LINK_DOWN;
	l->port[3].link.carrier = false;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->egress.now_ns);
	says("port u1: down, no carrier (to s3-3.d2)");
	l->port[3].link.state = DRB_LINK_FLAPPING;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->egress.now_ns);
	says("port u1: flapping, 0 times down: used only where there is no other path until it has "
	     "been up for");
	l->port[3].link.state = DRB_LINK_DRAINED;
	drb_liveness_log(l, 3, DRB_LINK_UP, w->egress.now_ns);
	says("port u1: drained, no new traffic to s3-3.d2");
	drb_liveness_log_needed(l, 3, true, w->egress.now_ns);
	says("port u1: drained, but still used: no other path to or from s3-3.d2 is left");
	drb_liveness_log_needed(l, 3, false, w->egress.now_ns);
	says("port u1: not needed any more");
	end();
}

static const char *trouble(void)
{
	static char text[256];

	drb_worker_take_snapshot(w);
	*text = '\0';
	drb_liveness_trouble(&setup, w->shared.snapshot.live, text, sizeof(text));
	return text;
}

static void write_key(char path[32], const char *key)
{
	strcpy(path, "/tmp/drb-test-key-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, key, strlen(key)) == (ssize_t)strlen(key));
	close(fd);
}

TEST(keys_have_a_length)
{
	static const struct {
		uint32_t octets;
		bool good;
	} cases[] = {{0, false}, {15, false}, {16, true}, {17, true}, {4096, true}, {4097, false}};
	char path[32], octets[4098];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_hello_key key;
		memset(octets, 'k', cases[i].octets);
		octets[cases[i].octets] = '\0';
		write_key(path, octets);
		assert_int_equal(drb_hello_key_load(&key, path), cases[i].good ? 0 : -EINVAL);
		assert_int_equal(key.used, cases[i].good);
		unlink(path);
	}
}

// Hellos without the key, with another key, and replayed ones change nothing and are named.
TEST(keys)
{
	char path[32], other[32];
	struct drb_hello h, said;

	write_key(path, "the key of this fabric");
	write_key(other, "another key than that");
	begin_with(2, 5, "process: {workers: 1}\n", path);
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
	// The right key without an answer to us; then an answer; then the same hello again.
	neighbours_key = w->liveness.key;
	receive(w, 2, &h);
	assert_int_equal(state_of(2), DRB_LINK_UNKNOWN);
	empty(2, &said);
	// A process that asks gets a hello soon, but not one for each question.
	for (uint32_t n = 0; n < 100; n++) {
		turn(w->egress.now_ns / MS);
		receive(w, 2, &h);
	}
	assert_int_equal(empty(2, &said), 0);
	turn(w->egress.now_ns / MS + 10);
	assert_int_equal(empty(2, &said), 1);
	assert_true(said.echo.instance == h.serial.instance && said.echo.number == h.serial.number);
	h = neighbour_of(2);
	h.echo = said.serial;
	receive(w, 2, &h);
	assert_int_equal(state_of(2), DRB_LINK_UP);
	receive(w, 2, &h);
	assert_int_equal(w->drop[DRB_DROP_replayed_hello], 1);
	// The right key has ended the other fault.
	assert_string_equal(trouble(), "u0: hellos come that are old or not the neighbour's");
	// Our own hello comes back.
	receive(w, 2, &said);
	assert_int_equal(w->drop[DRB_DROP_replayed_hello], 2);
	says("port u0: on this link hellos of this switch come back: see whether its cable loops "
	     "back");
	// A refused hello does not count as sent, so it makes up for no missing frame.
	h.serial.number++;
	h.sent = 7;
	receive(w, 2, &h);
	assert_int_equal(w->liveness.port[2].missing, 7 - 2);
	neighbours_key = (struct drb_hello_key){0};
	end();
}

// A neighbour of a release with another version of hellos is named as such, not as silent. The log,
// the list and a counter show it.
TEST(another_version)
{
	char said[256];

	for (uint32_t workers = 1; workers <= 2; workers++) {
		begin(2, 5, workers == 1 ? "" : "process: {workers: 2}\n");
		struct drb_worker *by = &all.worker[workers - 1];
		hear(3);
		const uint64_t begun = drb_clock_now() / MS;
		for (uint64_t ms = begun; ms < begun + 1000; ms++) {
			turn(ms);
			if ((ms - begun) % 100 != 0)
				continue;
			hear(3);
			struct drb_hello h = neighbour_of(2);
			receive_version(by, 2, &h, DRB_HELLO_VERSION + 1);
			turn(ms);
			if (ms == begun)
				snprintf(said, sizeof(said), "%s", drb_msg_last());
		}
		assert_non_null(strstr(said,
				       "port u0: s3-1.d2 sends hellos of version 5, "
				       "this switch of version 4: run the same release at both"));
		assert_int_equal(state_of(2), DRB_LINK_DOWN);
		says("port u0: down, s3-1.d2 sends hellos of another version");
		assert_non_null(strstr(trouble(), "u0 down"));
		assert_non_null(strstr(trouble(), "u0: s3-1.d2 sends hellos of another version"));
		assert_int_equal(w->drop[DRB_DROP_hello_version], 10);
		assert_int_equal(w->drop[DRB_DROP_bad_hello], 0);
		end();
	}
}

// A neighbour with another configuration, or with a rival, is named once and while this lasts.
TEST(neighbours_faults)
{
	begin(2, 5, "");
	turn(drb_clock_now() / MS);
	hear_with(2, h.ipv4_len = 16);
	assert_int_equal(state_of(2), DRB_LINK_UP);
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.ipv4");
	hear_with(3, h.mac = 0x0600);
	assert_int_equal(state_of(3), DRB_LINK_MISWIRED);
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.ipv4; u1 miswired; "
				       "u1: s3-3.d2 has another fabric.mac");
	for (uint32_t n = 0; n < 3; n++) {
		hear_with(0, h.serial.instance = n % 2 ? 70 : 71);
	}
	assert_non_null(strstr(trouble(), "d0: s1-4.u1 is there twice"));
	hear_with(1, h.from.layer = 2; h.from.label = 5);
	assert_non_null(strstr(trouble(), "d1: s2-5.u1 has the name of this switch"));
	end();
}

// Mistakes in a neighbour's config are no mistakes in cabling, and end with its next hello.
TEST(mistakes_in_a_config_end_with_their_cure)
{
	static const struct {
		uint32_t layers, arity, uplinks;
		const char *fabric;
	} others[] = {{4, 4, 4, "drb"}, {3, 3, 3, "drb"}, {3, 4, 2, "drb"}, {3, 4, 4, "lab"}};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct drb_tree t;
		assert_int_equal(drb_tree_init_uplinks(&t, others[i].layers, others[i].arity,
						       others[i].uplinks),
				 0);
		begin(2, 5, "");
		turn(drb_clock_now() / MS);
		hear_with(3, h.fabric = drb_hello_fabric(others[i].fabric, &t);
			  h.serial.instance = 80);
		says("port u1: miswired, not used: its cable goes to s3-3.d2, whose fabric "
		     "has another name, layers, arity or uplinks: give both the same, or "
		     "plug it into s3-3.d2");
		assert_string_equal(trouble(), "u1 miswired; u1: s3-3.d2 has another fabric.name, "
					       "layers, arity or uplinks");
		hear(3);
		assert_string_equal(trouble(), "");
		hear_with(3, h.ipv4_len = 16; h.fabric_mtu = 9000);
		assert_string_equal(trouble(),
				    "u1: s3-3.d2 has another fabric.ipv4, has another fabric.mtu");
		hear(3);
		assert_string_equal(trouble(), "");
		end();
	}
}

// Two switches with one label, at two ports of this switch: no cable needs to be moved.
TEST(a_label_used_twice)
{
	begin(2, 5, "");
	turn(drb_clock_now() / MS);
	hear_with(2, h.serial.instance = 70);
	hear_with(3, h.from = setup.ports[2].peer; h.serial.instance = 71);
	assert_string_equal(trouble(), "u1 miswired; u1: s3-1.d2 is there twice");
	says("port u1: miswired, not used: s3-1.d2 is there twice");
	end();
	begin(2, 5, "");
	turn(drb_clock_now() / MS - 2000);
	hear_with(2, h.serial.instance = 70);
	hear_with(3, h.from = setup.ports[2].peer; h.serial.instance = 71);
	turn(w->egress.now_ns / MS + 2000);
	hear(3);
	hear_with(2, h.serial.instance = 70);
	assert_string_equal(trouble(), "");
	end();
}

// Another MTU is reported only if it costs packets: not if both ends have fabric.mtu or more.
TEST(neighbours_mtu)
{
	begin(2, 5, "");
	turn(drb_clock_now() / MS);
	w->liveness.port[2].mtu = 65535;
	hear_with(2, h.mtu = 1500);
	assert_null(strstr(trouble(), "MTU"));
	hear_with(2, h.mtu = 1499);
	assert_non_null(strstr(trouble(), "u0: s3-1.d2 has another MTU"));
	w->liveness.port[3].mtu = 1499;
	hear_with(3, h.mtu = 1499);
	assert_null(strstr(trouble(), "u1"));
	hear_with(3, h.mtu = 1500);
	assert_non_null(strstr(trouble(), "u1: s3-3.d2 has another MTU"));
	end();
}

// With another fabric.mtu, the neighbour drops packets of this switch or the reverse: it is named.
TEST(another_fabric_mtu)
{
	begin(2, 5, "");
	turn(drb_clock_now() / MS);
	for (uint32_t i = 0; i < 2; i++) {
		hear_with(2, h.fabric_mtu = i ? 9000 : 1500);
		assert_int_equal(state_of(2), DRB_LINK_UP);
	}
	assert_string_equal(trouble(), "u0: s3-1.d2 has another fabric.mtu");
	end();
}

// More outages than fit in hellos: reported once, and again when it ends. A neighbour that changes
// all the time does not fill the log.
TEST(too_many_outages)
{
	begin(2, 5, "");
	turn(1000);
	hear_with(2, h.outages.more = 1);
	turn(1100);
	says("more links and switches are dead or drained than hellos can carry: until some");
	drb_worker_take_snapshot(w);
	assert_true(w->shared.snapshot.more_outages);
	hear(2);
	turn(1200);
	says("hellos carry all outages again");
	drb_worker_take_snapshot(w);
	assert_false(w->shared.snapshot.more_outages);
	for (uint64_t ms = 1300; ms < 8000; ms += 100) {
		hear_with(2, h.outages.more = ms / 100 % 2);
		turn(ms);
	}
	assert_int_equal(w->liveness.outages_log.lines, DRB_LOG_LINES);
	assert_in_range(w->liveness.outages_log.left_out, 30, 70);
	end();
}

TEST_MAIN(setup_rings, free_eal)
