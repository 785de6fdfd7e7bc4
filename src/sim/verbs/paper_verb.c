// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/csv.h"
#include "sim/paper/plan.h"
#include "sim/paper/plots.h"
#include "sim/paper/report.h"
#include "sim/paper/run.h"
#include "sim/paper/study_csv.h"

enum { KEY_QUICK = 0x300, KEY_LONG, KEY_SEEDS, KEY_PART, KEY_LOAD, KEY_OUT };
#define SEEDS 5 // of the studies
#define OWN_SEEDS 5
#define QUICK_SEEDS 1
#define QUICK_OWN_SEEDS 3

static const struct argp_option options[] = {
	{"out", KEY_OUT, "DIR", 0, "Directory to write to; made if missing (required)", 1},
	{"quick", KEY_QUICK, NULL, 0, "Few repetitions and short runs: under a minute", 1},
	{"long", KEY_LONG, NULL, 0,
	 "The study of traffic that persists with all patterns on all fabrics: hours", 1},
	{"seeds", KEY_SEEDS, "COUNT", 0,
	 "Runs of each point, for intervals (default 5; with --quick 3, of the studies 1)", 1},
	{"part", KEY_PART, "NAME", 0,
	 "Run only this part, as it is named in cost.csv; the report waits for the others", 1},
	{"load", KEY_LOAD, "RANGE", 0, "Run packets only at these loads, such as 0.5,0.9", 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct paper *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &p->common;
		return 0;
	case KEY_QUICK:
		p->quick = true;
		return 0;
	case KEY_LONG:
		p->longer = true;
		return 0;
	case KEY_SEEDS:
		p->seeds = drb_option_u32("--seeds", arg, 1, PAPER_SEEDS_MAX);
		return 0;
	case KEY_PART:
		p->part = arg;
		return 0;
	case KEY_LOAD:
		free(p->loads.value);
		p->loads = sim_reals("--load", arg, 0, 1);
		return 0;
	case KEY_OUT:
		p->dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is not an option", arg);
	case ARGP_KEY_SUCCESS:
		if (!p->dir)
			drb_die("--out DIR is missing: where to write");
		if (p->quick && p->longer)
			drb_die("--quick and --long exclude each other");
		p->own_seeds = p->seeds ? p->seeds : p->quick ? QUICK_OWN_SEEDS : OWN_SEEDS;
		if (p->seeds == 0)
			p->seeds = p->quick ? QUICK_SEEDS : SEEDS;
		if (p->common.format != DRB_FORMAT_TABLE)
			drb_die("--csv, --json: paper writes CSV files and a report to its DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_part(const struct paper *p)
{
	struct paper_cost cost[PAPER_COSTS];
	uint32_t costs = paper_costs(p, cost);
	char known[PAPER_COSTS * (PAPER_COST_NAME + 4) + 1] = "";
	size_t length = 0;

	for (uint32_t i = 0; i < costs; i++) {
		if (strcmp(cost[i].name, p->part) == 0)
			return;
		length += (size_t)snprintf(known + length, sizeof(known) - length, "%s'%s'",
					   i ? ", " : "", cost[i].name);
	}
	drb_die("--part: '%s' is none of %s", p->part, known);
}

int sim_paper(int argc, char **argv)
{
	static const struct argp_child children[] = {{&sim_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.doc = "Reproduces the paper's figures and tables, and studies traffic that "
		       "persists. Called again with the same DIR, it continues where it was "
		       "interrupted."};
	struct paper p = {.common = sim_common_default()};

	drb_args_parse(&argp, argc, argv, 0, &p);
	if (mkdir(p.dir, 0777) < 0 && errno != EEXIST)
		drb_die("%s: cannot make this directory: %s", p.dir, strerror(errno));
	paper_plan(&p);
	if (p.part)
		check_part(&p);
	paper_run(&p);
	if (paper_left(&p) == 0) {
		paper_csv(&p);
		paper_plots(&p);
		paper_report(&p);
		printf("%s/report.html\n", p.dir);
	} else {
		paper_study_csv(&p);
		printf("%s/study.csv\n", p.dir);
		drb_info("%u of %u points are left for a call without --part and --load",
			 paper_left(&p), p.points);
	}
	free(p.point);
	free(p.loads.value);
	return DRB_EXIT_OK;
}
