// SPDX-License-Identifier: BSD-3-Clause
#include "sim/search/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/traffic/traffic_file.h"

#include "sim/search/matrix.h"

// The traffic of a case, to be freed. NULL in *file: no host sends.
static int read_traffic(const struct search_setup *s, const struct search_case *c, uint32_t slots,
			struct drb_traffic_file **file)
{
	char *text = NULL, error[DRB_TRAFFIC_ERROR_MAX];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int rc = f ? search_write_matrix(f, &s->packet.tree, c, slots) : -ENOMEM;

	*file = NULL;
	if (f && fclose(f) != 0)
		rc = -ENOMEM;
	if (rc == 0) {
		f = fmemopen(text, size, "r");
		rc = f ? drb_traffic_file_read(f, s->packet.tree.hosts, file, error) : -ENOMEM;
		if (f)
			fclose(f);
	}
	free(text);
	return rc == -ENODATA ? 0 : rc;
}

// Both schemes under the same traffic.
static int run_both(const struct search_setup *s, struct drb_packet_setup setup,
		    struct drb_packet_result result[2])
{
	struct drb_packet_sim *sim[2] = {NULL, NULL};
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++) {
		struct drb_packet_setup own = setup;
		own.scheme = i ? s->against : s->scheme;
		const struct drb_scheme_variant *v = drb_scheme_variant(own.scheme);
		if (v && !isnan(v->threshold))
			own.threshold = v->threshold;
		if (v && !isnan(v->choices))
			own.choices = (uint32_t)v->choices;
		rc = drb_packet_new(&sim[i], &own);
	}
	if (rc == 0)
		rc = drb_packet_run_together(sim, 2, result);
	drb_packet_free(sim[0]);
	drb_packet_free(sim[1]);
	return rc;
}

static int try_once(const struct search_setup *s, const struct search_case *c, uint32_t longer,
		    struct drb_packet_result result[2])
{
	struct drb_packet_setup setup = s->packet;
	uint32_t seed = longer ? longer : 0;
	int rc;

	if (longer) {
		setup.slots *= SEARCH_LONGER;
		setup.stats *= SEARCH_LONGER;
	}
	setup.seed += seed;
	setup.rho = s->load[c->load];
	setup.threshold = drb_threshold_packet(setup.rho);
	setup.most_slots = 2 * setup.slots;
	setup.give_up = true;
	setup.traffic = (struct drb_traffic_kind){.pattern = DRB_PATTERN_FILE};
	rc = read_traffic(s, c, setup.slots, &setup.traffic.file);
	result[0] = result[1] = (struct drb_packet_result){0};
	if (rc == 0 && setup.traffic.file)
		rc = run_both(s, setup, result);
	drb_traffic_file_free(setup.traffic.file);
	return rc;
}

int search_try(const struct search_setup *s, const struct search_case *c, struct search_result *r)
{
	struct drb_packet_result run[2];
	int rc = try_once(s, c, 0, run);

	*r = (struct search_result){.latency = run[0].latency,
				    .tail = run[0].tail,
				    .against_latency = run[1].latency,
				    .against_tail = run[1].tail,
				    .grows = run[0].growing,
				    .against_grows = run[1].growing,
				    .done = true};
	r->grows_alone = (run[0].growing || run[0].unclear) && !run[1].growing;
	for (uint32_t seed = 1; rc == 0 && r->grows_alone && seed <= SEARCH_SEEDS; seed++) {
		rc = try_once(s, c, seed, run);
		r->grows_alone = run[0].growing && !run[1].growing;
	}
	return rc;
}

double search_badness(const struct search_result *r)
{
	return r->against_grows || r->against_latency <= 0 ? 0 : r->latency / r->against_latency;
}
