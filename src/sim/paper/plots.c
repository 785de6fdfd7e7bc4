// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/log.h"

#include "sim/paper/faults.h"
#include "sim/paper/output.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

#define SCRIPT "figures.gp"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct figure {
	const char *name, *title;
	const char *x, *y; // titles of the axes
	bool log_y;
};

static void begin_figure(FILE *f, const struct figure *figure)
{
	fprintf(f,
		"\nreset\nset terminal svg size 620,460 font 'sans,16' background rgb 'white'\n"
		"set output '%s.svg'\nset title '%s'\nset xlabel '%s'\nset ylabel '%s'\n"
		"set key outside bottom center horizontal\nset grid\n%s",
		figure->name, figure->title, figure->x, figure->y,
		figure->log_y ? "set logscale y\n" : "");
}

// Error bars are 95 % intervals. "plot $a with yerrorlines title 'a', ..." for data blocks named by number.
static void plot_line(FILE *f, size_t i, const char *label)
{
	fprintf(f, "%s $d%zu using 1:2:3 with yerrorlines linewidth 2 title '%s'", i ? "," : "plot",
		i, label);
}

static void plot_compared(FILE *f, const char *more)
{
	for (size_t i = 0; i < PAPER_LINES; i++)
		plot_line(f, i, paper_line_label(paper_lines[i]));
	fprintf(f, "%s\n", more);
}

static void put_point(FILE *f, const struct sim_sample *s)
{
	double half = sim_sample_half_width(s);

	fprintf(f, "%g %g\n", s->mean, isnan(half) ? 0 : half);
}

static void flow_figure(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	char name[64], title[128];

	snprintf(name, sizeof(name), "flow-F%u-%u", tree[0], tree[1]);
	snprintf(title, sizeof(title), "Busiest link in F(%u,%u)", tree[0], tree[1]);
	begin_figure(f, &(struct figure){name, title, "flows per host, c",
					 "largest number of flows on a link", false});
	for (size_t i = 0; i < PAPER_LINES; i++) {
		fprintf(f, "$d%zu << EOD\n", i);
		for (uint32_t c = 1; c <= 20; c++) {
			const struct paper_point *point =
				paper_find_flow(p, tree, paper_line_label(paper_lines[i]), c);
			if (!point)
				continue;
			struct drb_flow_summary flows = paper_flow_summary(point);
			struct sim_sample s =
				sim_sample_of(point->runs, flows.max_load, flows.max_load_sd);
			fprintf(f, "%u ", c);
			put_point(f, &s);
		}
		fprintf(f, "EOD\n");
	}
	plot_compared(f, ", x with lines lc 'black' title 'optimum'");
}

static void packet_figure(const struct paper *p, FILE *f, const uint32_t tree[2], bool tail)
{
	char name[64], title[128];

	snprintf(name, sizeof(name), "%s-F%u-%u", tail ? "tail" : "latency", tree[0], tree[1]);
	snprintf(title, sizeof(title), "%s latency in F(%u,%u)", tail ? "Tail" : "Mean", tree[0],
		 tree[1]);
	begin_figure(f, &(struct figure){name, title, "load rho", "slots", tail});
	for (size_t i = 0; i < PAPER_LINES; i++) {
		fprintf(f, "$d%zu << EOD\n", i);
		for (uint32_t k = 0; k < PAPER_RHOS; k++) {
			struct paper_runs runs = paper_runs_of(
				p, tree, paper_line_label(paper_lines[i]), paper_rho(k));
			struct sim_sample s = {0};
			for (uint32_t r = 0; r < runs.count; r++)
				sim_sample_add(&s,
					       tail ? runs.result[r].tail : runs.result[r].latency);
			if (s.count == 0)
				continue;
			fprintf(f, "%g ", paper_rho(k));
			put_point(f, &s);
		}
		fprintf(f, "EOD\n");
	}
	plot_compared(f, "");
}

static void put_queue(FILE *f, const struct paper_runs *runs, int layer, bool max)
{
	struct sim_sample s = {0};
	uint32_t m = (uint32_t)abs(layer);

	for (uint32_t i = 0; i < runs->count; i++) {
		const struct drb_packet_result *r = &runs->result[i];
		double mean = layer > 0 ? r->up_mean[m] : r->down_mean[m];
		double most = layer > 0 ? r->up_max[m] : r->down_max[m];
		sim_sample_add(&s, max ? most : mean);
	}
	put_point(f, &s);
}

