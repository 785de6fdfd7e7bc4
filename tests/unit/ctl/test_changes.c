// SPDX-License-Identifier: BSD-3-Clause
// Events between polls. Polls and their times are made up.
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>

#include "ctl/events/changes.h"

#define POLLS 20
#define INTERVAL_NS UINT64_C(200000000)

// A row is two switches over POLLS polls. The made-up replies change before each poll.
static struct metrics_switch switches[POLLS][2];
static struct drb_switch_port ports[POLLS][2][2];
static char told[512];

void metrics_poll_free(struct metrics_poll *poll)
{
	(void)poll; // the test owns it
}

static void note(const struct ctl_event *e, void *context)
{
	size_t at = strlen(told);

	snprintf(told + at, sizeof(told) - at, "%u %s%s%s %s %s>%s\n", *(unsigned *)context,
		 e->name, e->port ? "." : "", e->port ? e->port : "", e->what, e->before, e->after);
}

// Both switches run and nothing happens, unless a test changes the replies.
static int begin(void **state)
{
	(void)state;
	memset(switches, 0, sizeof(switches));
	memset(ports, 0, sizeof(ports));
	for (unsigned n = 0; n < POLLS; n++) {
		for (unsigned k = 0; k < 2; k++) {
			struct metrics_switch *s = &switches[n][k];
			strcpy(s->fabric, "drb");
			snprintf(s->name, sizeof(s->name), "s1-%u", k);
			s->all.info.pid = 10 + k;
			strcpy(s->all.routing.scheme, "drb");
			strcpy(s->all.routing.threshold, "2");
			s->all.ports = ports[n][k];
			s->all.port_count = 2;
			for (unsigned i = 0; i < 2; i++) {
				snprintf(ports[n][k][i].name, sizeof(ports[n][k][i].name), "u%u",
					 i);
				strcpy(ports[n][k][i].state, "up");
			}
		}
	}
	return 0;
}

// Returns a line for each event, beginning with the number of its poll.
static const char *tell_all(unsigned polls)
{
	struct ctl_look before = {.poll = {.switches = switches[0], .count = 2}}, now;
	unsigned n = 0;

	*told = '\0';
	assert_int_equal(ctl_compare(&before, &before, note, &n), 0);
	for (n = 1; n < polls; n++) {
		now = (struct ctl_look){
			.poll = {.time_ns = n * INTERVAL_NS, .switches = switches[n], .count = 2}};
		assert_int_equal(ctl_compare(&before, &now, note, &n), 0);
		ctl_look_free(&before);
		before = now;
	}
	ctl_look_free(&before);
	return told;
}

static void set_state(struct metrics_switch *s, char letter)
{
	static const struct {
		char letter;
		int error;
		enum ctl_state state;
	} how[] = {
		{'r', 0, CTL_STATE_running},          {'h', -ETIMEDOUT, CTL_STATE_hung},
		{'k', -EIO, CTL_STATE_stuck},         {'g', -ENOENT, CTL_STATE_stopped},
		{'d', -ECONNREFUSED, CTL_STATE_dead},
	};

	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		if (how[i].letter != letter)
			continue;
		s->error = how[i].error;
		s->state = how[i].state;
	}
}

