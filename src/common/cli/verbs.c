// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/verbs.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "common/cli/nearest.h"

#define TEXT_MAX 2048

#define HELP_VERB "help"

struct verbs {
	const struct drb_verb *at;
	size_t count;
	int code;
};

static void list_names(const struct verbs *verbs, char text[TEXT_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < verbs->count && used < TEXT_MAX; i++)
		used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%s",
					 i == 0                 ? ""
					 : i + 1 < verbs->count ? ", "
								: " or ",
					 verbs->at[i].name);
}

static const struct drb_verb *verb_find(const struct verbs *verbs, const char *name)
{
	for (size_t i = 0; i < verbs->count; i++) {
		if (strcmp(verbs->at[i].name, name) == 0)
			return &verbs->at[i];
	}
	return NULL;
}

static error_t verb_parse(int key, char *arg, struct argp_state *state)
{
	struct verbs *verbs = state->input;
	char names[TEXT_MAX] = "";

	list_names(verbs, names);
	switch (key) {
	case ARGP_KEY_ARG: {
		const struct drb_verb *verb = verb_find(verbs, arg);
		if (verb) {
			// The verb parses the rest, with its title as argv[0].
			char **rest = state->argv + state->next - 1;
			int count = state->argc - state->next + 1;
			rest[0] = (char *)verb->title;
			state->next = state->argc;
			drb_args_set_examples(verb->examples);
			verbs->code = verb->run(count, rest);
			return 0;
		}
		struct drb_nearest n = {.word = arg};
		char hint[DRB_NEAREST_TEXT];
		for (size_t i = 0; i < verbs->count; i++)
			drb_nearest_try(&n, verbs->at[i].name);
		drb_die("no verb '%s'%s: must be %s (see %s --help)", arg,
			drb_nearest_text(&n, hint), names, program_invocation_short_name);
	}
	case ARGP_KEY_NO_ARGS:
		drb_die("a verb is missing: must be %s (see %s --help)", names,
			program_invocation_short_name);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

// The first example of every verb that has examples.
static char *first_examples(const struct drb_verb verbs[], size_t count)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++) {
		const char *examples = verbs[i].examples;
		if (examples)
			fprintf(out, "%.*s\n", (int)strcspn(examples, "\n"), examples);
	}
	if (fclose(out) != 0)
		drb_die("out of memory");
	return text;
}

// Options may precede the verb. It is moved to the front if only one word can be the verb.
static void put_verb_first(const struct verbs *verbs, int argc, char **argv)
{
	int at = 0, found = 0;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (verb_find(verbs, argv[i])) {
			at = found ? at : i;
			found++;
		}
	}
	if (!found || argv[1][0] != '-')
		return;
	if (found > 1)
		drb_die("options must follow the verb: %s %s %s ...", program_invocation_short_name,
			argv[at], argv[1]);
	char *verb = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = verb;
}

int drb_verbs_main(const char *about, const struct drb_verb verbs[], size_t count, int argc,
		   char **argv)
{
	struct verbs input = {.at = verbs, .count = count, .code = DRB_EXIT_OK};
	int width = 0;
	char doc[TEXT_MAX], *examples = first_examples(verbs, count);
	size_t used = (size_t)snprintf(doc, sizeof(doc), "%s\vVerbs:\n", about);

	for (size_t i = 0; i < count; i++)
		width = (int)strlen(verbs[i].name) > width ? (int)strlen(verbs[i].name) : width;
	for (size_t i = 0; i < count && used < sizeof(doc); i++)
		used += (size_t)snprintf(doc + used, sizeof(doc) - used, "  %-*s  %s\n", width,
					 verbs[i].name, verbs[i].help);
	if (used < sizeof(doc))
		snprintf(doc + used, sizeof(doc) - used,
			 "\n'%s VERB --help' lists the options of a verb.\n",
			 program_invocation_short_name);
	// "help VERB" is "VERB --help".
	if (argc == 3 && strcmp(argv[1], HELP_VERB) == 0) {
		argv[1] = argv[2];
		argv[2] = "--help";
	}
	put_verb_first(&input, argc, argv);
	struct argp argp = {.parser = verb_parse, .args_doc = "VERB [OPTION...]", .doc = doc};
	drb_args_set_examples(examples);
	drb_args_parse(&argp, argc, argv, ARGP_IN_ORDER, &input);
	free(examples);
	return drb_finish(input.code);
}
