// SPDX-License-Identifier: BSD-3-Clause
#include "switch/options.h"

#include <argp.h>
#include <stdint.h>

#include "common/cli/args.h"

const char *argp_program_version = "drbswitch " DRB_VERSION;

enum { OPT_LAYER = 256, OPT_LABEL, OPT_CHECK, OPT_LOG };

static const struct argp_option option_table[] = {
	{"config", 'c', "FILE", 0,
	 "YAML config of this switch; keys: drbswitch.yaml(5) or config/README.md", 0},
	{"layer", OPT_LAYER, "M", 0, "Layer of this switch; overrides the file", 0},
	{"label", OPT_LABEL, "N", 0, "Label of this switch; overrides the file", 0},
	{"check", OPT_CHECK, NULL, 0, "Check the config and exit", 0},
	{"log-level", OPT_LOG, "LEVEL", 0,
	 "Say nothing beyond this: " DRB_LOG_LEVEL_NAMES " (default info)", 0},
	{"verbose", 'v', NULL, 0,
	 "Print messages of DPDK and its drivers, too: the same as --log-level debug", 0},
	{0},
};

static uint32_t number(const char *option, const char *text)
{
	uint32_t value;

	if (drb_parse_u32(text, 0, UINT32_MAX, &value) < 0)
		drb_die("--%s: \"%s\" is not a number", option, text);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct drb_options *o = state->input;

	switch (key) {
	case 'c':
		o->config = arg;
		return 0;
	case OPT_LAYER:
		o->override.layer = number("layer", arg);
		return 0;
	case OPT_LABEL:
		o->override.label = number("label", arg);
		return 0;
	case OPT_CHECK:
		o->check = true;
		return 0;
	case OPT_LOG:
		if (drb_log_level_of(arg, &o->log) < 0)
			drb_die("--log-level: \"%s\" is none of " DRB_LOG_LEVEL_NAMES, arg);
		return 0;
	case 'v':
		o->log = DRB_LOG_DEBUG;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("unexpected argument \"%s\"", arg);
	case ARGP_KEY_END:
		if (!o->config)
			drb_die("no config: give -c FILE (see --help)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.doc = "Runs one switch of the fat-tree F(l,d): sends packets up by the routing scheme "
	       "of its config (default: threshold-based two-choice against the D-mod-k uplink), "
	       "and down by the only port that leads there.",
};

struct drb_options drb_options_parse(int argc, char **argv)
{
	struct drb_options o = {.override = {.layer = -1, .label = -1}, .log = DRB_LOG_INFO};

	drb_args_set_examples("  drbswitch -c s1-0.yaml\n"
			      "  drbswitch -c switch.yaml --layer 1 --label 0\n"
			      "  drbswitch -c s1-0.yaml --check\n");
	drb_args_parse(&argp, argc, argv, 0, &o);
	return o;
}
