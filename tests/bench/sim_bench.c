// SPDX-License-Identifier: BSD-3-Clause
// Speed of the models on one core, as one JSON object a line. Takes the best of three rounds, and
// uses CPU time, which other load on the machine disturbs less.
//   sim_bench [--large]    --large adds F(3,64)
//   sim_bench --threads    one run on 1 and 2 threads, by the clock, and what a job of a crew costs

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/models/crew.h"
#include "sim/models/flow.h"
#include "sim/models/packet.h"

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_seconds(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static double peak_gib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / (1 << 20);
}

// Returns hops per second of steps after the fabric has filled. By CPU time if threads is 1.
static double packet_speed(uint32_t arity, uint32_t warm_up, uint32_t steps, uint32_t threads)
{
	const clockid_t clock = threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
	struct drb_packet_setup s = {.scheme = DRB_SCHEME_DRB,
				     .choices = 2,
				     .threshold = drb_threshold_packet(0.9),
				     .rho = 0.9,
				     .slots = 100000,
				     .stats = 1,
				     .seed = 1,
				     .memory = UINT64_C(4) << 30,
				     .threads = threads};
	struct drb_packet_sim *sim;
	double best = 0;

	if (drb_tree_init(&s.tree, 3, arity) < 0 || drb_packet_new(&sim, &s) < 0)
		return 0;
	for (uint32_t i = 0; i < warm_up; i++)
		drb_packet_step(sim);
	for (int round = 0; round < 3; round++) {
		uint64_t hops = drb_packet_counted(sim).hops;
		double start = seconds(clock);
		for (uint32_t i = 0; i < steps; i++)
			drb_packet_step(sim);
		double speed =
			(double)(drb_packet_counted(sim).hops - hops) / (seconds(clock) - start);
		best = speed > best ? speed : best;
	}
	drb_packet_free(sim);
	return best;
}

static void packet_bench(uint32_t arity, uint32_t warm_up, uint32_t steps, uint32_t threads)
{
	double speed = packet_speed(arity, warm_up, steps, threads);

	printf("{\"bench\":\"sim_packet\",\"layers\":3,\"arity\":%u,\"scheme\":\"drb\",\"rho\":0.9,"
	       "\"threads\":%u,\"packet_hops_per_second\":%.4g,\"peak_gib\":%.2f}\n",
	       arity, threads, speed, peak_gib());
	fflush(stdout);
}

#define JOBS 100000

static void do_nothing(void *context, uint32_t item)
{
	(void)context;
	(void)item;
}

static void crew_bench(uint32_t threads, uint32_t each)
{
	struct drb_crew *crew = drb_crew_new(threads, each);
	const double start = seconds(CLOCK_MONOTONIC);

	for (uint32_t i = 0; crew && i < JOBS; i++)
		drb_crew_run(crew, do_nothing, NULL);
	printf("{\"bench\":\"sim_crew\",\"threads\":%u,\"items\":%u,\"us_per_job\":%.3g}\n",
	       threads, threads * each, (seconds(CLOCK_MONOTONIC) - start) * 1e6 / JOBS);
	drb_crew_free(crew);
}

static void flow_bench(uint32_t flows)
{
	struct drb_flow_setup s = {
		.scheme = DRB_SCHEME_DRB, .choices = 2, .flows = flows, .seed = 1};
	double best = 0;

	if (drb_tree_init(&s.tree, 3, 24) < 0)
		return;
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, flows);
	s.threshold = drb_threshold_flow(flows, s.tree.hosts);
	for (uint32_t round = 0; work && round < 3; round++) {
		double start = cpu_seconds();
		for (uint32_t run = 0; run < 5; run++)
			drb_flow_run(&s, run, work);
		double speed = 5.0 * flows * s.tree.hosts / (cpu_seconds() - start);
		best = speed > best ? speed : best;
	}
	drb_flow_work_free(work);
	printf("{\"bench\":\"sim_flow\",\"layers\":3,\"arity\":24,\"scheme\":\"drb\",\"flows\":%u,"
	       "\"flow_assignments_per_second\":%.4g}\n",
	       flows, best);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	packet_bench(24, 60, 100, 1);
	if (*what)
		packet_bench(64, 60, 10, 1);
	if (strcmp(what, "--threads") == 0) {
		packet_bench(24, 60, 100, 2);
		packet_bench(64, 60, 10, 2);
		crew_bench(2, 13);
		return 0;
	}
	flow_bench(10);
	return 0;
}
