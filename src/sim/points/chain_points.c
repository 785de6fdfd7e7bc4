// SPDX-License-Identifier: BSD-3-Clause
// Processes of the paper's theory as models of the engine: uplinks in layers, queues that approach
// the fixed point, balls in bins.
#include <math.h>

#include "sim/models/bins.h"
#include "sim/models/ctmc_layers.h"
#include "sim/models/transient.h"
#include "sim/points/models.h"
#include "sim/points/rates.h"

// Uplinks in layers.

struct layers_point {
	struct sim_rates rates; // must be first
	uint32_t layers, arity;
	double time, warm_up;
	uint64_t seed;
};

struct layers_row {
	double queue[DRB_LAYERS_MAX + 1], distance[DRB_LAYERS_MAX + 1],
		departures[DRB_LAYERS_MAX + 1];
};

#define AT(field) offsetof(struct layers_point, field)

static const struct drb_option layers_options[] = {
	{"--layers", "L", "Layers of switches of the fat-tree F(l,d)", .kind = DRB_OPTION_U32,
	 AT(layers), 2, DRB_LAYERS_MAX, .letter = 'l', .initial = "4"},
	{"--arity", "D", "Arity: switches have 2d ports", .kind = DRB_OPTION_U32, AT(arity), 2,
	 DRB_ARITY_MAX, .letter = 'd', .initial = "4"},
	{"--time", "UNITS", "Mean service times to measure", .kind = DRB_OPTION_REAL, AT(time), 1,
	 1e9, .initial = "600", .unit = "mean service times"},
	{"--warm-up", "UNITS", "Mean service times before that (default: half of --time)",
	 .kind = DRB_OPTION_REAL, AT(warm_up), 0, 1e9, .unit = "mean service times"},
	{0},
};

static const struct sim_set layers_sets[] = {
	{sim_rate_options, AT(rates)},
	{layers_options, 0},
	{sim_seed_option, AT(seed)},
	{.options = NULL},
};

static const struct sim_column layers_columns[] = {
	SIM_RATE_COLUMNS,
	{"layers", SIM_U32, .at = AT(layers), .of_point = true},
	{"arity", SIM_U32, .at = AT(arity), .of_point = true},
#undef AT
#define AT(field) offsetof(struct layers_row, field)
	{"mean_queue%u", SIM_REAL, .at = AT(queue), 4, SIM_MEAN, "packets",
	 "of the uplinks of layer M", SIM_UP, sizeof(double)},
	{"distance%u", SIM_REAL, .at = AT(distance), 4, SIM_MEAN, NULL,
	 "largest difference of shares of queues from those of layer 1", SIM_UP, sizeof(double)},
	{"departures%u_cv2", SIM_REAL, .at = AT(departures), 4, SIM_MEAN, NULL,
	 "variance of the time between departures over its squared mean", SIM_UP, sizeof(double)},
	{"seed", SIM_WHOLE, .at = offsetof(struct layers_point, seed), .of_point = true},
	{0},
};

static void check_layers(void *point)
{
	struct layers_point *p = point;

	sim_rates_check(&p->rates);
	if (p->warm_up == 0)
		p->warm_up = p->time / 2;
}

static int run_layers(const void *point, struct sim_outcome *out)
{
	const struct layers_point *p = point;
	struct layers_row *row = out->row;
	struct drb_ctmc_layers_result r;
	int rc =
		drb_ctmc_layers_run(&(struct drb_ctmc_layers_setup){.layers = p->layers,
								    .arity = p->arity,
								    .lambda = p->rates.lambda,
								    .threshold = p->rates.threshold,
								    .warm_up = p->warm_up,
								    .time = p->time,
								    .seed = p->seed},
				    &r);

	for (uint32_t m = 1; rc == 0 && m < p->layers; m++) {
		row->queue[m] = r.layer[m].mean_queue;
		row->distance[m] = drb_ctmc_distance(&r.layer[m], &r.layer[1]);
		row->departures[m] = r.layer[m].departures_cv2;
	}
	return rc;
}

static uint32_t layers_of(const void *point)
{
	return ((const struct layers_point *)point)->layers;
}

const struct sim_model sim_ctmc_layers_model = {
	.name = "ctmc_layers",
	.help = "the uplinks of a fat-tree in continuous time",
	.sets = layers_sets,
	.size = sizeof(struct layers_point),
	.columns = layers_columns,
	.row_size = sizeof(struct layers_row),
	.check = check_layers,
	.run = run_layers,
	.layers = layers_of,
};

// Queues that approach the fixed point.

struct transient_point {
	struct sim_rates rates; // must be first
	uint32_t queues, start, repeats;
	double time;
	uint64_t seed;
};

