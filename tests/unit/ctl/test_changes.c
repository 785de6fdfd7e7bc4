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

static int error_of(char letter)
{
	return letter == 's' ? -ETIMEDOUT : letter == 'k' ? -EIO : letter == 'g' ? -ENOENT : 0;
}

// One letter per poll: the switch runs, is silent, stuck, or gone. Silence is reported after two
// seconds, the other states at once.
TEST(how_a_switch_is)
{
	static const struct {
		const char *polls, *told;
	} rows[] = {
		{"rrr", ""},
		{"rrkkrr", "2 s1-1 switch runs>stuck\n4 s1-1 switch stuck>runs\n"},
		{"rkrkr", "1 s1-1 switch runs>stuck\n2 s1-1 switch stuck>runs\n"
			  "3 s1-1 switch runs>stuck\n4 s1-1 switch stuck>runs\n"},
		{"rggr", "1 s1-1 switch runs>gone\n3 s1-1 switch gone>runs\n"},
		{"rsssssssssr", ""},
		{"rsssssssssssr", "10 s1-1 switch runs>silent\n12 s1-1 switch silent>runs\n"},
		{"rrsssssrsssssssssr", ""},
		{"rsssk", "4 s1-1 switch runs>stuck\n"},
		{"rsssg", "4 s1-1 switch runs>gone\n"},
		{"skgsr", "1 s1-1 switch silent>stuck\n2 s1-1 switch stuck>gone\n"
			  "3 s1-1 switch gone>silent\n4 s1-1 switch silent>runs\n"},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const unsigned polls = (unsigned)strlen(rows[r].polls);
		begin(NULL);
		for (unsigned n = 0; n < polls; n++)
			switches[n][1].error = error_of(rows[r].polls[n]);
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
					 "2 s1-1 threshold 2>3\n4 s1-0 switch runs>runs anew\n");
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
