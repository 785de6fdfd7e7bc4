// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

// Around the parser of a program: without a stream argp does not print its second line.
static error_t quiet(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->err_stream = NULL;
	state->child_inputs[0] = state->input;
	return 0;
}

void drb_args_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
	const struct argp outer = {.parser = quiet, .children = children};

	// The line that getopt prints begins with it.
	if (argc > 0 && strcmp(argv[0], program_invocation_name) == 0)
		argv[0] = program_invocation_short_name;
	if (argp_parse(&outer, argc, argv, flags, NULL, input) != 0)
		exit(DRB_EXIT_USAGE);
}
