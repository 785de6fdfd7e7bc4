// SPDX-License-Identifier: BSD-3-Clause
// Queues over time: every link of a small fabric, as runs of it go on.
#include "common/cli/log.h"

#include "sim/models/packet_sim.h"
#include "sim/paper/results.h"

// F(3,4): 128 hosts, 128 links of each layer and direction; every so many slots.
#define LAYERS 3
#define ARITY 4
#define SLOTS 1500
#define EVERY 30
#define RHO 0.9
#define MEMORY (UINT64_C(256) << 20)

// The links in the order of a path: up from layer 1, down to the hosts.
static void put_links(FILE *f, const struct drb_fabric *fabric)
{
	bool first = true;

	fputs(",\"queues\":[", f);
	for (uint32_t i = 1; i < 2 * LAYERS; i++) {
		bool up = i < LAYERS;
		const struct drb_layer *l = &fabric->layer[up ? i : 2 * LAYERS - i];
		uint32_t ports = l->up + l->down, from = up ? 0 : l->up,
			 count = up ? l->up : l->down;
		for (uint32_t s = 0; s < l->switches; s++) {
			for (uint32_t k = 0; k < count; k++) {
				fprintf(f, first ? "%u" : ",%u",
					l->len[(uint64_t)s * ports + from + k]);
				first = false;
			}
		}
	}
	fputs("]}\n", f);
}

static void put_run(FILE *f, enum drb_scheme scheme, const char *traffic, uint64_t seed)
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
		if (rc < 0 || slot % EVERY != 0)
			continue;
		paper_put_kind(f, "heat");
		paper_put_text(f, "traffic", traffic);
		paper_put_text(f, "scheme", drb_scheme_name(scheme));
		PAPER_PUT(f, "rho slot", RHO, slot);
		put_links(f, &sim->fabric);
	}
	if (rc < 0)
		drb_die("not enough memory");
	drb_packet_free(sim);
}

void paper_put_queues(const struct paper *p, FILE *f)
{
	static const char *const traffic[] = {"permutation", "fixed"};
	static const enum drb_scheme shown[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_DMODK,
						DRB_SCHEME_WALK};

	for (int i = 0; i < 2; i++) {
		for (int s = 0; s < 4; s++)
			put_run(f, shown[s], traffic[i], p->common.seed);
	}
}