// Queues of layer 1 up, 2 up, ..., and down again, at rho = 0.9.
static void queue_figure(const struct paper *p, FILE *f, const uint32_t tree[2], bool max)
{
	static const enum drb_scheme three[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_DMODK};
	char name[64], title[128];

	snprintf(name, sizeof(name), "queue-%s-F%u-%u", max ? "max" : "mean", tree[0], tree[1]);
	snprintf(title, sizeof(title), "%s queue in F(%u,%u), rho = 0.9", max ? "Longest" : "Mean",
		 tree[0], tree[1]);
	begin_figure(f, &(struct figure){name, title, "links of a layer", "packets", max});
	for (size_t i = 0; i < COUNT(three); i++) {
		struct paper_runs runs = paper_runs_of(p, tree, drb_scheme_name(three[i]), 0.9);
		fprintf(f, "$d%zu << EOD\n", i);
		for (int m = 1; m < 2 * (int)tree[0]; m++) {
			int layer = m < (int)tree[0] ? m : m - 2 * (int)tree[0];
			fprintf(f, "\"%d %s\" ", abs(layer), layer > 0 ? "up" : "down");
			put_queue(f, &runs, layer, max);
		}
		fprintf(f, "EOD\n");
	}
	fprintf(f,
		"set style data histograms\nset style histogram errorbars gap 2\n"
		"set style fill solid 0.8\nset yrange [%s:*]\n",
		max ? "1" : "0");
	for (size_t i = 0; i < COUNT(three); i++)
		fprintf(f, "%s $d%zu using 2:3:xtic(1) title '%s'", i ? "," : "plot", i,
			drb_scheme_name(three[i]));
	fprintf(f, "\n");
}

// Means over the seeds; the error bars are their intervals.
static void study_data(const struct paper *p, FILE *f, const char *traffic, enum drb_scheme scheme)
{
	char name[DRB_TRAFFIC_NAME_MAX];
	struct paper_place place;
	uint32_t at = 0;

	while (paper_place_next(p, &at, &place)) {
		const struct drb_tree *t = &place.setup->tree;
		const struct paper_studied *s = &place.of[scheme];
		drb_traffic_format(place.setup->traffic, name);
		if (t->layers != paper_studied[0][0] || t->arity != paper_studied[0][1] ||
		    strcmp(name, traffic) != 0 || s->runs == 0)
			continue;
		fprintf(f, "%g ", place.setup->rho);
		put_point(f, &s->mean);
	}
}

static void study_figure(const struct paper *p, FILE *f, const char *traffic)
{
	char name[64], title[128];

	snprintf(name, sizeof(name), "study-%s", traffic);
	snprintf(title, sizeof(title), "F(3,8), traffic %s", traffic);
	begin_figure(f, &(struct figure){name, title, "load rho", "mean latency, slots", true});
	fprintf(f, "set yrange [5:*]\n");
	for (size_t i = 0; i < PAPER_STUDIED_SCHEMES; i++) {
		fprintf(f, "$d%zu << EOD\n", i);
		study_data(p, f, traffic, paper_studied_scheme[i]);
		fprintf(f, "EOD\n");
	}
	for (size_t i = 0; i < PAPER_STUDIED_SCHEMES; i++)
		fprintf(f, "%s $d%zu using 1:2:3 with yerrorlines lw 2 lc %zu pt %zu title '%s'",
			i ? "," : "plot", i, i + 1, i + 1,
			drb_scheme_name(paper_studied_scheme[i]));
	fprintf(f, "\n");
}

// Mean and tail latency of every scheme against the share that is dead, at the higher load.
static void fault_data(const struct paper *p, FILE *f, bool switches)
{
	for (uint32_t s = 0; s < PAPER_FAULT_SCHEMES; s++) {
		fprintf(f, "$%c%u << EOD\n", switches ? 's' : 'l', s);
		for (uint32_t i = 0; i < PAPER_FAULT_SHARES; i++) {
			struct paper_fault m = paper_fault(p, paper_fault_scheme[s],
							   PAPER_FAULT_LOADS - 1, switches, i);
			if (m.runs)
				fprintf(f, "%g %g %g %g\n", 100 * m.share, m.latency, m.tail,
					100 * m.lost);
		}
		fprintf(f, "EOD\n");
	}
}

// Two columns of the data blocks of a kind or two, a colour for each scheme.
static void fault_lines(FILE *f, const char *solid, const char *dashed)
{
	for (uint32_t s = 0; s < PAPER_FAULT_SCHEMES; s++)
		fprintf(f,
			"%s $%c%u using 1:%s with linespoints lw 2 lc %u pt %u title '%s', "
			"$%c%u using 1:%s with linespoints lw 2 dt 2 lc %u pt %u notitle",
			s ? "," : "plot", solid[0], s, solid + 1, s + 1, s + 1,
			drb_scheme_name(paper_fault_scheme[s]), dashed[0], s, dashed + 1, s + 1,
			s + 1);
	fprintf(f, "\n");
}

static void fault_figures(const struct paper *p, FILE *f)
{
	begin_figure(f,
		     &(struct figure){"faults-links",
				      "Dead links, F(3,8), rho = 0.5: mean (solid), tail (dashed)",
				      "dead links, %", "latency, slots", true});
	fprintf(f, "set yrange [5:*]\n");
	fault_data(p, f, false);
	fault_lines(f, "l2", "l3");
	begin_figure(
		f, &(struct figure){"faults-switches",
				    "Dead switches, F(3,8), rho = 0.5: mean (solid), tail (dashed)",
				    "dead switches, %", "latency, slots", true});
	fprintf(f, "set yrange [5:*]\n");
	fault_data(p, f, true);
	fault_lines(f, "s2", "s3");
	begin_figure(f, &(struct figure){
				"faults-lost",
				"Lost, F(3,8), rho = 0.5: dead links (solid), switches (dashed)",
				"dead, %", "lost packets, %", false});
	fault_data(p, f, false);
	fault_data(p, f, true);
	fault_lines(f, "l4", "s4");
}

