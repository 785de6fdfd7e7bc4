// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Programs whose first argument is a verb with options of its own: "drbctl show --json s2-5".

#include <stddef.h>

struct drb_verb {
	const char *name;
	const char *title; // "drbctl show": the program's name in the verb's own --help
	const char *help;  // one line
	int (*run)(int argc, char **argv); // argv[0] is the title; returns an exit code
	// For drb_args_set_examples(). The help of the program shows the first line.
	const char *examples;
};

// Runs the verb of the command line, or prints the help for `help VERB`, flushes standard output,
// and returns the exit code of main(). Without a known verb it lists the verbs and exits with
// DRB_EXIT_USAGE. about: one line on the program.
int drb_verbs_main(const char *about, const struct drb_verb verbs[], size_t count, int argc,
		   char **argv);
