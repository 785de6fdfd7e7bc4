// SPDX-License-Identifier: BSD-3-Clause
// Fixed points.
#include "common/cli/log.h"

#include "sim/paper/results.h"

static void put(FILE *f, double lambda, double threshold)
{
	struct drb_theory th;

	if (drb_theory_solve(&th, lambda, threshold) < 0)
		drb_die("no fixed point of lambda %g, T %g was found", lambda, threshold);
	paper_put_kind(f, "theory");
	PAPER_PUT(f, "rate threshold whole paper_threshold mean_queue redirected", lambda,
		  threshold, th.threshold, drb_threshold_packet(lambda), th.mean_queue,
		  th.redirected);
	paper_put_list(f, "s", th.s, th.count);
	paper_put_list(f, "z", th.z, th.count);
	fputs("}\n", f);
	drb_theory_free(&th);
}

// Of a point of a chain or of layers; false: it is of another kind.
static bool find_rates(const struct paper_point *point, double *lambda, double *threshold)
{
	if (point->kind != PAPER_CTMC && point->kind != PAPER_CTMC_LAYERS)
		return false;
	*lambda = point->kind == PAPER_CTMC ? point->ctmc.lambda : point->layers.lambda;
	*threshold = point->kind == PAPER_CTMC ? point->ctmc.threshold : point->layers.threshold;
	return true;
}

static bool is_first(const struct paper *p, uint32_t at, double lambda, double threshold)
{
	for (uint32_t i = 0; i < at; i++) {
		double l, t;
		if (find_rates(&p->point[i], &l, &t) && l == lambda && t == threshold)
			return false;
	}
	return true;
}

void paper_put_theory(const struct paper *p, FILE *f)
{
	double lambda, threshold;

	for (uint32_t i = 0; i < p->points; i++) {
		if (find_rates(&p->point[i], &lambda, &threshold) &&
		    is_first(p, i, lambda, threshold))
			put(f, lambda, threshold);
	}
}
