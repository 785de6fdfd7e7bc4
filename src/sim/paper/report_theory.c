// SPDX-License-Identifier: BSD-3-Clause
// The mean-field theory against the chain of queues.
#include "sim/paper/report_parts.h"

#include <math.h>

#include "sim/paper/html.h"
#include "sim/paper/points.h"

static void report_layers(const struct paper *p, FILE *f)
{
	struct paper_layers_runs runs;

	fprintf(f,
		"<p>The same on the way up through a fat-tree: packets arrive at hosts at random "
		"times, go to "
		"hosts that only a core switch connects, and wait for random service at each "
		"uplink. The "
		"distribution of queues is compared with that of layer 1 by the largest difference "
		"of "
		"s<sub>i</sub>. Times between two departures of an uplink have a variance of the "
		"square of their mean if departures are a Poisson process.</p>\n"
		"<table><tr><th>tree</th><th>lambda</th><th>T</th><th>layer</th><th>mean queue</th>"
		"<th>fixed point</th><th>from layer 1</th><th>variance over mean "
		"squared</th></tr>\n");
	for (uint32_t at = 0; paper_layers_next(p, &at, &runs);) {
		const struct drb_ctmc_layers_setup *s = runs.setup;
		struct drb_theory th;
		if (drb_theory_solve(&th, s->lambda, s->threshold) < 0)
			continue;
		for (uint32_t m = 1; m < s->layers; m++)
			fprintf(f,
				"<tr><td>F(%u,%u)</td><td>%g</td><td>%.3g</td><td>%u</td>"
				"<td>%.4f &plusmn; %.4f</td><td>%.4f</td><td>%.4f &plusmn; "
				"%.4f</td>"
				"<td>%.4f &plusmn; %.4f</td></tr>\n",
				s->layers, s->arity, s->lambda, s->threshold, m, runs.queue[m].mean,
				sim_sample_half_width(&runs.queue[m]), th.mean_queue,
				runs.distance[m].mean, sim_sample_half_width(&runs.distance[m]),
				runs.departures_cv2[m].mean,
				sim_sample_half_width(&runs.departures_cv2[m]));
		drb_theory_free(&th);
	}
	fprintf(f, "</table>\n");
}

void report_theory(const struct paper *p, FILE *f)
{
	struct paper_chain_runs chain;

	fprintf(f, "<h2>Theory</h2>\n<p>In the limit of many queues, with random arrivals at rate "
		   "lambda per queue and random service, the share s<sub>i</sub> of queues with at "
		   "least i packets is the fixed point of the paper's equations; it falls doubly "
		   "exponentially, below the bound z<sub>i</sub>. Chains of n queues are "
		   "simulated event by event.</p>\n"
		   "<table><tr><th>n</th><th>lambda</th><th>T</th><th>mean queue, simulated</th>"
		   "<th>fixed point</th><th>error</th><th>redirected, simulated</th>"
		   "<th>fixed point</th></tr>\n");
	for (uint32_t at = 0; paper_chain_next(p, &at, &chain);) {
		struct drb_theory th;
		if (drb_theory_solve(&th, chain.setup->lambda, chain.setup->threshold) < 0)
			continue;
		fprintf(f,
			"<tr><td>%u</td><td>%g</td><td>%g</td><td>%.4f &plusmn; "
			"%.4f</td><td>%.4f</td>"
			"<td>%.4f</td><td>%.4f</td><td>%.4f</td></tr>\n",
			chain.setup->queues, chain.setup->lambda, chain.setup->threshold,
			chain.queue.mean, sim_sample_half_width(&chain.queue), th.mean_queue,
			fabs(chain.queue.mean / th.mean_queue - 1), chain.redirected.mean,
			th.redirected);
		drb_theory_free(&th);
	}
	fprintf(f, "</table>\n");
	html_image(p, f, "theory");
	html_image(p, f, "theory-chain");
	report_layers(p, f);
}
