// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/plan_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/schemes/load.h"

#include "plan/fabric/fabric_plan.h"

_Static_assert(DRB_DRIVER_AF_PACKET == 0 && DRB_DRIVER_AF_XDP == 1,
	       "the drivers of veths come first");

#define FIRST_CODE 0x300 // an option's code is this plus the key's index in drb_config_keys
#define FIRST_GROUP 4    // first group of options in --help; one for each section
#define NAME_MAX_LENGTH 32
#define HELP_MAX 768

static const char *veth_driver(uint32_t i)
{
	return i <= DRB_DRIVER_AF_XDP ? drb_driver_name((enum drb_driver)i) : NULL;
}

// The key with the values that its option takes: --driver has only the drivers of veths.
static struct drb_config_key as_option(const struct drb_config_key *key)
{
	struct drb_config_key option = *key;

	if (key->section == DRB_SECTION_LINK && strcmp(key->name, "driver") == 0)
		option.word = veth_driver;
	return option;
}

// The option of a key: "flow-idle" for "flow_idle".
static void option_name(const struct drb_config_key *key, char name[NAME_MAX_LENGTH])
{
	snprintf(name, NAME_MAX_LENGTH, "%s", key->name);
	for (char *c = name; *c; c++) {
		if (*c == '_')
			*c = '-';
	}
}

// The help of an option: the key's meaning without Markdown, its range and its default.
static void option_help(const struct drb_config_key *key, char help[HELP_MAX])
{
	const char *otherwise = key->initial ? key->initial : key->derived;
	const struct drb_config_key option = as_option(key);
	char range[DRB_CONFIG_WHY];
	size_t used = 0;

	for (const char *c = key->meaning; *c; c++) {
		if (*c != '`')
			help[used++] = *c;
	}
	help[0] = (char)toupper((unsigned char)help[0]);
	drb_config_range(&option, range);
	snprintf(help + used, HELP_MAX - used, " (%s; default: %s)", range, otherwise);
}

static error_t plan_parse(int code, char *arg, struct argp_state *state)
{
	char why[DRB_CONFIG_WHY], name[NAME_MAX_LENGTH];
	struct plan *plan = state->input;
	struct drb_setup unused;

	if (code < FIRST_CODE || code >= FIRST_CODE + DRB_CONFIG_KEYS)
		return ARGP_ERR_UNKNOWN;
	const struct drb_config_key *key = &drb_config_keys[code - FIRST_CODE];
	const struct drb_config_key option = as_option(key);
	// An option with a truth value may be given without one.
	const char *text = arg ? arg : "true";
	bool of_link = key->section == DRB_SECTION_LINK;
	// The scheme is parsed only once, by plan_set_scheme(): if the option is given twice, the
	// shared object that the first one names need not exist.
	if (key->type != DRB_VALUE_SCHEME &&
	    drb_config_parse(&option, text, of_link ? (void *)&plan->link : &unused, why) < 0) {
		option_name(key, name);
		drb_config_range(&option, why);
		drb_die("--%s %s: must be %s", name, text, why);
	}
	plan->config.text[drb_config_index(key)] = text;
	return 0;
}

void plan_set_scheme(struct plan *plan)
{
	const struct drb_config_key *key = drb_config_key(1u << DRB_SECTION_ROUTING, "scheme");
	const char **given = &plan->config.text[drb_config_index(key)];
	const char *text = *given ? *given : key->initial;
	struct drb_setup setup;
	char why[DRB_CONFIG_WHY] = "";

	if (drb_scheme_whole(text, plan->scheme) < 0)
		snprintf(why, sizeof(why), "its path is too long");
	else if (drb_config_parse(key, plan->scheme, &setup, why) == 0 && *given)
		*given = plan->scheme; // otherwise configs do not contain the key
	if (*why)
		drb_die("%s %s: %s", "--scheme", text, why);
}

const struct argp *plan_config_argp(void)
{
	static char name[DRB_CONFIG_KEYS][NAME_MAX_LENGTH], help[DRB_CONFIG_KEYS][HELP_MAX];
	static struct argp_option options[DRB_CONFIG_KEYS + 1];
	static const struct argp argp = {.options = options, .parser = plan_parse};
	size_t count = 0;

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (!key->option)
			continue;
		option_name(key, name[i]);
		option_help(key, help[i]);
		options[count++] = (struct argp_option){
			.name = name[i],
			.key = FIRST_CODE + (int)i,
			.arg = key->option,
			.flags = key->type == DRB_VALUE_TRUTH ? OPTION_ARG_OPTIONAL : 0,
			.doc = help[i],
			.group = FIRST_GROUP + (int)key->section,
		};
	}
	options[count] = (struct argp_option){0};
	return &argp;
}