#undef AT
#define AT(field) offsetof(struct transient_point, field)

static const struct drb_option transient_options[] = {
	{"--queues", "COUNT", "Queues", .kind = DRB_OPTION_U32, AT(queues), 2, 1e8, .letter = 'n',
	 .initial = "1000"},
	{"--start", "PACKETS", "Packets in each queue at first", .kind = DRB_OPTION_U32, AT(start),
	 0, DRB_TRANSIENT_START_MAX, .initial = "0", .unit = "packets"},
	{"--time", "UNITS", "Mean service times", .kind = DRB_OPTION_REAL, AT(time), 0.1, 1e6,
	 .initial = "10", .unit = "mean service times"},
	{"--repeats", "COUNT", "Repetitions, of which the distance is the mean",
	 .kind = DRB_OPTION_U32, AT(repeats), 1, 1e6, .initial = "4"},
	{0},
};

static const struct sim_set transient_sets[] = {
	{sim_rate_options, AT(rates)},
	{transient_options, 0},
	{sim_seed_option, AT(seed)},
	{.options = NULL},
};

static const struct sim_column transient_columns[] = {
	SIM_RATE_COLUMNS,
	{"queues", SIM_U32, .at = AT(queues), .of_point = true},
	{"start", SIM_U32, .at = AT(start), .of_point = true, .unit = "packets"},
	{"time", SIM_REAL, .at = AT(time), .of_point = true, .unit = "mean service times"},
	{"distance", SIM_REAL, .at = 0, 5, SIM_SPREAD, NULL,
	 "of shares of queues from those of the equations, the largest at any time"},
	{"seed", SIM_WHOLE, .at = AT(seed), .of_point = true},
	{0},
};

static int run_transient(const void *point, struct sim_outcome *out)
{
	const struct transient_point *p = point;

	return drb_transient_run(
		&(struct drb_transient_setup){.queues = p->queues,
					      .lambda = p->rates.lambda,
					      .threshold = (uint32_t)floor(p->rates.threshold),
					      .start = p->start,
					      .time = p->time,
					      .repeats = p->repeats,
					      .seed = p->seed},
		out->row);
}

const struct sim_model sim_transient_model = {
	.name = "transient",
	.help = "queues on the way to their fixed point",
	.sets = transient_sets,
	.size = sizeof(struct transient_point),
	.columns = transient_columns,
	.row_size = sizeof(double),
	.check = sim_rates_check,
	.run = run_transient,
};

// Balls in bins.

struct bins_row {
	double fullest[DRB_BINS_RUNS], mean;
	struct sim_reals all;
};

#undef AT
#define AT(field) offsetof(struct drb_bins_setup, field)

static const struct drb_option bins_options[] = {
	{"--bins", "COUNT", "Bins", .kind = DRB_OPTION_U32, AT(bins), 1, 1e9, .initial = "1000"},
	{"--each", "COUNT", "Balls for each bin", .kind = DRB_OPTION_U32, AT(each), 1, 200,
	 .initial = "1"},
	{"--choices", "COUNT", "Bins that a ball compares", .kind = DRB_OPTION_U32, AT(choices), 1,
	 100, .initial = "2"},
	{0},
};

static const struct sim_set bins_sets[] = {
	{bins_options, 0},
	{sim_seed_option, AT(seed)},
	{.options = NULL},
};

static const struct sim_column bins_columns[] = {
	{"bins", SIM_U32, .at = AT(bins), .of_point = true},
	{"each", SIM_U32, .at = AT(each), .of_point = true},
	{"choices", SIM_U32, .at = AT(choices), .of_point = true},
	{"fullest_mean", SIM_REAL, .at = offsetof(struct bins_row, mean), 3, SIM_SPREAD, "balls"},
	{"fullest", SIM_REALS, .at = offsetof(struct bins_row, all), .unit = "balls",
	 .help = "in the fullest bin, of each independent run"},
	{"seed", SIM_WHOLE, .at = AT(seed), .of_point = true},
	{0},
};

static int run_bins(const void *point, struct sim_outcome *out)
{
	struct bins_row *row = out->row;
	int rc = drb_bins_run(point, row->fullest);

	for (uint32_t i = 0; i < DRB_BINS_RUNS; i++)
		row->mean += row->fullest[i] / DRB_BINS_RUNS;
	row->all = (struct sim_reals){row->fullest, DRB_BINS_RUNS};
	return rc;
}

const struct sim_model sim_bins_model = {
	.name = "bins",
	.help = "balls thrown into the least loaded of some bins",
	.sets = bins_sets,
	.size = sizeof(struct drb_bins_setup),
	.columns = bins_columns,
	.row_size = sizeof(struct bins_row),
	.run = run_bins,
};
