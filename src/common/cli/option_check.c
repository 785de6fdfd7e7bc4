// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/option_check.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/nearest.h"

#define LONG_MAX_COUNT 256
#define SHORT_MAX 600
#define FOUND_LONG 1 // less than any letter

// All options of an argp and its children, in the form of getopt_long().
struct options {
	struct option option[LONG_MAX_COUNT + 1]; // ends with an entry of zeros
	size_t count;
	char letters[SHORT_MAX]; // "+:ab:"
};

static void option_add(struct options *o, const struct argp_option *at)
{
	bool may = at->flags & OPTION_ARG_OPTIONAL;
	int has_arg = !at->arg ? no_argument : may ? optional_argument : required_argument;
	size_t used = strlen(o->letters);

	if (at->name) {
		if (o->count == LONG_MAX_COUNT)
			abort();
		o->option[o->count++] = (struct option){at->name, has_arg, NULL, FOUND_LONG};
	}
	if (at->key > ' ' && at->key < 0x7f && at->key != '?') {
		if (used + 4 > SHORT_MAX)
			abort();
		o->letters[used++] = (char)at->key;
		memcpy(o->letters + used, "::", (size_t)has_arg);
	}
}

static void collect(struct options *o, const struct argp *argp)
{
	for (const struct argp_option *at = argp->options; at; at++) {
		if (!at->name && !at->key && !at->doc && !at->group)
			break;
		if (at->flags & OPTION_DOC || (!at->name && !at->key))
			continue; // text
		option_add(o, at);
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		collect(o, child->argp);
}

// True for a prefix of several options, such as "--st".
static bool is_ambiguous(const struct options *o, const char *word)
{
	size_t length = strcspn(word, "="), matches = 0;

	for (size_t i = 0; i < o->count; i++)
		matches += strncmp(o->option[i].name, word, length) == 0;
	return matches > 1;
}

// Ends the process with the program's name and getopt_long()'s words for the error.
static _Noreturn void option_refuse(const struct options *o, int found, const char *word,
				    const char *program)
{
	bool lacks = found == ':';

	if (optopt > FOUND_LONG && lacks)
		drb_die("option requires an argument -- '%c' (see %s --help)", optopt, program);
	if (optopt > FOUND_LONG)
		drb_die("invalid option -- '%c' (see %s --help)", optopt, program);
	if (lacks)
		drb_die("option '%s' requires an argument (see %s --help)", word, program);
	if (optopt == FOUND_LONG)
		drb_die("option '%.*s' doesn't allow an argument (see %s --help)",
			(int)strcspn(word, "="), word, program);
	char name[64], hint[DRB_NEAREST_TEXT];
	struct drb_nearest n = {.word = name};
	const bool ambiguous = is_ambiguous(o, word + 2);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "=") - 2, word + 2);
	for (size_t i = 0; !ambiguous && i < o->count; i++)
		drb_nearest_try(&n, o->option[i].name);
	drb_die("%s option '%s'%s (see %s --help)", ambiguous ? "ambiguous" : "unrecognized", word,
		drb_nearest_text(&n, hint), program);
}

void drb_option_check(const struct argp *argp, int argc, char *const argv[], unsigned flags)
{
	struct options options = {.letters = ":"};
	char **words =
		// A copy, because getopt_long() changes the order of the words.
		calloc((size_t)argc + 1, sizeof(*words));
	int found;

	if (!words)
		drb_die("out of memory");
	if (flags & ARGP_IN_ORDER)
		memcpy(options.letters, "+:", 3);
	collect(&options, argp);
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	opterr = 0;
	optind = 0; // start again
	do {
		optopt = 0;
		found = getopt_long(argc, words, options.letters, options.option, NULL);
		// "-?" is a valid option, for which getopt_long() also returns '?'.
		if (found == ':' || (found == '?' && optopt != '?'))
			break;
	} while (found != -1);
	const char *word = found == -1 ? NULL : words[optind - 1];
	free(words);
	if (word)
		option_refuse(&options, found, word, argv[0]);
}
