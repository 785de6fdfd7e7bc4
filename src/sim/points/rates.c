// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/rates.h"

#include <math.h>

#include "common/cli/log.h"

#include "sim/models/theory.h"

#include "drb/threshold.h"

#define AT(field) offsetof(struct sim_rates, field)

const struct drb_option sim_rate_options[] = {
	{"--lambda", "RATE", "Arrivals per queue and mean service time", .kind = DRB_OPTION_REAL,
	 AT(lambda), 0, 1, .initial = "0.9"},
	{"--threshold", "T", "A number, paper, or paper:LOAD", .kind = DRB_OPTION_OTHER, AT(asked),
	 0, DRB_THEORY_THRESHOLD_MAX, sim_parse_threshold, .initial = "paper"},
	{0},
};

void sim_rates_check(void *rates)
{
	struct sim_rates *r = rates;
	const double load = isnan(r->asked.load) ? r->lambda : r->asked.load;

	sim_share_check("--lambda", r->lambda);
	r->threshold = isnan(r->asked.fixed) ? drb_threshold_packet(load) : r->asked.fixed;
	if (!(r->threshold <= DRB_THEORY_THRESHOLD_MAX))
		drb_die("--threshold paper:%g: must be below 1", load);
}
