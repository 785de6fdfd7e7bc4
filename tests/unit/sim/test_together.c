// SPDX-License-Identifier: BSD-3-Clause
// Runs that share their drawn packets or flows have the same results as separate runs.
#include "fixtures/unit.h"

#include "sim/models/flow.h"
#include "sim/models/packet.h"

static struct drb_packet_setup setup_of(const char *traffic, enum drb_scheme scheme, double rho)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .threshold = drb_threshold_packet(rho),
				     .rho = rho,
				     .slots = 210,
				     .stats = 100,
				     .give_up = true,
				     .seed = 5,
				     .memory = UINT64_C(64) << 20};

	assert_int_equal(drb_tree_init(&s.tree, 3, 3), 0);
	assert_int_equal(drb_traffic_parse(traffic, &s.traffic), 0);
	return s;
}

static struct drb_packet_sim *new_of(const struct drb_packet_setup *s)
{
	struct drb_packet_sim *sim;

	assert_int_equal(drb_packet_new(&sim, s), 0);
	return sim;
}

static void assert_equal(const struct drb_packet_result *a, const struct drb_packet_result *b)
{
	// NaN in runs that had no memory for a measured slot.
	assert_memory_equal(&a->latency, &b->latency, sizeof(a->latency));
	assert_memory_equal(&a->tail, &b->tail, sizeof(a->tail));
	assert_memory_equal(&a->lost, &b->lost, sizeof(a->lost));
	assert_memory_equal(a->up_mean, b->up_mean, sizeof(a->up_mean));
	assert_memory_equal(a->down_max, b->down_max, sizeof(a->down_max));
	assert_int_equal(a->hops, b->hops);
	assert_int_equal(a->slots, b->slots);
	assert_int_equal(a->growing_links, b->growing_links);
	assert_int_equal(a->undelivered, b->undelivered);
}

// All schemes. Some have growing queues, run longer than others, have dead links or run out of
// memory.
TEST(packets_are_those_of_runs_alone)
{
	static const char *const traffics[] = {"permutation", "fixed",  "epoch:7",
					       "turns:3",     "jobs:4", "random"};

	for (size_t i = 0; i < ARRAY_SIZE(traffics); i++) {
		struct drb_packet_sim *sim[DRB_SCHEME_COUNT];
		struct drb_packet_result together[DRB_SCHEME_COUNT], alone;
		struct drb_packet_setup s[DRB_SCHEME_COUNT];
		for (int k = 0; k < DRB_SCHEME_COUNT; k++) {
			s[k] = setup_of(traffics[i], (enum drb_scheme)k, 0.95);
			s[k].slots += (uint32_t)k % 3 * 33;
			s[k].fail.links = k == DRB_SCHEME_MICRO ? 3 : 0;
			if (k == DRB_SCHEME_VLB) // too little for queues that grow
				s[k].memory = drb_packet_bytes(&s[k]) + 4096;
			sim[k] = new_of(&s[k]);
		}
		assert_int_equal(drb_packet_run_together(sim, DRB_SCHEME_COUNT, together), 0);
		for (int k = 0; k < DRB_SCHEME_COUNT; k++) {
			struct drb_packet_sim *one = new_of(&s[k]);
			drb_packet_run(one, &alone);
			assert_equal(&together[k], &alone);
			assert_true(alone.hops > 10000);
			drb_packet_free(one);
			drb_packet_free(sim[k]);
		}
	}
}

TEST(flows_are_those_of_runs_alone)
{
	struct drb_flow_setup s = {.choices = 2, .threshold = 2, .flows = 4, .seed = 5};

	drb_tree_init(&s.tree, 3, 4);
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);
	struct drb_flow_work *other = drb_flow_work_new(&s.tree, s.flows);
	for (uint32_t run = 0; run < 5; run++) {
		drb_flow_draw(&s, run, work);
		for (int k = 0; k < DRB_SCHEME_COUNT; k++) {
			s.scheme = (enum drb_scheme)k;
			if (drb_scheme_packets_only(s.scheme))
				continue;
			struct drb_flow_result a = drb_flow_assign(&s, run, work);
			struct drb_flow_result b = drb_flow_run(&s, run, other);
			assert_memory_equal(&a, &b, sizeof(a));
		}
	}
	drb_flow_work_free(work);
	drb_flow_work_free(other);
}

TEST_MAIN(NULL, NULL)
