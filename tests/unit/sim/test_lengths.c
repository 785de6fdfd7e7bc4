// SPDX-License-Identifier: BSD-3-Clause
// How long the runs of `drbsim paper` are: long enough, and told if not.
#include "fixtures/packet_run.h"

#include "sim/models/packet.h"
#include "sim/paper/lengths.h"
#include "sim/runs/sample.h"

#define SEEDS 5

struct told {
	struct sim_sample latency, tail, drift;
};

static struct told run(double rho, struct paper_length length)
{
	struct told f = {0};

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		struct drb_packet_setup setup = {.scheme = DRB_SCHEME_DRB,
						 .choices = 2,
						 .threshold = drb_threshold_packet(rho),
						 .rho = rho,
						 .slots = length.slots,
						 .stats = length.stats,
						 .seed = seed,
						 .memory = UINT64_C(256) << 20};
		drb_tree_init(&setup.tree, 3, 6);
		drb_traffic_parse("permutation", &setup.traffic);
		struct drb_packet_result r = run_packets(&setup);
		sim_sample_add(&f.latency, r.latency);
		sim_sample_add(&f.tail, r.tail);
		sim_sample_add(&f.drift, r.drift);
	}
	return f;
}

TEST(runs_are_as_long_as_queues_take)
{
	struct paper_length low = paper_length_itself(false, 0.6);
	struct paper_length high = paper_length_itself(false, 0.96);
	uint32_t last = 0;

	assert_true(low.slots == 120 && low.stats == 60);
	assert_true(high.slots == 2000 && high.stats == 500);
	for (double rho = 0.6; rho < 0.995; rho += 0.03) {
		struct paper_length length = paper_length_itself(false, rho);
		assert_true(length.slots >= last && length.slots <= 2000);
		last = length.slots;
	}
	assert_true(paper_settling(1) > 1000000000);

	const struct paper_length full = {6000, 3000};
	struct paper_length beside = paper_length_beside(full, 0.9);
	assert_true(beside.slots == 3600 && beside.stats == 600);
	beside = paper_length_beside(full, 0.99);
	assert_true(beside.slots == full.slots && beside.stats == full.stats);
}

// Short runs say the same as the paper's 2000 slots: their means differ by no more than their intervals allow, by
// which the shorter ones are not much less sure.
TEST(short_runs_are_as_good)
{
	static const double rho[] = {0.6, 0.8, 0.9};

	for (int i = 0; i < 3; i++) {
		struct told brief = run(rho[i], paper_length_itself(false, rho[i]));
		struct told whole = run(rho[i], (struct paper_length){2000, 500});
		double a = sim_sample_half_width(&brief.latency),
		       b = sim_sample_half_width(&whole.latency);
		print_message("load %g: %g +- %g, %g +- %g; tails %g, %g; drifts %g, %g\n", rho[i],
			      brief.latency.mean, a, whole.latency.mean, b, brief.tail.mean,
			      whole.tail.mean, brief.drift.mean, whole.drift.mean);
		assert_true(fabs(brief.latency.mean - whole.latency.mean) < a + b);
		assert_true(fabs(brief.tail.mean - whole.tail.mean) < 0.03 * whole.tail.mean);
		assert_true(fabs(brief.drift.mean) < 0.03);
	}
}

// Without a warm-up latencies rise while they are measured.
TEST(a_missing_warm_up_is_told)
{
	struct told f = run(0.9, (struct paper_length){60, 60});

	print_message("drift %g +- %g\n", f.drift.mean, sim_sample_half_width(&f.drift));
	assert_true(f.drift.mean - sim_sample_half_width(&f.drift) > 0.03);
}

TEST_MAIN(NULL, NULL)
