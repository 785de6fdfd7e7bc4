// SPDX-License-Identifier: BSD-3-Clause
// The command line of drbgen replay: accepted and refused options.
#include "fixtures/unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "gen/replay/options.h"

#define ARGUMENTS_MAX 20

// Splits the line at blanks; the options keep pointers into text.
static void parse(struct replay_options *o, char *text)
{
	char *argv[ARGUMENTS_MAX + 1] = {(char *)"drbgen replay"};
	int argc = 1;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		assert_in_range(argc, 1, ARGUMENTS_MAX - 1);
		argv[argc++] = word;
	}
	replay_options_parse(o, argc, argv);
}

TEST(defaults_hold)
{
	struct replay_options o;
	char text[] = "dir";

	parse(&o, text);
	assert_int_equal(o.captures.count, 1);
	assert_string_equal(o.fabric, "drb");
	assert_int_equal(o.format, DRB_FORMAT_TABLE);
	assert_int_equal(o.drain_ns, 2000000000);
	assert_int_equal(o.buffer_bytes, 0);
	assert_true(o.slot_ns == REPLAY_ABSENT && o.warmup == REPLAY_ABSENT &&
		    o.stats == REPLAY_ABSENT);
	assert_int_equal(o.sink, REPLAY_SINK_AUTO);
	assert_int_equal(o.schedule.mode, SCHEDULE_TIMES);
	assert_int_equal(o.schedule.loops, 1);
	assert_int_equal(o.seed, 1);
	assert_true(!o.measured_option && !o.foreign_option && !o.paced);
}

TEST(options_of_measured_traffic)
{
	struct replay_options o;
	char text[] =
		"--fabric x --slot 500us --warmup 10 --stats 20 --sink pcap --buffer 64 --csv d";

	parse(&o, text);
	assert_string_equal(o.fabric, "x");
	assert_int_equal(o.slot_ns, 500000);
	assert_int_equal(o.warmup, 10);
	assert_int_equal(o.stats, 20);
	assert_int_equal(o.sink, REPLAY_SINK_PCAP);
	assert_int_equal(o.buffer_bytes, 65536);
	assert_int_equal(o.format, DRB_FORMAT_CSV);
	assert_string_equal(o.measured_option, "--slot");
	assert_null(o.foreign_option);
}

TEST(options_of_foreign_captures)
{
	struct replay_options o;
	char text[] = "--pps 1500 --loop 0 --seed 9 --mac 06:01 --drain 1s --json a b";

	parse(&o, text);
	assert_int_equal(o.captures.count, 2);
	assert_int_equal(o.schedule.mode, SCHEDULE_RATE);
	assert_true(o.schedule.rate == 1500);
	assert_int_equal(o.schedule.loops, 0);
	assert_int_equal(o.seed, 9);
	assert_string_equal(o.mac, "06:01");
	assert_int_equal(o.drain_ns, 1000000000);
	assert_int_equal(o.format, DRB_FORMAT_JSON);
	assert_true(o.paced);
	assert_string_equal(o.foreign_option, "--pps");
	assert_null(o.measured_option);
}

TEST(options_of_both)
{
	struct replay_options o;
	char text[] = "--records r --hgrm - --max-gap 1s --load 0.5 a";

	parse(&o, text);
	assert_string_equal(o.records, "r");
	assert_string_equal(o.hgrm, "-");
	assert_string_equal(o.foreign_option, "--max-gap");
	assert_int_equal(o.max_gap_ns, 1000000000);
	assert_true(o.load == 0.5 && o.paced && o.schedule.mode == SCHEDULE_TIMES);
}

// The exit code of a process that parses the line; its message is discarded.
static int code_of(const char *line)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct replay_options o;
		char text[128];
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		snprintf(text, sizeof(text), "%s", line);
		parse(&o, text);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(mistakes_are_refused)
{
	static const char *const lines[] = {
		"",
		"--pps 10 --topspeed a",
		"--multiplier 2 --pps 10 a",
		"--pps 0 a",
		"--slot 0ns d",
		"--slot 2 d",
		"--stats 0 d",
		"--records - --links - d",
		"--warmup x d",
		"--sink disk d",
		"--buffer 15 d",
		"--hosts 0-7 d",
		"--hosts 7-0 --begin 1 d",
		"--hosts 7 --begin 1 d",
		"--begin soon d",
		"--fabric a/b d",
		"--loop -1 a",
		"--seed 1.5 a",
		"--drain forever d",
		"--load 0 a",
		"--load 0.5 --pps 10 a",
		"--max-gap 0s a",
		"--max-gap 1s --pps 10 a",
		"--nothing d",
	};

	assert_int_equal(code_of("--topspeed a"), 0);
	assert_int_equal(code_of("--hosts 0-7 --begin 1800000000.5 d"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (code_of(lines[i]) != DRB_EXIT_USAGE)
			fail_msg("'%s' is taken", lines[i]);
	}
}

TEST(buffers_share_what_there_is)
{
	struct replay_options o = {0};

	assert_int_equal(replay_buffer_bytes(&o, 1), 1 << 20);
	assert_int_equal(replay_buffer_bytes(&o, 128), 1 << 20);
	assert_int_equal(replay_buffer_bytes(&o, 256), 1 << 19);
	assert_int_equal(replay_buffer_bytes(&o, 1 << 20), 64 << 10);
	o.buffer_bytes = 12345;
	assert_int_equal(replay_buffer_bytes(&o, 4096), 12345);
}

TEST_MAIN(NULL, NULL)
