// SPDX-License-Identifier: BSD-3-Clause
// Messages of drbgen replay about links and about switches that were late.
// tests/live/traffic/replay.sh has such switches.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "gen/replay/drop_places.h"
#include "gen/replay/link_report.h"

#define MS UINT64_C(1000000)
#define CURE ": use links of a lower --rate, with longer slots, or a less busy machine"

// A layer-1 switch with two links of 2 ms a packet, watched from 1 s to 11 s, every 2.5 s.
struct stage {
	struct watched_port port[2];
	struct watched_switch at;
	struct link_watch watch;
};

static const struct link_report_setup setup = {1000 * MS, 2 * MS, 1};

static void set_up(struct stage *s)
{
	*s = (struct stage){.at = {.instance = "drb-s1-2", .layer = 1, .label = 2, .ports = 2}};
	s->at.port = s->port;
	s->watch = (struct link_watch){.at = &s->at, .count = 1};
	for (int k = 0; k < 2; k++) {
		snprintf(s->port[k].name, sizeof(s->port[k].name), "d%d", k);
		snprintf(s->port[k].rate, sizeof(s->port[k].rate), "500pps");
	}
	for (int m = 0; m < WATCH_MOMENTS; m++) {
		s->at.time_ns[m] = (1000 + 2500 * (uint64_t)m) * MS;
		// The most that the link can send.
		for (int k = 0; k < 2; k++)
			s->port[k].count[m].out_packets = 1250 * (uint64_t)m;
	}
}

static struct link_report report(const struct stage *s)
{
	return link_report_of(&s->watch, &setup);
}

TEST(nothing_is_said_of_good_ones)
{
	struct stage s;

	set_up(&s);
	const struct link_report r = report(&s);
	assert_true(r.slowest == 1 && r.machine_lost == 0 && r.late_switches == 0);
	assert_int_equal(r.forwarded, 2 * 2 * 1250);
	assert_int_equal(r.growing, DRB_GROWTH_NO);
	drb_info("before");
	link_report_say(&r, 5, 1e9);
	assert_string_equal(drb_msg_last(), "before");
}

// A switch of another version may lack a counter: figures that need it are unknown, the others
// remain.
TEST(unknown_figures_stay_unknown)
{
	struct stage s;

	set_up(&s);
	for (int m = 0; m < WATCH_MOMENTS; m++)
		s.at.worker[m].late_slots = s.port[0].count[m].lost_credit_ns = DRB_UNKNOWN;
	struct link_report r = report(&s);
	assert_true(r.late_slots == DRB_UNKNOWN && r.machine_lost == DRB_UNKNOWN);
	assert_true(r.forwarded == 2 * 2 * 1250 && r.lost_credit_events == 0);
	assert_int_equal(r.growing, DRB_GROWTH_UNCLEAR);
	drb_info("before");
	link_report_say(&r, 5, 1e9);
	assert_string_equal(drb_msg_last(), "before");
	set_up(&s);
	for (int m = 0; m < WATCH_MOMENTS; m++)
		s.port[1].count[m].out_packets = DRB_UNKNOWN;
	r = report(&s);
	assert_true(r.forwarded == DRB_UNKNOWN && isnan(r.late_ns) && r.late_slots == 0);
}

// The link has lost this much of its time by then, and dropped this many packets.
static void lose(struct watched_port *p, uint64_t lost_ms, uint64_t dropped)
{
	for (int m = WATCH_END; m < WATCH_MOMENTS; m++) {
		p->count[m].out_packets -= lost_ms / 2;
		p->count[m].lost_credit_ns = lost_ms * MS;
		p->count[m].out_discards = dropped;
	}
}

