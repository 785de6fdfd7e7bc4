// SPDX-License-Identifier: BSD-3-Clause
// The states of switches in words, from made-up polls.
#include "fixtures/unit.h"

#include <errno.h>

#include "ctl/metrics/poll.h"

static struct drb_switch_port ports[2];

static const char *state_of(struct metrics_switch s)
{
	struct metrics_poll poll = {.switches = &s, .count = 1};

	ctl_states_find(&poll);
	return ctl_state_word(s.state);
}

TEST(by_answer_and_record)
{
	static const struct {
		int error;
		enum metrics_record record;
		const char *word;
	} rows[] = {
		{0, METRICS_STARTED, "running"},
		{0, METRICS_STOPPED, "running"}, // started by hand
		{-EAGAIN, METRICS_STARTED, "starting"},
		{-EIO, METRICS_STARTED, "stuck"},
		{-ETIMEDOUT, METRICS_UNRECORDED, "hung"},
		{-ETIMEDOUT, METRICS_STOPPED, "stopped"}, // about to end
		{-ECONNREFUSED, METRICS_UNRECORDED, "dead"},
		{-ECONNREFUSED, METRICS_STARTED, "dead"},
		{-ECONNREFUSED, METRICS_STOPPED, "stopped"},
		{-ENOENT, METRICS_UNRECORDED, "stopped"},
		{-ENOENT, METRICS_STARTED, "dead"},
		{-ENOENT, METRICS_STOPPED, "stopped"},
		{-EACCES, METRICS_STARTED, "unknown"},
		{-EPROTO, METRICS_UNRECORDED, "unknown"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(state_of((struct metrics_switch){.error = rows[i].error,
								     .record = rows[i].record}),
				    rows[i].word);
	// It tells who it is, but a worker gets no CPU to report.
	assert_string_equal(
		state_of((struct metrics_switch){.error = -ETIMEDOUT, .all.info.name = "s1-0"}),
		"slow");
}

TEST(by_links_to_switches)
{
	static const struct {
		const char *state[2], *peer[2];
		uint64_t usable[2];
		const char *word;
	} rows[] = {
		{{"up", "up"}, {"s2-0.d0", "s2-1.d0"}, {1, 1}, "running"},
		{{"up", "down"}, {"s2-0.d0", "s2-1.d0"}, {1, 0}, "running"},
		{{"down", "miswired"}, {"s2-0.d0", "s2-1.d0"}, {0, 0}, "cut"},
		{{"up", "down"}, {"h0.eth0", "s2-1.d0"}, {1, 0}, "cut"},
		{{"down", "down"}, {"h0.eth0", "h1.eth0"}, {0, 0}, "running"},
		{{"drained", "down"}, {"s2-0.d0", "s2-1.d0"}, {0, 0}, "drained"},
		{{"drained", "drained, still needed"}, {"s2-0.d0", "s2-1.d0"}, {0, 1}, "drained"},
		{{"drained by neighbour", "up"}, {"s2-0.d0", "s2-1.d0"}, {0, 1}, "running"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (int k = 0; k < 2; k++) {
			strcpy(ports[k].state, rows[i].state[k]);
			strcpy(ports[k].peer, rows[i].peer[k]);
			ports[k].usable = rows[i].usable[k];
		}
		assert_string_equal(
			state_of((struct metrics_switch){.all = {.ports = ports, .port_count = 2}}),
			rows[i].word);
	}
}

// Terminals emphasise what nobody ordered.
TEST(what_stands_out)
{
	static const struct {
		enum ctl_state state;
		bool bad, stands_out;
	} rows[] = {
		{CTL_STATE_running, false, false}, {CTL_STATE_starting, false, false},
		{CTL_STATE_drained, false, false}, {CTL_STATE_cut, false, true},
		{CTL_STATE_slow, false, true},     {CTL_STATE_stuck, true, true},
		{CTL_STATE_hung, true, true},      {CTL_STATE_dead, true, true},
		{CTL_STATE_stopped, false, false}, {CTL_STATE_unknown, true, true},
	};

	assert_int_equal(ARRAY_SIZE(rows), CTL_STATE_COUNT);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(ctl_state_is_bad(rows[i].state), rows[i].bad);
		assert_int_equal(ctl_state_stands_out(rows[i].state), rows[i].stands_out);
	}
	assert_true(ctl_port_stands_out(&(struct drb_switch_port){.state = "down"}));
	assert_false(
		ctl_port_stands_out(&(struct drb_switch_port){.state = "drained by neighbour"}));
	assert_false(ctl_port_stands_out(&(struct drb_switch_port){.state = "up", .usable = 1}));
	// An old switch does not tell.
	assert_false(
		ctl_port_stands_out(&(struct drb_switch_port){.state = "", .usable = DRB_UNKNOWN}));
}

// The neighbours tell when they lost a switch; the last of them counts.
TEST(how_and_when_a_switch_died)
{
	struct metrics_switch switches[] = {
		{.fabric = "drb", .name = "s1-0", .all = {.ports = ports, .port_count = 2}},
		{.fabric = "drb", .name = "s2-0", .error = -ECONNREFUSED},
		{.fabric = "drb", .name = "s2-1", .error = -ETIMEDOUT},
		{.fabric = "lab", .name = "s2-0", .error = -ENOENT, .record = METRICS_STARTED},
	};
	struct metrics_poll poll = {.switches = switches,
				    .count = ARRAY_SIZE(switches),
				    .time_ns = UINT64_C(90000000000),
				    .unix_ms = UINT64_C(90000)}; // 1970, in UTC
	char text[CTL_STATES_TEXT_MAX], how[CTL_STATE_HOW_MAX];

	setenv("TZ", "UTC", 1);
	for (int k = 0; k < 2; k++) {
		strcpy(ports[k].state, "down");
		ports[k].usable = 0;
		snprintf(ports[k].peer, sizeof(ports[k].peer), "s2-%d.d0", k);
		ports[k].since_ns = (20 + (uint64_t)k) * UINT64_C(1000000000);
	}
	ctl_states_find(&poll);
	ctl_state_how(&switches[1], how);
	assert_string_equal(how, "killed at 00:00:20");
	ctl_state_how(&switches[2], how);
	assert_string_equal(how, "answers nothing since 00:00:21");
	ctl_state_how(&switches[3], how); // nobody of its fabric tells when
	assert_string_equal(how, "ended");
	ctl_state_how(&switches[0], how);
	assert_string_equal(how, "");
	assert_true(ctl_states_count(&poll, text));
	assert_string_equal(text, "4 switches: 1 cut, 1 hung, 2 dead");
	poll.count = 1;
	assert_false(ctl_states_count(&poll, text));
	assert_string_equal(text, "1 switch: 1 cut");
}

TEST_MAIN(NULL, NULL)
