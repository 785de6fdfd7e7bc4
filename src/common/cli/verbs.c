// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/verbs.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#define TEXT_MAX 2048

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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct verbs *verbs = state->input;
	char names[TEXT_MAX] = "";

	list_names(verbs, names);
	switch (key) {
	case ARGP_KEY_ARG:
		for (size_t i = 0; i < verbs->count; i++) {
			if (strcmp(arg, verbs->at[i].name) != 0)
				continue;
			// The verb parses the rest; its title takes the place of argv[0].
			char **rest = state->argv + state->next - 1;
			int count = state->argc - state->next + 1;
			rest[0] = (char *)verbs->at[i].title;
			state->next = state->argc;
			verbs->code = verbs->at[i].run(count, rest);
			return 0;
		}
		drb_die("no verb '%s': must be %s", arg, names);
	case ARGP_KEY_NO_ARGS:
		drb_die("a verb is missing: %s (see --help)", names);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int drb_verbs_main(const char *about, const struct drb_verb verbs[], size_t count, int argc,
		   char **argv)
{
	struct verbs input = {.at = verbs, .count = count, .code = DRB_EXIT_OK};
	char doc[TEXT_MAX];
	size_t used = (size_t)snprintf(doc, sizeof(doc), "%s\vVerbs:\n", about);

	for (size_t i = 0; i < count && used < sizeof(doc); i++)
		used += (size_t)snprintf(doc + used, sizeof(doc) - used, "  %-8s %s\n",
					 verbs[i].name, verbs[i].help);
	if (used < sizeof(doc))
		snprintf(doc + used, sizeof(doc) - used,
			 "\n'%s VERB --help' lists the options of a verb.",
			 program_invocation_short_name);
	struct argp argp = {.parser = parse, .args_doc = "VERB [OPTION...]", .doc = doc};
	drb_args_parse(&argp, argc, argv, ARGP_IN_ORDER, &input);
	return drb_finish(input.code);
}
