// SPDX-License-Identifier: BSD-3-Clause
// Jobs against closed forms where no transfer waits for another, and against a simple model of
// dependencies.
#include "fixtures/unit.h"

#include "sim/flows/job.h"

static struct drb_job_setup setup_of(uint32_t layers, uint32_t arity, const char *job,
				     uint32_t data)
{
	struct drb_job_setup s = {.transfers = {.scheme = DRB_SCHEME_DRB,
						.choices = 2,
						.threshold = 1,
						.queue = UINT32_MAX,
						.ack_hop = 1,
						.seed = 5,
						.memory = UINT64_C(64) << 20},
				  .longest = 1000000};

	assert_int_equal(drb_tree_init(&s.transfers.tree, layers, arity), 0);
	assert_int_equal(drb_job_parse(job, &s.job), 0);
	s.job.data = data;
	return s;
}

static struct drb_job_result run(const struct drb_job_setup *s)
{
	struct drb_job_result r;

	assert_int_equal(drb_job_run(s, &r), 0);
	assert_int_equal(r.error, 0);
	return r;
}

static struct drb_job_setup one_switch(uint32_t arity, uint32_t delay, const char *job,
				       uint32_t data)
{
	struct drb_job_setup s = setup_of(1, arity, job, data);

	s.transfers.delay.link[1] = delay;
	return s;
}

// On one switch of n ports a transfer of c packets takes c + 1 slots, plus the delays of the two
// links.
static void on_one_switch(uint32_t arity, uint32_t delay)
{
	uint32_t n = 2 * arity, c = 12, way = 1 + 2 * delay, log = 0;

	while (1U << log < n)
		log++;
	struct drb_job_setup s = one_switch(arity, delay, "all-reduce-ring", n * c);
	struct drb_job_result r = run(&s);
	assert_int_equal(r.makespan, 2 * (n - 1) * (c + way));
	assert_int_equal(r.alone, r.makespan);
	assert_int_equal(r.transfers, 2 * (n - 1) * n);
	assert_int_equal(r.packets, 2 * (n - 1) * n * c);
	s = one_switch(arity, delay, "all-reduce-halving", n * c);
	r = run(&s);
	assert_int_equal(r.makespan, 2 * (n - 1) * c + 2 * log * way);
	assert_int_equal(r.alone, r.makespan);
	assert_int_equal(r.packets, 2 * (n - 1) * n * c);
	s = one_switch(arity, delay, "all-to-all", n * c);
	r = run(&s);
	assert_int_equal(r.makespan, (n - 1) * c + way);
	assert_int_equal(r.alone, r.makespan);
	s = one_switch(arity, delay, "incast", c);
	r = run(&s);
	assert_int_equal(r.makespan, (n - 1) * c + way);
	assert_int_equal(r.alone, c + way);
	s = one_switch(arity, delay, "pipeline:10", 10 * c);
	r = run(&s);
	assert_int_equal(r.makespan, (n - 1) * (c + way) + 9 * c);
	assert_int_equal(r.alone, r.makespan);
}

TEST(on_one_switch_jobs_have_closed_forms)
{
	for (uint32_t arity = 1; arity <= 8; arity *= 2) {
		on_one_switch(arity, 0);
		on_one_switch(arity, 3);
	}
}

// A ring in the order of labels: one transfer leaves each rack, so none waits, and d transfers in
// turn.
TEST(a_ring_by_label_never_waits)
{
	for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
		struct drb_job_setup s = setup_of(3, 3, "all-reduce-ring", 540);
		s.transfers.scheme = (enum drb_scheme)scheme;
		struct drb_job_result r = run(&s);
		assert_int_equal(r.makespan, r.alone);
	}
}

// Time of a ring without other traffic, transfer by transfer. Each begins when its host has sent
// the previous one, and has received that of the previous rank.
static uint64_t naive_ring(const struct drb_tree *t, const uint32_t host[], uint32_t c)
{
	uint32_t n = t->hosts, steps = 2 * (n - 1);
	uint64_t *sent = calloc((size_t)n * steps, sizeof(*sent)),
		 *came = calloc((size_t)n * steps, sizeof(*came)), last = 0;

	for (uint32_t s = 0; s < steps; s++) {
		for (uint32_t r = 0; r < n; r++) {
			uint64_t begin = 0;
			if (s > 0 && sent[(s - 1) * n + r] > begin)
				begin = sent[(s - 1) * n + r];
			if (s > 0 && came[(s - 1) * n + r] > begin)
				begin = came[(s - 1) * n + r];
			uint32_t to = (r + 1) % n;
			sent[s * n + r] = begin + c;
			came[s * n + to] = begin + c - 1 + 2 * drb_distance(t, host[r], host[to]);
			last = came[s * n + to] > last ? came[s * n + to] : last;
		}
	}
	free(sent);
	free(came);
	return last;
}