// One letter per poll: the switch runs, is hung, stuck, stopped (gone) or dead. That it is hung is
// reported after two seconds, that it is dead after half a second, the other states at once.
TEST(how_a_switch_is)
{
	static const struct {
		const char *polls, *told;
	} rows[] = {
		{"rrr", ""},
		{"rrkkrr", "2 s1-1 switch running>stuck\n4 s1-1 switch stuck>running\n"},
		{"rkrkr", "1 s1-1 switch running>stuck\n2 s1-1 switch stuck>running\n"
			  "3 s1-1 switch running>stuck\n4 s1-1 switch stuck>running\n"},
		{"rggr", "1 s1-1 switch running>stopped\n3 s1-1 switch stopped>running\n"},
		{"rhhhhhhhhhr", ""},
		{"rhhhhhhhhhhhr", "10 s1-1 switch running>hung\n12 s1-1 switch hung>running\n"},
		{"rrhhhhhrhhhhhhhhhr", ""},
		{"rddg", "3 s1-1 switch running>stopped\n"},
		{"rdddddr", "3 s1-1 switch running>dead\n6 s1-1 switch dead>running\n"},
		{"rhhhk", "4 s1-1 switch running>stuck\n"},
		{"rhhhg", "4 s1-1 switch running>stopped\n"},
		{"hkghr", "1 s1-1 switch hung>stuck\n2 s1-1 switch stuck>stopped\n"
			  "3 s1-1 switch stopped>hung\n4 s1-1 switch hung>running\n"},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const unsigned polls = (unsigned)strlen(rows[r].polls);
		begin(NULL);
		for (unsigned n = 0; n < polls; n++)
			set_state(&switches[n][1], rows[r].polls[n]);
		assert_string_equal(tell_all(polls), rows[r].told);
	}
}

TEST_WITH(what_a_switch_says_of_itself, begin, NULL)
{
	for (unsigned n = 2; n < 5; n++) {
		strcpy(ports[n][0][1].state, "down");
		strcpy(ports[n][0][0].neighbour, "s2-1.d0");
		switches[n][0].all.info.reloads = 1;
		strcpy(switches[n][1].all.routing.scheme, "walk");
		strcpy(switches[n][1].all.routing.threshold, "3");
	}
	switches[4][0].all.info.pid = 99; // another process: changes of ports are not reported
	strcpy(ports[4][0][1].state, "up");
	assert_string_equal(tell_all(5), "2 s1-0 reloads 0>1\n2 s1-0.u0 neighbour >s2-1.d0\n"
					 "2 s1-0.u1 state up>down\n2 s1-1 scheme drb>walk\n"
					 "2 s1-1 threshold 2>3\n4 s1-0 pid 10>99\n");
}

// The port of s1-0 to s1-1 goes down in the second poll, which s1-1 has answered before it ended,
// or before it hung. Its state is told first.
TEST_WITH(causes_are_told_before_effects, begin, NULL)
{
	static const struct {
		const char *polls, *told;
	} rows[] = {
		{"rrrrr", "2 s1-0.u1 state up>down\n"}, // a link that is cut
		{"rrdddddd", "4 s1-1 switch running>dead\n4 s1-0.u1 state up>down\n"},
		{"rrggg", "2 s1-1 switch running>stopped\n2 s1-0.u1 state up>down\n"},
		{"rrhhhhhhhhhhhh", "11 s1-1 switch running>hung\n11 s1-0.u1 state up>down\n"},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const unsigned polls = (unsigned)strlen(rows[r].polls);
		begin(NULL);
		for (unsigned n = 0; n < polls; n++) {
			set_state(&switches[n][1], rows[r].polls[n]);
			// The second answer of s1-1 is older than the change.
			switches[n][1].all.time_ns = n * INTERVAL_NS + (n < 2 ? 1 : 3);
			strcpy(ports[n][0][1].peer, "s1-1.d0");
			if (n == 0)
				continue;
			strcpy(ports[n][0][1].state, "down");
			ports[n][0][1].since_ns = INTERVAL_NS + 2;
		}
		assert_string_equal(tell_all(polls), rows[r].told);
	}
}

// Each drop reason is reported when it begins, and again after a poll without such drops.
TEST_WITH(drops_are_told_when_they_begin, begin, NULL)
{
	static const uint64_t queue_full[] = {7, 12, 13, 13, 16}, no_route[] = {0, 0, 4, 5, 5};

	for (unsigned n = 0; n < ARRAY_SIZE(queue_full); n++) {
		switches[n][0].all.drops.reason[DRB_DROP_queue_full] = queue_full[n];
		switches[n][0].all.drops.reason[DRB_DROP_no_route] = no_route[n];
	}
	assert_string_equal(tell_all(5), "1 s1-0 drops >queue_full 5\n2 s1-0 drops >no_route 4\n"
					 "4 s1-0 drops >queue_full 3\n");
}

TEST_MAIN(NULL, NULL)
