// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/args.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/cli/option_check.h"
#include "common/cli/quantity.h"

enum { KEY_USAGE = 0x10000 };

// These replace argp's own options, which lack -h.
static const struct argp_option own_options[] = {
	{"help", 'h', NULL, 0, "Print this help and exit", -1},
	{NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
	{"usage", KEY_USAGE, NULL, 0, "Print a short usage and exit", -1},
	{"version", 'V', NULL, 0, "Print the version and exit", -1},
	{0},
};

// drb_args_set_examples() writes this before a command line is parsed.
static const char *examples;

void drb_args_set_examples(const char *text)
{
	examples = text;
}

// Wraps the parser of a program. Without a stream, argp does not print the second line of an error.
static error_t args_parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->err_stream = NULL;
		state->child_inputs[0] = state->input;
		return 0;
	case 'h':
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case 'V':
		puts(argp_program_version);
		exit(DRB_EXIT_OK);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

// If standard streams are closed, files would get their numbers, and then the program's messages.
// The streams opened here prevent that, and fail in the same way as closed streams.
static void replace_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

void drb_args_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	char *last = NULL;

	replace_closed_streams();
	if (examples && asprintf(&last, "\vExamples:\n%s", examples) < 0)
		drb_die("out of memory");
	// The last child adds its text at the end of the help.
	const struct argp behind = {.doc = last};
	const struct argp_child children[] = {{argp, 0, NULL, 0}, {&behind, 0, NULL, 0}, {0}};
	const struct argp outer = {
		.options = own_options, .parser = args_parse, .children = children};

	// The text of --help has the short name of the program.
	if (argc > 0 && strcmp(argv[0], program_invocation_name) == 0)
		argv[0] = program_invocation_short_name;
	if (argc == 2 && strcmp(argv[1], "help") == 0)
		argv[1] = "--help";
	drb_option_check(&outer, argc, argv, flags);
	if (argp_parse(&outer, argc, argv, flags | ARGP_NO_HELP, NULL, input) != 0)
		exit(DRB_EXIT_USAGE);
	free(last);
}

uint64_t drb_option_u64(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value;
	char limits[64] = "";

	if (drb_parse_u64(text, least, most, &value) == 0)
		return value;
	if (most < UINT64_MAX)
		snprintf(limits, sizeof(limits), " from %" PRIu64 " to %" PRIu64, least, most);
	else if (least > 0)
		snprintf(limits, sizeof(limits), " from %" PRIu64, least);
	drb_die("%s %s: must be a whole number%s", option, text, limits);
}

uint32_t drb_option_u32(const char *option, const char *text, uint32_t least, uint32_t most)
{
	return (uint32_t)drb_option_u64(option, text, least, most);
}
