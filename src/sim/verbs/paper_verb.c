// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/csv.h"
#include "sim/paper/plan.h"
#include "sim/paper/plots.h"
#include "sim/paper/report.h"
#include "sim/paper/run.h"
#include "sim/paper/study_csv.h"

#define SEEDS 5 // of the studies
#define OWN_SEEDS 5
#define QUICK_SEEDS 1
#define QUICK_OWN_SEEDS 3

#define AT(field) offsetof(struct paper, field)

static const struct drb_option options[] = {
	{"--out", "DIR", "Directory to write to; made if missing (required)",
	 .kind = DRB_OPTION_TEXT, AT(dir)},
	{"--quick", NULL, "Few repetitions and short runs: under a minute", .kind = DRB_OPTION_FLAG,
	 AT(quick)},
	{"--long", NULL,
	 "The study of traffic that persists with all patterns on all fabrics: hours",
	 .kind = DRB_OPTION_FLAG, AT(longer)},
	{"--seeds", "COUNT",
	 "Runs of each point, for intervals (default 5; with --quick 3, of the studies 1)",
	 .kind = DRB_OPTION_U32, AT(seeds), 1, PAPER_SEEDS_MAX},
	{"--part", "NAME",
	 "Run only this part, as it is named in cost.csv; the report waits for the others",
	 .kind = DRB_OPTION_TEXT, AT(part)},
	{"--load", "RANGE", "Run packets only at these loads, such as 0.5,0.9",
	 .kind = DRB_OPTION_OTHER, AT(loads), 0, 1, sim_parse_reals},
	{0},
};

static void complete(void *paper)
{
	struct paper *p = paper;

	if (!p->dir)
		drb_die("--out DIR is missing: where to write");
	if (p->quick && p->longer)
		drb_die("--quick and --long exclude each other");
	p->own_seeds = p->seeds ? p->seeds : p->quick ? QUICK_OWN_SEEDS : OWN_SEEDS;
	if (p->seeds == 0)
		p->seeds = p->quick ? QUICK_SEEDS : SEEDS;
	if (p->common.format != DRB_FORMAT_TABLE)
		drb_die("--csv, --json: paper writes CSV files and a report to its DIR");
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
	struct paper p = {.common = sim_common_default()};
	const struct drb_options sets[] = {
		{.option = options, &p, complete}, SIM_COMMON_SETS(&p.common), {0}};

	drb_options_parse(sets,
			  "Reproduces the paper's figures and tables, and studies traffic that "
			  "persists. Called again with the same DIR, it continues where it was "
			  "interrupted.",
			  argc, argv);
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
