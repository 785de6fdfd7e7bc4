// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options as rows of a table: help text, allowed values, and the field that receives the value.

#include <stddef.h>
#include <stdint.h>

#include <argp.h>

enum drb_option_kind {
	DRB_OPTION_FLAG,  // bool, set to true
	DRB_OPTION_TEXT,  // const char *
	DRB_OPTION_U32,   // uint32_t from least to most
	DRB_OPTION_U64,   // uint64_t from least to most; most 0: no limit
	DRB_OPTION_TIME,  // uint64_t in ns, with the same limits
	DRB_OPTION_REAL,  // double from least to most
	DRB_OPTION_VALUE, // unsigned or an enum, set to `least`
	DRB_OPTION_WORD, // unsigned or an enum: position of the word in arg, such as "random|label"
	DRB_OPTION_REST, // struct drb_rest: all arguments that are not options
	DRB_OPTION_OTHER // set by `parse`, which dies with the option's name
};

struct drb_rest {
	char **at; // NULL: there are none
	uint32_t count;
};

struct drb_option {
	// "--seed" or "-6". NULL: not an option, but the argument (DRB_OPTION_TEXT) or all
	// arguments (DRB_OPTION_REST).
	const char *name;
	const char *arg; // name of the argument in --help; NULL: the option takes none
	const char *help;
	enum drb_option_kind kind;
	size_t at; // offset in the struct of the set
	double least, most;
	void (*parse)(const struct drb_option *option, const char *text, void *field);
	char letter;
	const char *initial; // the default as a user would write it; NULL: the struct has it
	const char *unit;    // unit of the number, such as "slots"; NULL: none
};

// Options and the struct that they fill in. The struct holds the defaults before. --help lists sets
// in this order.
struct drb_options {
	const struct drb_option *option; // ends with an entry of zeros
	void *into;
	void (*complete)(void *into); // called once all options are taken; may be NULL
	const char *heading;          // heading of these options in --help; may be NULL
	// Set to the name of the first option of this set that is given. May be NULL.
	const char **given;
	const struct argp *argp; // used instead of `option`, with `into` as its input; NULL: none
};

// Parses one value, in the form of a command line, into the field. Ends the process with a message
// if the value is wrong. Texts are not copied.
void drb_option_take(const struct drb_option *option, const char *text, void *field);
// Parses a command line by these sets with drb_args_parse(). The last set is all zeros.
void drb_options_parse(const struct drb_options *sets, const char *doc, int argc, char **argv);
