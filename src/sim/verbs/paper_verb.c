// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "sim/paper/csv.h"
#include "sim/paper/plan.h"
#include "sim/paper/plots.h"
#include "sim/paper/report.h"
#include "sim/paper/run.h"

enum { KEY_QUICK = 0x300, KEY_OUT };

static const struct argp_option options[] = {
	{"out", KEY_OUT, "DIR", 0, "Directory to write to; made if missing (required)", 1},
	{"quick", KEY_QUICK, NULL, 0, "Few repetitions and short runs: under a minute", 1},
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
	case KEY_OUT:
		p->dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is not an option", arg);
	case ARGP_KEY_SUCCESS:
		if (!p->dir)
			drb_die("--out DIR is missing: where to write");
		if (p->common.format != DRB_FORMAT_TABLE)
			drb_die("--csv, --json: paper writes CSV files and a report to its DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int sim_paper(int argc, char **argv)
{
	static const struct argp_child children[] = {{&sim_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.doc = "Reproduces the paper's figures and tables, and studies traffic that "
		       "persists. "
		       "Called again with the same DIR, it continues where it was interrupted."};
	struct paper p = {.common = sim_common_default()};

	drb_args_parse(&argp, argc, argv, 0, &p);
	if (mkdir(p.dir, 0777) < 0 && errno != EEXIST)
		drb_die("%s: cannot make this directory: %s", p.dir, strerror(errno));
	paper_plan(&p);
	paper_run(&p);
	paper_csv(&p);
	paper_plots(&p);
	paper_report(&p);
	printf("%s/report.html\n", p.dir);
	free(p.point);
	return DRB_EXIT_OK;
}