static void theory_figure(FILE *f)
{
	static const double threshold[] = {0, 1, 3, 5};

	begin_figure(f, &(struct figure){"theory",
					 "Share of queues with at least i packets, lambda = 0.9",
					 "i", "s_i (points), bound z_i (lines)", true});
	fprintf(f, "set yrange [1e-8:1]\nset format y '10^{%%T}'\nset xrange [0:20]\n");
	for (size_t t = 0; t < COUNT(threshold); t++) {
		struct drb_theory th;
		fprintf(f, "$d%zu << EOD\n", t);
		if (drb_theory_solve(&th, 0.9, threshold[t]) == 0) {
			for (uint32_t i = 0; i < th.count && i <= 20; i++)
				fprintf(f, "%u %g %g\n", i, th.s[i], th.z[i]);
			drb_theory_free(&th);
		}
		fprintf(f, "EOD\n");
	}
	for (size_t t = 0; t < COUNT(threshold); t++)
		fprintf(f,
			"%s $d%zu using 1:2 with points pt 7 lc %zu title 'T = %g', "
			"$d%zu using 1:3 with lines lc %zu notitle",
			t ? "," : "plot", t, t + 1, threshold[t], t, t + 1);
	fprintf(f, "\n");
}

// Lines are the fixed point; points, with their intervals, what chains do at the T next to the paper's.
static void chain_figure(const struct paper *p, FILE *f)
{
	const double lambda = 0.9, threshold = floor(drb_threshold_packet(lambda));
	struct paper_chain_runs runs;
	struct drb_theory th;
	uint32_t count = 0, queues[4];
	char title[96];

	snprintf(title, sizeof(title),
		 "Share of queues with at least i packets, lambda = %g, T = %g", lambda, threshold);
	begin_figure(f, &(struct figure){"theory-chain", title, "i",
					 "s_i: fixed point (line), n queues (points)", true});
	fprintf(f, "set yrange [1e-6:1]\nset format y '10^{%%T}'\nset xrange [0:%d]\n",
		PAPER_CHAIN_LEVELS);
	for (uint32_t at = 0; count < COUNT(queues) && paper_chain_next(p, &at, &runs);) {
		if (runs.setup->lambda != lambda || runs.setup->threshold != threshold)
			continue;
		fprintf(f, "$d%u << EOD\n", count);
		for (uint32_t i = 0; i <= PAPER_CHAIN_LEVELS; i++) {
			fprintf(f, "%u ", i);
			put_point(f, &runs.s[i]);
		}
		fprintf(f, "EOD\n");
		queues[count++] = runs.setup->queues;
	}
	fprintf(f, "$line << EOD\n");
	if (drb_theory_solve(&th, lambda, threshold) == 0) {
		for (uint32_t i = 0; i < th.count && i <= PAPER_CHAIN_LEVELS; i++)
			fprintf(f, "%u %g\n", i, th.s[i]);
		drb_theory_free(&th);
	}
	fprintf(f, "EOD\nplot $line with lines lc 'black' title 'fixed point'");
	for (uint32_t c = 0; c < count; c++)
		fprintf(f, ", $d%u using 1:2:3 with yerrorbars pt 7 lc %u title 'n = %u'", c, c + 1,
			queues[c]);
	fprintf(f, "\n");
}

static void write_script(const struct paper *p)
{
	static const char *const traffic[] = {"permutation", "fixed", "mixed", "reversal"};
	FILE *f = paper_open(p, SCRIPT);

	for (int i = 0; i < 2; i++) {
		flow_figure(p, f, paper_trees[i]);
		for (int second = 0; second < 2; second++) {
			packet_figure(p, f, paper_trees[i], second);
			queue_figure(p, f, paper_trees[i], second);
		}
	}
	for (size_t i = 0; i < COUNT(traffic); i++)
		study_figure(p, f, traffic[i]);
	fault_figures(p, f);
	theory_figure(f);
	chain_figure(p, f);
	paper_close(p, f, SCRIPT);
}

void paper_plots(struct paper *p)
{
	int status;

	write_script(p);
	pid_t child = fork();
	if (child == 0) {
		if (chdir(p->dir) == 0)
			execlp("gnuplot", "gnuplot", SCRIPT, (char *)NULL);
		_exit(127);
	}
	p->plots = child > 0 && waitpid(child, &status, 0) == child && status == 0;
	if (!p->plots)
		drb_warn("no figures: gnuplot is missing or failed (Debian package gnuplot-nox)");
}
