// SPDX-License-Identifier: BSD-3-Clause
// `drbsim paper`: its journal, and the study of dead links and switches, on the short plan.
#include "fixtures/unit.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/paper/cost.h"
#include "sim/paper/faults.h"
#include "sim/paper/output.h"
#include "sim/paper/plan.h"
#include "sim/paper/report_parts.h"
#include "sim/paper/run.h"

static struct paper plan_in(const char *dir)
{
	struct paper p = {.common = sim_common_default(), .quick = true, .dir = (char *)dir};

	paper_plan_faults(&p);
	return p;
}

// One directory for all tests: those behind the first find their points in its journal.
static int make_dir(void **state)
{
	char *dir = strdup("/tmp/test_paper_XXXXXX");

	*state = dir;
	return dir && mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char path[300];
	struct dirent *entry;
	DIR *dir = opendir(*state);

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, entry->d_name);
		unlink(path); // "." and ".." stay
	}
	if (dir)
		closedir(dir);
	rmdir(*state);
	free(*state);
	return 0;
}

// Reads a file of the directory; to be freed.
static char *contents(const char *dir, const char *name)
{
	char path[300], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

// A journal that ends in the middle of a line: what it holds is not run again, the rest is, to the
// same figures.
static void the_journal_goes_on_where_it_ended(void **state)
{
	struct paper first = plan_in(*state), second = plan_in(*state);
	char path[300], *before, *after;

	paper_run(&first);
	before = contents(*state, "journal.txt");
	snprintf(path, sizeof(path), "%s/journal.txt", (char *)*state);
	assert_int_equal(truncate(path, (off_t)strlen(before) / 2), 0);
	paper_run(&second);
	for (uint32_t i = 0; i < first.points; i++) {
		assert_true(second.point[i].done);
		assert_memory_equal(first.point[i].value, second.point[i].value,
				    sizeof(first.point[i].value));
		// What it took is read from the journal, or measured again.
		assert_true(first.point[i].cpu > 0 && second.point[i].cpu > 0);
	}
	// Half of it was kept, so as many lines were added as were lost.
	after = contents(*state, "journal.txt");
	assert_memory_equal(before, after, strlen(before) / 2);
	assert_true(strlen(after) < strlen(before) + 1000);
	free(before);
	free(after);
	free(first.point);
	free(second.point);
}

// What is dead changes the key of a point: all points have figures of their own.
static void figures_follow_what_is_dead(void **state)
{
	struct paper p = plan_in(*state);
	const uint32_t last = PAPER_FAULT_SHARES - 1, high = PAPER_FAULT_LOADS - 1;

	paper_run(&p);
	for (uint32_t s = 0; s < PAPER_FAULT_SCHEMES; s++) {
		enum drb_scheme scheme = paper_fault_scheme[s];
		struct paper_fault none = paper_fault(&p, scheme, high, false, 0);
		struct paper_fault same = paper_fault(&p, scheme, high, true, 0);
		struct paper_fault links = paper_fault(&p, scheme, high, false, last);
		struct paper_fault switches = paper_fault(&p, scheme, high, true, last);
		assert_int_equal(none.runs, 1);
		assert_int_equal(none.dead, 0);
		assert_true(none.lost == 0 && none.latency > 6 && none.latency < 9);
		assert_true(none.latency == same.latency && none.tail == same.tail);
		assert_int_equal(links.dead, 205);
		assert_int_equal(switches.dead, 19);
		assert_true(links.lost > 0 && links.lost < 0.05);
		assert_true(switches.lost > 0 && switches.lost < 0.1);
		assert_true(links.latency > none.latency && switches.latency > links.latency);
		assert_true(links.tail > none.tail && switches.tail > links.tail);
	}
	free(p.point);
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text++;
	}
	return n;
}

// A row for every share that was run, and no figure that is none.
static void the_report_has_every_figure(void **state)
{
	struct paper p = plan_in(*state);
	char *html;
	FILE *f;

	paper_run(&p);
	f = paper_open(&p, "faults.html");
	report_faults(&p, f);
	paper_close(&p, f, "faults.html");
	html = contents(*state, "faults.html");
	assert_null(strstr(html, "nan"));
	assert_null(strstr(html, "inf"));
	assert_int_equal(count(html, "<tr><td>"), 2 * (1 + PAPER_FAULT_SHARES / 2));
	assert_non_null(strstr(html, "205 (10 %)"));
	assert_non_null(strstr(html, "19 (10 %)"));
	free(html);
	free(p.point);
}

// Every point is in one part, and no part is forgotten; the long ones are known as such before.
static void costs_add_up(void **state)
{
	struct paper p = {.common = sim_common_default(), .dir = *state};
	struct paper_cost cost[PAPER_COSTS];
	uint32_t costs, points = 0;
	double cpu = 0, longest = 0;

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++)
		p.point[i].cpu = i % 7;
	costs = paper_costs(&p, cost);
	for (uint32_t i = 0; i < costs; i++) {
		points += cost[i].points;
		cpu += cost[i].cpu;
		assert_true(cost[i].points > 0 && cost[i].longest <= 6);
	}
	assert_int_equal(costs, 9); // flows and packets of 2 trees, 3 of the study, faults, theory
	assert_int_equal(points, p.points);
	for (uint32_t i = 0; i < p.points; i++)
		cpu -= p.point[i].cpu;
	assert_true(cpu == 0);
	for (uint32_t i = 0; i < p.points; i++)
		longest = fmax(longest, paper_estimate(&p.point[i]));
	// F(4,12) at 0.99 is the longest of all: the most hosts, the most layers.
	for (uint32_t i = 0; i < p.points; i++) {
		if (paper_estimate(&p.point[i]) == longest) {
			assert_int_equal(p.point[i].kind, PAPER_PACKET);
			assert_int_equal(p.point[i].packet.tree.hosts, 41472);
		}
	}
	free(p.point);
}

// No run is done twice: all points of the plan have different setups.
static void no_point_is_there_twice(void **state)
{
	struct paper p = {.common = sim_common_default(), .dir = *state};
	uint32_t same = 0;

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct paper_point *a = &p.point[i], *b = &p.point[k];
			same += a->kind == b->kind &&
				memcmp(&a->flow, &b->flow, sizeof(a->flow)) == 0 &&
				memcmp(&a->packet, &b->packet, sizeof(a->packet)) == 0 &&
				memcmp(&a->ctmc, &b->ctmc, sizeof(a->ctmc)) == 0;
		}
	}
	assert_int_equal(same, 0);
	free(p.point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_journal_goes_on_where_it_ended),
		cmocka_unit_test(figures_follow_what_is_dead),
		cmocka_unit_test(the_report_has_every_figure),
		cmocka_unit_test(costs_add_up),
		cmocka_unit_test(no_point_is_there_twice),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
