// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "sim/figures/draw.h"

struct draw_verb {
	const char *path, *dir;
};

static const struct argp_option options[] = {
	{"out", 'o', "DIR", 0, "Directory to write to; made if missing (required)", 1},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct draw_verb *v = state->input;

	switch (key) {
	case 'o':
		v->dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (v->path)
			drb_die("'%s': one FILE at a time", arg);
		v->path = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!v->path || !v->dir)
			drb_die("FILE and --out DIR are required: what to draw, and where to");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int sim_draw(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE",
		.doc = "Draws figures as SVG, for light and dark pages, and as PDF, by gnuplot. "
		       "`drbsim paper` and topo/experiment leave theirs as figures.txt."
		       "\v"
		       "Lines of FILE, fields apart by tabs:\n"
		       "  figure NAME lines|points|steps|bars|heat\n"
		       "  title TEXT\n"
		       "  caption TEXT\n"
		       "  x TEXT [log] [FROM]\n"
		       "  y TEXT [log] [FROM]\n"
		       "  panel TEXT\n"
		       "  series LABEL LOOK [dashed|untitled]\n"
		       "  point X Y [HALF [grows]]\n"
		       "LOOK is a scheme, ink, or a number from 1 to 8. HALF is half the width of "
		       "an interval."};
	char message[SIM_FIGURE_TEXT] = "";
	struct draw_verb v = {0};

	drb_args_parse(&argp, argc, argv, 0, &v);
	FILE *f = fopen(v.path, "r");
	if (!f)
		drb_die("%s: cannot read: %s", v.path, strerror(errno));
	if (mkdir(v.dir, 0777) < 0 && errno != EEXIST)
		drb_die("%s: cannot make this directory: %s", v.dir, strerror(errno));
	int rc = sim_figures_draw(f, v.dir, "figures.gp", message);
	fclose(f);
	if (rc == -ENOENT)
		drb_die("gnuplot is missing or failed (Debian package gnuplot-nox)");
	if (rc < 0)
		drb_die("%s: %s", v.path, *message ? message : strerror(-rc));
	return DRB_EXIT_OK;
}
