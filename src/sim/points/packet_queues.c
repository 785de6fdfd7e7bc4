// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/packet_queues.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/models/packet_sim.h"

#define AT(field) offsetof(struct sim_queues_row, field)

const struct sim_column sim_queues_columns[] = {
	{"slot", SIM_U32, .at = AT(slot)},
	{"length", SIM_REALS, .at = AT(length), .unit = "packets",
	 .help = "of each queue: up from layer 1 on, then down from the cores on; by label and "
		 "port"},
	{0},
};

// Appends the lengths of the queues of a layer in one direction.
static double *add_layer(const struct drb_layer *l, bool up, double *to)
{
	const uint32_t ports = l->up + l->down, first = up ? 0 : l->up, last = up ? l->up : ports;

	for (uint32_t s = 0; s < l->switches; s++) {
		for (uint32_t port = first; port < last; port++)
			*to++ = l->len[(uint64_t)s * ports + port];
	}
	return to;
}

static void add_sample(const struct drb_packet_sim *sim, struct sim_queues_row *row, double *to)
{
	const uint32_t layers = sim->fabric.tree.layers;
	const double *begin = to;

	for (uint32_t m = 1; m < layers; m++)
		to = add_layer(&sim->fabric.layer[m], true, to);
	for (uint32_t m = layers; m > 0; m--)
		to = add_layer(&sim->fabric.layer[m], false, to);
	*row = (struct sim_queues_row){sim->slot - 1, {begin, (uint32_t)(to - begin)}};
}

int sim_run_with_queues(struct drb_packet_sim *sim, uint32_t every,
			struct drb_packet_result *result, struct sim_outcome *out)
{
	const uint64_t queues = drb_packet_links(&sim->setup.tree);
	const uint64_t room = (sim->setup.slots - 1) / every + 1;
	struct sim_queues_row *row = calloc(room, sizeof(*row));
	double *length = calloc(room * queues, sizeof(*length));
	uint64_t count = 0;
	int rc = 0;

	free(out->part[SIM_QUEUES_PART].rows); // of a run that is repeated
	free(out->owned[2]);
	out->part[SIM_QUEUES_PART].rows = row;
	out->owned[2] = length;
	if (!row || !length)
		return -ENOMEM;
	while (rc == 0 && drb_packet_goes_on(sim)) {
		const bool noted = sim->slot % every == 0 && count < room;
		rc = drb_packet_step(sim);
		if (rc == 0 && noted) {
			add_sample(sim, &row[count], length + count * queues);
			count++;
		}
	}
	out->part[SIM_QUEUES_PART].count = count;
	drb_packet_report(sim, rc, result);
	return 0;
}
