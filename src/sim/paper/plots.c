// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/plots.h"

#include <errno.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/figures/draw.h"
#include "sim/paper/journal.h"
#include "sim/paper/output.h"

#define SCRIPT "figures.gp"

static void write_figures(const struct paper *p)
{
	FILE *f = paper_open(p, PAPER_FIGURES);

	figures_of_flows(p, f);
	figures_of_packets(p, f);
	figures_of_study(p, f);
	figures_of_faults(p, f);
	figures_of_theory(p, f);
	if (figures_of_queues_over_time(p, f) < 0)
		drb_die("not enough memory");
	paper_close(p, f, PAPER_FIGURES);
}

void paper_plots(struct paper *p)
{
	char path[PAPER_PATH_MAX], message[SIM_FIGURE_TEXT] = "";
	FILE *f;
	int rc;

	write_figures(p);
	snprintf(path, sizeof(path), "%s/" PAPER_FIGURES, p->dir);
	f = fopen(path, "r");
	rc = f ? sim_figures_draw(f, p->dir, SCRIPT, message) : -errno;
	if (f)
		fclose(f);
	p->plots = rc == 0;
	if (rc == -ENOENT)
		drb_warn("no figures: gnuplot is missing or failed (Debian package gnuplot-nox)");
	else if (rc < 0)
		drb_warn("no figures: %s: %s", path, *message ? message : strerror(-rc));
}
