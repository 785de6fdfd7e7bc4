// SPDX-License-Identifier: BSD-3-Clause
// Rules of switches next to rules of hosts, as the report has them: what is sent, and that it arrives.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/unit.h"

#include "sim/paper/hosts.h"
#include "sim/paper/paper.h"

#define MEMORY (UINT64_C(64) << 20)
#define DELAYS 18   // slots, of six links
#define EMPTY_WAY 5 // slots that the first packet takes beyond its own, over six links

// Of F(3,4): by host links, or one transfer after the other. 0: it is not known in closed form; NaN: there is none.
static double bound_of(const char *traffic)
{
	const double packets = 100, each = 10, fan_in = 31;

	if (strncmp(traffic, "permutation", 11) == 0 || strcmp(traffic, "one-way") == 0)
		return packets + EMPTY_WAY + DELAYS;
	if (strcmp(traffic, "incast") == 0)
		return each * fan_in;
	return strcmp(traffic, "web search") == 0 ? (double)NAN : 0;
}

static void check_run(struct paper_hosts *h)
{
	struct paper_hosts_result r, again;
	const double bound = bound_of(paper_hosts_traffic(h));

	h->transfers.memory = MEMORY;
	assert_int_equal(paper_hosts_run(h, &r), 0);
	assert_int_equal(paper_hosts_run(h, &again), 0);
	assert_memory_equal(&r, &again, sizeof(r));
	assert_true(r.unfinished == 0 && r.slowdown >= 1 && r.slowdown_p99 >= r.slowdown * 0.9);
	assert_true(r.marked >= 0 && r.marked < 1 && r.resent < 0.1);
	if (isnan(bound)) {
		assert_true(isnan(r.makespan) && isnan(r.bound));
		return;
	}
	assert_true(r.makespan >= r.bound && r.bound > 0);
	if (bound > 0)
		assert_true(r.bound == bound);
}

// Each rule under each traffic.
TEST(all_arrives_and_takes_its_time)
{
	struct paper p = {.common = {.seed = 3}, .quick = true, .own_seeds = 1};

	paper_plan_hosts(&p);
	assert_int_equal(p.points, 7 * 10);
	for (uint32_t i = 0; i < p.points; i++)
		check_run(&p.point[i].hosts);
	free(p.point);
}

// F(3,8) with the seeds that are asked for, F(3,24) with a third; all rules and traffic on both.
TEST(the_large_fabric_has_fewer_seeds)
{
	static const uint32_t seeds[][2] = {{1, 1}, {3, 1}, {5, 1}, {10, 3}, {12, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct paper p = {.common = {.seed = 3}, .own_seeds = seeds[i][0]};
		uint32_t large = 0;
		paper_plan_hosts(&p);
		for (uint32_t k = 0; k < p.points; k++)
			large += p.point[k].hosts.transfers.tree.arity == 24;
		assert_int_equal(p.points - large, 7 * 10 * seeds[i][0]);
		assert_int_equal(large, 7 * 10 * seeds[i][1]);
		free(p.point);
	}
}

// What is dead is known to switches, costs time, and no rule hears of it otherwise.
TEST(dead_links_cost_time)
{
	struct paper p = {.common = {.seed = 3}, .quick = true, .own_seeds = 1};
	double time[2] = {0};

	paper_plan_hosts(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		struct paper_hosts *h = &p.point[i].hosts;
		struct paper_hosts_result r;
		const bool dead = h->transfers.fail.links > 0;
		if (strncmp(paper_hosts_traffic(h), "permutation", 11) != 0)
			continue;
		assert_int_equal(h->transfers.fail.links, dead ? 13 : 0); // of 256
		// What spreads packets has the same timer, be it hosts or switches.
		assert_true(h->transfers.timer_each == (h->transfers.source == DRB_SIM_SPRAY));
		h->transfers.memory = MEMORY;
		assert_int_equal(paper_hosts_run(h, &r), 0);
		time[dead] += r.makespan;
	}
	assert_true(time[1] > 1.1 * time[0]);
	free(p.point);
}

// A mean without the slowest transfers would make a rule look good.
TEST(what_never_arrives_has_no_slowdown)
{
	struct paper p = {.common = {.seed = 3}, .quick = true, .own_seeds = 1};
	struct paper_hosts_result r = {0};

	paper_plan_hosts(&p);
	for (uint32_t i = 0; r.unfinished == 0; i++) {
		struct paper_hosts *h = &p.point[i].hosts;
		if (strcmp(paper_hosts_label(h), "ecmp") != 0 || h->transfers.fail.links == 0)
			continue;
		h->transfers.fail.links = 100; // of 256
		h->transfers.memory = MEMORY;
		assert_int_equal(paper_hosts_run(h, &r), 0);
		assert_true(r.unfinished > 0);
	}
	assert_true(isnan(r.makespan) && isnan(r.slowdown) && isnan(r.slowdown_p99));
	free(p.point);
}

TEST_MAIN(NULL, NULL)
