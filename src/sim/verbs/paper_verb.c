// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/plan.h"
#include "sim/paper/report.h"
#include "sim/paper/results.h"
#include "sim/paper/run.h"

#define SEEDS 5 // of the studies
#define OWN_SEEDS 5
#define QUICK_SEEDS 1
#define QUICK_OWN_SEEDS 3

#define AT(field) offsetof(struct paper, field)

static const struct drb_option options[] = {
	{"--out", "DIR", "Directory to write to; made if missing (required)",
	 .kind = DRB_OPTION_TEXT, AT(dir), .letter = 'o'},
	{"--quick", NULL, "Few repetitions and short runs: a minute", .kind = DRB_OPTION_FLAG,
	 AT(quick)},
	{"--long", NULL, "Study persistent traffic with all patterns on all fabrics: takes hours",
	 .kind = DRB_OPTION_FLAG, AT(longer)},
	{"--seeds", "COUNT",
	 "Runs of each point, for intervals (default 5; with --quick 3, of packets 1)",
	 .kind = DRB_OPTION_U32, AT(seeds), 1, PAPER_SEEDS_MAX},
	{"--part", "NAME", "Run only this part of cost.csv; the report waits for the others",
	 .kind = DRB_OPTION_TEXT, AT(part)},
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

int sim_paper(int argc, char **argv)
{
	struct paper p = {.common = sim_common_default()};
	const struct drb_options sets[] = {
		{.option = options, &p, complete}, SIM_COMMON_SETS(&p.common), {0}};

	drb_options_parse(sets,
			  "Reproduces the figures and tables of the paper, and studies "
			  "persistent traffic. Called again with the same DIR, it continues "
			  "where it was interrupted.",
			  argc, argv);
	if (mkdir(p.dir, 0777) < 0 && errno != EEXIST)
		drb_die("%s: cannot make this directory: %s", p.dir, strerror(errno));
	paper_plan(&p);
	if (p.part)
		paper_check_part(&p, p.part);
	paper_run(&p);
	paper_results(&p);
	int status = paper_report(&p);
	if (paper_left(&p) > 0)
		drb_info("%u of %u points are left for a call without --part", paper_left(&p),
			 p.points);
	free(p.point);
	return status;
}