TEST(a_ring_waits_for_the_rank_before)
{
	static const uint32_t trees[][2] = {{1, 4}, {2, 2}, {3, 2}, {2, 4}, {3, 3}};

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		for (int shuffled = 0; shuffled < 2; shuffled++) {
			struct drb_job_setup s =
				setup_of(trees[i][0], trees[i][1], "all-reduce-ring", 0);
			uint32_t n = s.transfers.tree.hosts, host[64];
			struct drb_rng rng = drb_rng_seed(s.transfers.seed, 3);
			for (uint32_t h = 0; h < n; h++)
				host[h] = h;
			if (shuffled)
				drb_rng_permutation(&rng, host, n);
			s.shuffled = shuffled;
			s.job.data = 9 * n;
			struct drb_job_result r = run(&s);
			assert_int_equal(r.alone, naive_ring(&s.transfers.tree, host, 9));
			assert_true(r.makespan >= r.alone);
		}
	}
}

// On a large enough fabric, transfers of randomly placed ranks delay each other.
TEST(jobs_take_at_least_what_they_take_alone)
{
	static const char *const jobs[] = {"all-reduce-ring", "all-reduce-halving", "all-to-all",
					   "incast", "pipeline:7"};

	for (size_t i = 0; i < ARRAY_SIZE(jobs) * DRB_SCHEME_COUNT; i++) {
		struct drb_job_setup s = setup_of(3, 2, jobs[i / DRB_SCHEME_COUNT], 160);
		s.transfers.scheme = (enum drb_scheme)(i % DRB_SCHEME_COUNT);
		s.shuffled = true;
		struct drb_job_result r = run(&s), again = run(&s);
		assert_true(r.makespan >= r.alone && r.alone > 0);
		assert_int_equal(again.makespan, r.makespan);
		s.transfers.queue = 1;
		again = run(&s);
		// A dropped packet is not sent again: the job ends there, without a makespan.
		assert_int_equal(again.makespan == 0, again.dropped > 0);
	}
}

// Ranks without a path between them send again for ever; the run ends long before its limit.
TEST(a_job_without_paths_ends)
{
	struct drb_job_setup s = setup_of(3, 3, "incast", 20);

	s.transfers.scheme = DRB_SCHEME_ECMP;
	s.transfers.source = DRB_SIM_WINDOW;
	s.transfers.mark = 20;
	s.transfers.timeout = 1000;
	s.transfers.fail.links = 40;
	s.shuffled = true;
	s.longest = 1000000000;
	struct drb_job_result r = run(&s);
	assert_int_equal(r.makespan, 0);
	assert_int_equal(r.transfers, 53);
	assert_true(r.never > 0 && r.never < 53);
	s.transfers.fail.links = 0;
	assert_int_equal(run(&s).never, 0);
}

TEST(what_cannot_be_is_refused)
{
	static const char *const wrong[] = {
		"",           "ring",       "all-to-all:3", "pipeline",
		"pipeline:0", "pipeline:x", "incast:",      "all-reduce-ringx"};
	struct drb_job_setup s = setup_of(2, 3, "all-reduce-halving", 100);
	struct drb_job_result r;
	struct drb_job job;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(drb_job_parse(wrong[i], &job), -EINVAL);
	assert_int_equal(drb_job_run(&s, &r), -ERANGE);
	for (int kind = 0; kind < DRB_JOB_COUNT; kind++) {
		char text[DRB_JOB_NAME_MAX];
		drb_job_format(&(struct drb_job){(enum drb_job_kind)kind, 3, 0}, text);
		assert_int_equal(drb_job_parse(text, &job), 0);
		assert_int_equal(job.kind, kind);
	}
}

TEST_MAIN(NULL, NULL)
