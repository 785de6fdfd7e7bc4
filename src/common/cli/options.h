// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options as rows of a table: help text, allowed values, and where the value goes.

#include <stddef.h>
#include <stdint.h>

#include <argp.h>

enum drb_option_kind {
	DRB_OPTION_FLAG,  // bool, which becomes true
	DRB_OPTION_TEXT,  // const char *
	DRB_OPTION_U32,   // uint32_t from least to most
	DRB_OPTION_U64,   // uint64_t from least to most; most 0: any
	DRB_OPTION_TIME,  // uint64_t, ns, likewise
	DRB_OPTION_REAL,  // double from least to most
	DRB_OPTION_VALUE, // unsigned or an enum, which becomes `least`
	DRB_OPTION_WORD, // unsigned or an enum: the place of the word in arg, such as "random|label"
	DRB_OPTION_REST, // struct drb_rest: all arguments that are no options
	DRB_OPTION_OTHER // as `parse` does, which dies naming the option
};

struct drb_rest {
	char **at; // NULL: none
	uint32_t count;
};

struct drb_option {
	const char *
		name; // "--seed", or "-6"; NULL: no option, but the argument (a DRB_OPTION_TEXT) or all
	const char *arg; // in --help; NULL: takes none
	const char *help;
	enum drb_option_kind kind;
	size_t at; // in the struct of the set
	double least, most;
	void (*parse)(const struct drb_option *option, const char *text, void *field);
	char letter;
};

// Options and the struct they fill in, which has the defaults before. Sets stand in --help in their order.
struct drb_options {
	const struct drb_option *option; // ends with one of zeros
	void *into;
	void (*complete)(void *into); // called once all options are taken; may be NULL
	const char *heading;          // of its options in --help; may be NULL
	const char *
		*given; // becomes the name of the first of its options that is given; may be NULL
	const struct argp *argp; // instead of `option`: such a parser, with `into` as its input
};

// Parses a command line by these sets, the last of which is of zeros; as drb_args_parse() does.
void drb_options_parse(const struct drb_options *sets, const char *doc, int argc, char **argv);
