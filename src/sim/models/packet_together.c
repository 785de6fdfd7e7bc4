// SPDX-License-Identifier: BSD-3-Clause
// Runs simulations with the same traffic. The traffic of a stretch of slots is drawn once. Then
// each simulation runs the stretch in turn. A stretch is long enough that a run does not fetch its
// data anew for every slot.
#include <errno.h>
#include <stdlib.h>

#include "sim/models/packet_sim.h"

#define STRETCH 32 // slots

static void draw_stretch(struct drb_packet_sim *of, uint32_t from, uint32_t dest[])
{
	uint32_t hosts = of->fabric.tree.hosts;

	for (uint32_t i = 0; i < STRETCH; i++)
		drb_traffic_slot(&of->traffic, &of->traffic_rng, from + i,
				 dest + (size_t)i * hosts);
}

// Runs one stretch. Returns true if the run goes on after it; otherwise fills in the result.
static bool run_stretch(struct drb_packet_sim *sim, uint32_t from, const uint32_t dest[],
			struct drb_packet_result *result)
{
	int rc = 0;

	sim->drawn = dest;
	sim->drawn_from = from;
	while (rc == 0 && drb_packet_goes_on(sim)) {
		if (sim->slot == from + STRETCH)
			return true;
		rc = drb_packet_step(sim);
	}
	drb_packet_report(sim, rc, result);
	sim->drawn = NULL;
	return false;
}

int drb_packet_run_together(struct drb_packet_sim *const sim[], uint32_t count,
			    struct drb_packet_result result[])
{
	uint32_t *dest = malloc((size_t)STRETCH * sim[0]->fabric.tree.hosts * sizeof(*dest));
	bool *runs = malloc(count * sizeof(*runs));
	uint32_t running = count;

	if (!dest || !runs) {
		free(dest);
		free(runs);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		runs[i] = true;
	for (uint32_t from = 0; running > 0; from += STRETCH) {
		draw_stretch(sim[0], from, dest);
		for (uint32_t i = 0; i < count; i++) {
			if (!runs[i])
				continue;
			runs[i] = run_stretch(sim[i], from, dest, &result[i]);
			running -= !runs[i];
		}
	}
	free(dest);
	free(runs);
	return 0;
}
