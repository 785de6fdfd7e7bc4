// SPDX-License-Identifier: BSD-3-Clause
#include "switch/options.h"

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/args.h"
#include "common/cli/options.h"
#include "common/cli/quantity.h"

const char *argp_program_version = "drbswitch " DRB_VERSION;

static void parse_number(const struct drb_option *o, const char *text, void *number)
{
	uint32_t value;

	if (drb_parse_u32(text, 0, UINT32_MAX, &value) < 0)
		drb_die("%s: \"%s\" is not a number", o->name, text);
	*(int64_t *)number = value;
}

static void parse_level(const struct drb_option *o, const char *text, void *level)
{
	if (drb_log_level_of(text, level) < 0)
		drb_die("%s: \"%s\" is none of " DRB_LOG_LEVEL_NAMES, o->name, text);
}

#define AT(field) offsetof(struct drb_switch_options, field)

static const struct drb_option options[] = {
	{"--config", "FILE",
	 "YAML config of this switch; keys: drbswitch.yaml(5) or docs/reference/config.md",
	 .kind = DRB_OPTION_TEXT, AT(config), .letter = 'c'},
	{"--layer", "M", "Layer of this switch; overrides the file", .kind = DRB_OPTION_OTHER,
	 AT(override.layer), .parse = parse_number},
	{"--label", "N", "Label of this switch; overrides the file", .kind = DRB_OPTION_OTHER,
	 AT(override.label), .parse = parse_number},
	{"--check", NULL, "Check the config and exit", .kind = DRB_OPTION_FLAG, AT(check)},
	{"--hold", NULL, "Prepare everything, forward once standard input ends",
	 .kind = DRB_OPTION_FLAG, AT(hold)},
	{"--log-level", "LEVEL",
	 "Print messages up to LEVEL: " DRB_LOG_LEVEL_NAMES " (default info)",
	 .kind = DRB_OPTION_OTHER, AT(log), .parse = parse_level},
	{"--verbose", NULL,
	 "Also print messages of DPDK and its drivers: the same as --log-level debug",
	 .kind = DRB_OPTION_VALUE, AT(log), DRB_LOG_DEBUG, .letter = 'v'},
	{0},
};

struct drb_switch_options drb_switch_options_parse(int argc, char **argv)
{
	struct drb_switch_options o = {.override = {.layer = -1, .label = -1}, .log = DRB_LOG_INFO};
	const struct drb_options sets[] = {{.option = options, &o}, {0}};

	drb_args_set_examples("  drbswitch -c s1-0.yaml\n"
			      "  drbswitch -c switch.yaml --layer 1 --label 0\n"
			      "  drbswitch -c s1-0.yaml --check\n");
	drb_options_parse(
		sets,
		"Runs one switch of the fat-tree F(l,d). Its routing scheme (default: "
		"threshold-based two-choice against the D-mod-k uplink) chooses the uplinks of "
		"packets that go up; only one port leads down to a host.",
		argc, argv);
	if (!o.config)
		drb_die("no config: give -c FILE (see --help)");
	return o;
}