// d1 lost 3.3 s: it could have sent 1650 of the 2000 packets that its full queue dropped. d0 also
// dropped packets, but lost no time.
TEST(what_the_machine_took_is_named)
{
	struct stage s;

	set_up(&s);
	lose(&s.port[1], 3300, 2000);
	lose(&s.port[0], 0, 500);
	s.port[0].count[WATCH_END].in_missed = 7; // these did not fit either
	s.at.worker[WATCH_DONE].lost_credit_events = 12;
	s.at.worker[WATCH_DONE].late_ns = 4000 * MS;
	s.watch.slowed_ns = 6000 * MS;
	struct link_report r = report(&s);
	assert_int_equal(r.machine_lost, 1650);
	assert_true(r.slowest > 0.6699 && r.slowest < 0.6701);
	link_report_say(&r, 2507, 1e10);
	assert_string_equal(
		drb_msg_last(),
		"drb-s1-2 woke too late, as when CPUs are busy: links ran at 67 to 100 % of "
		"their rate from 5.0 s on, which made about 1650 of the 2507 lost packets and "
		"at least 40 % of the latency" CURE);
	// No more than the number of lost packets.
	r.late_switches = 3;
	link_report_say(&r, 1000, 1e10);
	assert_non_null(
		strstr(drb_msg_last(), "drb-s1-2 and 2 more switches woke too late, as when"));
	assert_non_null(
		strstr(drb_msg_last(), "about 1000 of the 1000 lost packets and at least 40 %"));
	link_report_say(&r, 0, 1e10);
	assert_non_null(
		strstr(drb_msg_last(), "from 5.0 s on, which made at least 40 % of the latency:"));
	// Links that kept their rate are not blamed.
	r.slowest = 0.998;
	link_report_say(&r, 0, 1e10);
	assert_non_null(strstr(drb_msg_last(), "CPUs are busy: this made at least 40 % of the"));
}

// A link of switch s2-7 leads here, drops 3000 packets and lost 2.5 s. These packets would have
// gone to the link behind it. That link has no more capacity for them than the time that it lost,
// or in which it was idle.
TEST(links_behind_each_other_lose_once)
{
	struct stage below, above;
	struct watched_switch both[2];

	set_up(&below);
	set_up(&above);
	above.at.layer = 2;
	above.at.label = 7;
	snprintf(above.port[1].peer, sizeof(above.port[1].peer), "s1-2.u1");
	lose(&above.port[1], 2500, 3000);
	for (int idle = 0; idle <= 1; idle++) {
		if (idle)
			set_up(&below);
		lose(&below.port[1], 3300, idle ? 0 : 1800);
		both[0] = below.at;
		both[1] = above.at;
		// All packets from above are for d1.
		memset(below.port[0].count, 0, sizeof(below.port[0].count));
		const struct link_watch watch = {.at = both, .count = 2};
		assert_int_equal(link_report_of(&watch, &setup).machine_lost, idle ? 1250 : 1650);
	}
}

static char *written(const struct stage *s, const struct link_report_setup *as, size_t most)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(
		link_report_write(out, &(struct link_table){&s->watch, as, most}, DRB_FORMAT_CSV),
		0);
	fclose(out);
	return text;
}

// The measured part is half of the run. A capture is measured from its first packet to its last:
// d1 sends half of the time, and then packets that waited.
TEST(the_busiest_links_come_first)
{
	static const struct link_report_setup capture = {1000 * MS, 0, 1};
	struct stage s;

	set_up(&s);
	s.port[0].count[WATCH_END].queue_max_packets = 7;
	s.port[0].count[WATCH_DONE].queue_max_packets = 9;
	for (int m = 0; m < WATCH_MOMENTS; m++) {
		s.port[0].count[m].out_packets /= 2;
		s.port[0].count[m].out_discards = (uint64_t)m;
	}
	char *text = written(&s, &setup, 2);
	const char *first = strchr(text, '\n') + 1, *second = strchr(first, '\n') + 1;
	assert_ptr_equal(strstr(first, "1,s1-2,d1,,2500,1,"), first);
	assert_ptr_equal(strstr(second, "1,s1-2,d0,,1250,0.5,0,7,2,1,no"), second);
	free(text);
	text = written(&s, &capture, 2);
	first = strchr(text, '\n') + 1;
	second = strchr(first, '\n') + 1;
	assert_ptr_equal(strstr(first, "1,s1-2,d1,,5000,1,"), first);
	assert_ptr_equal(strstr(second, "1,s1-2,d0,,2500,0.6666666667,0,9,4,1,"), second);
	free(text);
	text = written(&s, &capture, 1);
	assert_null(strstr(text, "d0"));
	free(text);
}

TEST(silent_switches_are_named)
{
	struct stage s;

	set_up(&s);
	s.at.gone = true;
	const struct link_report r = report(&s);
	link_report_say(&r, 0, 1e9);
	assert_non_null(
		strstr(drb_msg_last(), "1 switch did not answer in time: drbctl list says which"));
}

