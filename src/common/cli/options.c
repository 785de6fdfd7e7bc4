// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define OPTIONS_MAX 63
#define CHILDREN_MAX 3
#define KEY_FIRST 0x1000 // keys of options without a letter

// Option sets in the form of argp; entry [i] of each array is one option.
struct parser {
	struct argp_option argp[OPTIONS_MAX + 1];
	const struct drb_option *option[OPTIONS_MAX];
	void *field[OPTIONS_MAX];
	const char **given[OPTIONS_MAX];
	struct argp_child child[CHILDREN_MAX + 1];
	void *child_input[CHILDREN_MAX];
	int count, children;
	// For words that are not options; NULL: the command line may not have any.
	const struct drb_option *argument;
	void *argument_at;
};

static void parser_add(struct parser *p, const struct drb_option *o, const struct drb_options *set,
		       int group)
{
	int key = o->letter ? o->letter : KEY_FIRST + p->count;
	bool only_letter = o->name && o->name[1] != '-';
	void *field = (char *)set->into + o->at;

	if (!o->name) {
		p->argument = o;
		p->argument_at = field;
		return;
	}
	if (only_letter)
		key = o->name[1];
	if (p->count == OPTIONS_MAX)
		abort();
	p->option[p->count] = o;
	p->field[p->count] = field;
	p->given[p->count] = set->given;
	p->argp[p->count++] = (struct argp_option){
		only_letter ? NULL : o->name + 2, key, o->arg, 0, o->help, group};
}

static void add_set(struct parser *p, const struct drb_options *set, int group)
{
	if (set->argp) {
		if (p->children == CHILDREN_MAX)
			abort();
		p->child[p->children] = (struct argp_child){.argp = set->argp};
		p->child_input[p->children++] = set->into;
		return;
	}
	if (set->heading)
		p->argp[p->count++] = (struct argp_option){.doc = set->heading, .group = group};
	for (const struct drb_option *o = set->option; o->name || o->arg; o++)
		parser_add(p, o, set, group);
}

// The position of the text among the words of o->arg.
static unsigned word_of(const struct drb_option *o, const char *text)
{
	char names[128] = "";
	size_t used = 0, length;
	unsigned place = 0;

	for (const char *word = o->arg;; word += length + 1, place++) {
		length = strcspn(word, "|");
		if (strlen(text) == length && strncmp(word, text, length) == 0)
			return place;
		const char *before = place == 0 ? "" : word[length] ? ", " : " or ";
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.*s", before,
					 (int)length, word);
		if (!word[length])
			drb_die("%s %s: must be %s", o->name, text, names);
	}
}

static uint64_t most_of(const struct drb_option *o)
{
	return o->most > 0 ? (uint64_t)o->most : UINT64_MAX;
}

static void take_time(const struct drb_option *o, const char *text, uint64_t *ns)
{
	if (drb_parse_time(text, ns) == 0 && *ns >= (uint64_t)o->least && *ns <= most_of(o))
		return;
	if (o->least >= 1e6 && o->most > 0)
		drb_die("%s %s: must be a time from %gms to %gs", o->name, text, o->least / 1e6,
			o->most / 1e9);
	if (o->least >= 1e6)
		drb_die("%s %s: must be a time from %gms", o->name, text, o->least / 1e6);
	drb_die("%s %s: must be a time, such as 200ms or 2s", o->name, text);
}

void drb_option_take(const struct drb_option *o, const char *text, void *field)
{
	switch (o->kind) {
	case DRB_OPTION_FLAG:
		*(bool *)field = true;
		return;
	case DRB_OPTION_TEXT:
		*(const char **)field = text;
		return;
	case DRB_OPTION_U32:
		*(uint32_t *)field =
			drb_option_u32(o->name, text, (uint32_t)o->least, (uint32_t)o->most);
		return;
	case DRB_OPTION_U64:
		*(uint64_t *)field = drb_option_u64(o->name, text, (uint64_t)o->least, most_of(o));
		return;
	case DRB_OPTION_TIME:
		take_time(o, text, field);
		return;
	case DRB_OPTION_REAL:
		if (drb_parse_real(text, o->least, o->most, field) < 0)
			drb_die("%s %s: must be a number from %g to %g", o->name, text, o->least,
				o->most);
		return;
	case DRB_OPTION_VALUE:
		*(unsigned *)field = (unsigned)o->least;
		return;
	case DRB_OPTION_WORD:
		*(unsigned *)field = word_of(o, text);
		return;
	case DRB_OPTION_REST: // not an option
		return;
	case DRB_OPTION_OTHER:
		o->parse(o, text, field);
	}
}

static error_t key_parse(int key, char *arg, struct argp_state *state)
{
	const struct parser *p = state->input;

	if (key == ARGP_KEY_INIT) {
		memcpy(state->child_inputs, p->child_input, (size_t)p->children * sizeof(void *));
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		if (p->argument && p->argument->kind == DRB_OPTION_REST)
			return ARGP_ERR_UNKNOWN; // DRB_OPTION_REST takes all words at once
		if (!p->argument || *(const char **)p->argument_at)
			drb_die("'%s' is one argument too many", arg);
		*(const char **)p->argument_at = arg;
		return 0;
	}
	if (key == ARGP_KEY_ARGS) {
		*(struct drb_rest *)p->argument_at = (struct drb_rest){
			state->argv + state->next, (uint32_t)(state->argc - state->next)};
		return 0;
	}
	for (int i = 0; i < p->count; i++) {
		if (p->option[i] && p->argp[i].key == key) {
			if (p->given[i] && !*p->given[i])
				*p->given[i] = p->option[i]->name;
			drb_option_take(p->option[i], arg, p->field[i]);
			return 0;
		}
	}
	return ARGP_ERR_UNKNOWN;
}

void drb_options_parse(const struct drb_options *sets, const char *doc, int argc, char **argv)
{
	struct parser p = {0};

	for (int i = 0; sets[i].into; i++)
		add_set(&p, &sets[i], i + 1);
	const struct argp argp = {.options = p.count ? p.argp : NULL, // argp leaks an empty list
				  .parser = key_parse,
				  .args_doc = p.argument ? p.argument->arg : NULL,
				  .doc = doc,
				  .children = p.child};
	drb_args_parse(&argp, argc, argv, 0, &p);
	for (; sets->into; sets++) {
		if (sets->complete)
			sets->complete(sets->into);
	}
}
