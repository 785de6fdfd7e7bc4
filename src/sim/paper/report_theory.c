// SPDX-License-Identifier: BSD-3-Clause
// The mean-field theory against the chain of queues.
#include "sim/paper/report_parts.h"

#include <math.h>

#include "sim/paper/html.h"
#include "sim/paper/points.h"

void report_theory(const struct paper *p, FILE *f)
{
	double worst = 0;
	char text[256];

	fprintf(f, "<h2>Theory</h2>\n<p>In the limit of many queues, with random arrivals at rate "
		   "lambda per queue and random service, the share s<sub>i</sub> of queues with at "
		   "least i packets is the fixed point of the paper's equations; it falls doubly "
		   "exponentially, below the bound z<sub>i</sub>. The chain of 1000 queues is "
		   "simulated event by event.</p>\n"
		   "<table><tr><th>lambda</th><th>T</th><th>mean queue, simulated</th>"
		   "<th>fixed point</th><th>error</th><th>redirected, simulated</th>"
		   "<th>fixed point</th></tr>\n");
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		struct drb_theory th;
		if (point->kind != PAPER_CTMC ||
		    drb_theory_solve(&th, point->ctmc.lambda, point->ctmc.threshold) < 0)
			continue;
		struct paper_chain chain = paper_chain(point);
		double error = fabs(chain.mean_queue / th.mean_queue - 1);
		worst = fmax(worst, error);
		fprintf(f,
			"<tr><td>%g</td><td>%g</td><td>%.4f</td><td>%.4f</td><td>%.4f</td>"
			"<td>%.4f</td><td>%.4f</td></tr>\n",
			point->ctmc.lambda, point->ctmc.threshold, chain.mean_queue, th.mean_queue,
			error, chain.redirected, th.redirected);
		drb_theory_free(&th);
	}
	snprintf(text, sizeof(text),
		 "simulation and fixed point agree: the largest error is %.2f %% (up to 3 %% "
		 "counts).",
		 100 * worst);
	fprintf(f, "</table><ul>\n");
	html_claim(f, worst < 0.03, text);
	fprintf(f, "</ul>\n");
	html_image(p, f, "theory");
}