// 1250 slots from the middle to the end: chance explains 35 packets, and 159 exceed it.
TEST(queues_grow_by_what_the_machine_did_not)
{
	struct stage s;

	set_up(&s);
	s.port[0].count[WATCH_HALF].queue_packets = 10;
	s.port[0].count[WATCH_END].queue_packets = 10 + 160;
	assert_int_equal(report(&s).growing, DRB_GROWTH_YES);
	assert_int_equal(report(&s).growing_links, 1);
	s.port[0].count[WATCH_END].queue_packets = 10 + 150;
	assert_int_equal(report(&s).growing, DRB_GROWTH_UNCLEAR);
	// A full queue drops the packets that would make it longer.
	s.port[0].count[WATCH_END].out_discards = 20;
	assert_int_equal(report(&s).growing, DRB_GROWTH_YES);
	s.port[0].count[WATCH_END].out_discards = 0;
	// The switch was absent for 60 packet times, by its other link.
	s.port[0].count[WATCH_END].queue_packets = 10 + 200;
	s.port[1].count[WATCH_END].lost_credit_ns = 120 * MS;
	assert_int_equal(report(&s).growing, DRB_GROWTH_UNCLEAR);
	// The queue was empty in between.
	s.port[0].count[WATCH_END].queue_packets = 10 + 500;
	s.port[0].count[WATCH_END].out_packets -= 4;
	assert_int_equal(report(&s).growing, DRB_GROWTH_NO);
}

TEST(without_switches_there_is_nothing)
{
	struct link_watch watch;

	link_watch_begin(&watch, "nobody-is-called-so");
	link_watch_poll(&watch);
	link_watch_end(&watch);
	assert_int_equal(watch.count, 0);
	const struct link_report r = link_report_of(&watch, &setup);
	assert_int_equal(r.late_switches, 0);
	link_watch_free(&watch);
}

// Without late switches, missed packets were too long, and the machine did not cause the loss.
TEST(only_late_switches_miss_packets_by_it)
{
	struct stage s;

	set_up(&s);
	for (int m = WATCH_END; m < WATCH_MOMENTS; m++) {
		s.port[0].count[m].out_packets -= 100;
		s.port[1].count[m].out_packets -= 100;
		s.port[0].count[m].in_missed = 7;
	}
	assert_int_equal(report(&s).machine_lost, 0);
	s.at.worker[WATCH_DONE].late_slots = 1;
	assert_int_equal(report(&s).machine_lost, 7);
}

// Ports count discards of each direction without a reason. in_discards include multicast, which is
// not a loss.
TEST(drops_have_reasons_of_their_direction)
{
	const struct drb_switch_drops none = {0};
	struct drb_switch_drops now = {
		.reason = {[DRB_DROP_multicast] = 9, [DRB_DROP_queue_full] = 5}};

	assert_string_equal(drop_places_reason(&none, &now, false), "queue_full");
	assert_null(drop_places_reason(&none, &now, true));
	assert_null(drop_places_reason(&now, &now, false));
	now.reason[DRB_DROP_no_route] = 1;
	assert_string_equal(drop_places_reason(&none, &now, true), "no_route");
	assert_string_equal(drop_places_reason(&none, &now, false), "queue_full");
	now.reason[DRB_DROP_not_sent] = 1;
	assert_string_equal(drop_places_reason(&none, &now, false), "");
	// A port that is down by order drops in both directions.
	now = (struct drb_switch_drops){.reason = {[DRB_DROP_port_down] = 1}};
	for (int in = 0; in < 2; in++)
		assert_string_equal(drop_places_reason(&none, &now, in), "port_down");
}

// A drop towards a host is reported with the switch's port to it; other hosts get no text.
TEST(places_of_drops_are_told)
{
	char text[DROP_PLACES_TEXT];
	struct stage s;

	set_up(&s);
	assert_int_equal(drb_tree_init(&s.watch.tree, 2, 2), 0);
	s.port[1].count[WATCH_DONE].out_discards = 3;
	s.at.drops[WATCH_DONE].reason[DRB_DROP_queue_full] = 3;
	struct drop_places places = drop_places_of(&s.watch);
	drop_places_text(&places, 0, 5, text);
	assert_string_equal(text, "s1-2.d1 queue_full");
	drop_places_text(&places, 0, 4, text);
	assert_string_equal(text, "");
	drop_places_free(&places);
	// On one path, the place of most drops comes first.
	for (uint64_t missed = 2; missed <= 7; missed += 5) {
		s.port[0].count[WATCH_DONE].in_missed = missed;
		places = drop_places_of(&s.watch);
		drop_places_text(&places, 4, 5, text);
		assert_string_equal(text, missed == 2 ? "s1-2.d1 queue_full; s1-2.d0 in_missed"
						      : "s1-2.d0 in_missed; s1-2.d1 queue_full");
		drop_places_free(&places);
	}
}

TEST_MAIN(NULL, NULL)
