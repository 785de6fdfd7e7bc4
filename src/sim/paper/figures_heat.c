// SPDX-License-Identifier: BSD-3-Clause
// Queues over time: every link of a small fabric, as runs of it go on.
#include "sim/paper/plots.h"

#include <errno.h>

#include "sim/models/packet_sim.h"
#include "sim/paper/figures.h"

// F(3,4): 128 hosts, 128 links of each layer and direction; a column for some slots together.
#define LAYERS 3
#define ARITY 4
#define SLOTS 1500
#define COLUMN 30
#define RHO 0.9
#define MEMORY (UINT64_C(256) << 20)

static const enum drb_scheme shown[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_DMODK,
					DRB_SCHEME_WALK};

// The links in the order of a path, the lowest row first: up from layer 1, down to the hosts.
static void put_column(FILE *f, const struct drb_fabric *fabric, uint32_t slot)
{
	uint32_t row = 0;

	for (uint32_t i = 1; i < 2 * LAYERS; i++) {
		bool up = i < LAYERS;
		const struct drb_layer *l = &fabric->layer[up ? i : 2 * LAYERS - i];
		uint32_t ports = l->up + l->down, first = up ? 0 : l->up,
			 count = up ? l->up : l->down;
		for (uint32_t s = 0; s < l->switches; s++) {
			for (uint32_t k = 0; k < count; k++)
				fprintf(f, "point\t%u\t%u\t%u\n", slot, row++,
					l->len[(uint64_t)s * ports + first + k]);
		}
	}
}

static int put_run(FILE *f, enum drb_scheme scheme, const char *traffic, uint64_t seed)
{
	struct drb_packet_setup setup = {.scheme = scheme,
					 .choices = 2,
					 .threshold = drb_threshold_packet(RHO),
					 .rho = RHO,
					 .slots = SLOTS,
					 .stats = SLOTS,
					 .seed = seed,
					 .memory = MEMORY};
	struct drb_packet_sim *sim;
	int rc;

	drb_tree_init(&setup.tree, LAYERS, ARITY);
	drb_traffic_parse(traffic, &setup.traffic);
	rc = drb_packet_new(&sim, &setup);
	for (uint32_t slot = 0; rc == 0 && slot < SLOTS; slot++) {
		rc = drb_packet_step(sim);
		if (rc == 0 && slot % COLUMN == 0)
			put_column(f, &sim->fabric, slot);
	}
	if (rc == 0)
		drb_packet_free(sim);
	return rc;
}

static int put_figure(FILE *f, const char *traffic, uint64_t seed)
{
	char name[64], title[96];
	int rc = 0;

	snprintf(name, sizeof(name), "heat-%s", traffic);
	snprintf(title, sizeof(title), "Queues of all links of F(%d,%d), traffic %s, load %g",
		 LAYERS, ARITY, traffic, RHO);
	figure_begin(
		f, name,
		&(struct figure_head){
			.kind = "heat",
			.title = title,
			.caption = "Beyond the paper: the queue of every link over time, one run. "
				   "From below, in the order of a path: links up of layer 1, "
				   "up of layer 2, down of layers 3, 2 and 1.",
			.x = "slot",
			.y = "links"});
	for (size_t i = 0; rc == 0 && i < sizeof(shown) / sizeof(shown[0]); i++) {
		fprintf(f, "panel\t%s\n", drb_scheme_name(shown[i]));
		figure_series(f, "", drb_scheme_name(shown[i]), NULL);
		rc = put_run(f, shown[i], traffic, seed);
	}
	return rc;
}

int figures_of_queues_over_time(const struct paper *p, FILE *f)
{
	static const char *const traffic[] = {"permutation", "fixed"};
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++)
		rc = put_figure(f, traffic[i], p->common.seed);
	return rc;
}
