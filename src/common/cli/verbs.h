// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Programs whose first argument is a verb with options of its own: "drbctl show --json s2-5".

#include <stddef.h>

struct drb_verb {
	const char *name;
	const char *title; // "drbctl show": what the verb's own --help calls the program
	const char *help;  // one line
	int (*run)(int argc, char **argv); // argv[0] is the title; returns an exit code
	const char
		*examples; // as drb_args_set_examples(); the program's own help has the first line
};

// Runs the verb of the command line, or prints the help of `help VERB`, and flushes standard output; the exit code of main(). Without a
// known verb it prints what there is and exits with DRB_EXIT_USAGE. about: one line on the program.
int drb_verbs_main(const char *about, const struct drb_verb verbs[], size_t count, int argc,
		   char **argv);
