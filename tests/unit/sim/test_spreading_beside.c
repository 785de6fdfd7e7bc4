// SPDX-License-Identifier: BSD-3-Clause
// Scheme walk beside dead links, in the simulator.
#include "fixtures/unit.h"

#include "fixtures/walk_sim.h"

// A switch that kept its defaults beside dead links would overload down-links from d / (2d - 1) on,
// which is 4/7 here.
TEST(it_spreads_beside_dead_links)
{
	static const char *const traffic[] = {"fixed", "oneway:0.5:0", "jobs:8", "permutation"};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(traffic); i++) {
		struct drb_packet_result r;
		struct drb_traffic_kind kind;
		assert_int_equal(drb_traffic_parse(traffic[i / 2], &kind), 0);
		struct drb_packet_setup s = setup_of(DRB_SCHEME_WALK, 4, kind, 0.7, 6000);
		struct drb_packet_sim *sim;
		s.fail.links = 1 + i % 2;
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		drb_packet_run(sim, &r);
		assert_int_equal(drb_growth_of_fabric(&sim->growth, NULL), DRB_GROWTH_NO);
		assert_true(r.latency < 8.5); // micro: 7.3 to 9.7
		drb_packet_free(sim);
	}
}

// `keep` hosts in each rack of the second pod send at this share of the load to hosts of other pods
// that default to the second uplink. All other hosts draw from the remaining destinations.
static struct drb_traffic_kind traffic_beside(uint32_t d, uint32_t keep, double share)
{
	const uint32_t in_pod = d * d, hosts = 2 * d * in_pod;
	uint32_t taken = 1; // the next one
	char *text, *others, *left;
	size_t size;
	FILE *f = open_memstream(&text, &size), *from = open_memstream(&others, &size),
	     *to = open_memstream(&left, &size);

	fprintf(f, "slot,from,to,rate\n");
	for (uint32_t h = in_pod; h < 2 * in_pod; h++) {
		if (h % d >= keep)
			continue;
		fprintf(f, "0,%u,%u,%g\n", h, taken, share);
		taken += taken + d > in_pod && taken < in_pod ? in_pod + d : d;
	}
	for (uint32_t h = 0; h < hosts; h++) {
		const bool below = h >= in_pod && h < 2 * in_pod;
		if (!below || h % d >= keep)
			fprintf(from, "%s%u", h ? "+" : "", h);
		if (below || h % d != 1 || h >= taken)
			fprintf(to, "%s%u", h ? "+" : "", h);
	}
	fclose(from);
	fclose(to);
	fprintf(f, "0,%s,%s,0.9\n", others, left);
	fclose(f);
	free(others);
	free(left);
	return read_traffic(text, d);
}

// The switch marks the packets that it sends down, so the racks spread. Its evidence is long
// queues, because no default path overflows.
TEST(a_full_switch_beside_a_dead_link_is_heard)
{
	static const struct {
		uint32_t arity, keep;
		double share, rho;
		const char *dead;
	} cases[] = {{2, 2, 0.7, 0.475, "s2-3.u0"},
		     {2, 2, 1, 0.475, "s2-3.u0"},
		     {4, 4, 1, 0.225, "s2-5.u0"},
		     {4, 1, 1, 0.6, "s2-5.u0"},
		     {8, 1, 1, 0.64, "s2-9.u0"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_traffic_kind kind =
			traffic_beside(cases[i].arity, cases[i].keep, cases[i].share);
		struct drb_packet_result r[2];
		for (int micro = 0; micro <= 1; micro++) {
			struct drb_packet_setup s =
				setup_of(micro ? DRB_SCHEME_MICRO : DRB_SCHEME_WALK, cases[i].arity,
					 kind, cases[i].rho, cases[i].arity == 8 ? 6000 : 16000);
			struct drb_packet_sim *sim;
			struct drb_dead dead;
			assert_true(drb_dead_named(&s.tree, cases[i].dead, &dead));
			s.fail.known = &dead;
			s.fail.count = 1;
			assert_int_equal(drb_packet_new(&sim, &s), 0);
			drb_packet_run(sim, &r[micro]);
			assert_int_equal(drb_growth_of_fabric(&sim->growth, NULL), DRB_GROWTH_NO);
			drb_packet_free(sim);
		}
		print_message("F(3,%u) at %g: walk %.2f, micro %.2f\n", cases[i].arity,
			      cases[i].rho, r[0].latency, r[1].latency);
		assert_true(r[0].latency < 1.05 * r[1].latency);
		drb_traffic_file_free(kind.file);
	}
}

TEST_MAIN(NULL, NULL)
