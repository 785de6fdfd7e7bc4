// SPDX-License-Identifier: BSD-3-Clause
// `drbsim paper`: its plan, its journal, and the study of dead links and switches, on the short plan.
#include "fixtures/unit.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/paper/cost.h"
#include "sim/paper/faults.h"
#include "sim/paper/journal.h"
#include "sim/paper/plan.h"
#include "sim/paper/points.h"
#include "sim/paper/results.h"
#include "sim/paper/run.h"

static struct paper plan_in(const char *dir)
{
	struct paper p = {.common = sim_common_default(),
			  .quick = true,
			  .seeds = 1,
			  .own_seeds = 2,
			  .dir = (char *)dir};

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
TEST(the_journal_goes_on_where_it_ended)
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
		assert_string_equal(first.point[i].figures, second.point[i].figures);
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

// Figures of other code are not taken for those of this one.
TEST(the_journal_knows_its_code)
{
	struct paper p = plan_in(*state);
	char path[300], *text = contents(*state, "journal.txt");
	FILE *f;

	for (char *at = text; (at = strstr(at, DRB_VERSION "-")); at += strlen(DRB_VERSION)) {
		const char *code = at + strlen(DRB_VERSION) + 1;
		size_t digits = strspn(code, "0123456789abcdef");

		assert_true(digits == 16 || code[digits] == '\n'); // the line that was cut short
		at[strlen(DRB_VERSION) + 1] ^= 1;                  // another digit
	}
	snprintf(path, sizeof(path), "%s/other", (char *)*state);
	assert_int_equal(mkdir(path, 0777), 0);
	p.dir = path;
	char journal[400];
	snprintf(journal, sizeof(journal), "%s/journal.txt", path);
	f = fopen(journal, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	paper_journal_read(&p);
	assert_int_equal(paper_left(&p), p.points);
	p.dir = *state;
	paper_journal_read(&p);
	assert_int_equal(paper_left(&p), 0);
	unlink(journal);
	rmdir(path);
	free(text);
	free(p.point);
}

struct dead_run {
	double latency, tail, lost;
};

static double figure(const struct paper_point *point, const char *key)
{
	const char *at = strstr(point->figures, key);

	assert_non_null(at);
	return strtod(at + strlen(key), NULL);
}

// The run of a scheme at the highest load with this share of links or switches dead.
static struct dead_run with_dead(const struct paper *p, enum drb_scheme scheme, double share,
				 bool switches)
{
	for (uint32_t i = 0; i < p->points; i++) {
		const struct drb_packet_setup *s = &p->point[i].packet;
		if (s->scheme == scheme && s->rho == 0.5 && p->point[i].dead == share &&
		    (s->fail.switches > 0) == switches) {
			assert_int_equal(s->fail.links, switches ? 0 : lround(share * 2048));
			assert_int_equal(s->fail.switches, switches ? lround(share * 192) : 0);
			return (struct dead_run){figure(&p->point[i], "\"latency\":"),
						 figure(&p->point[i], "\"tail\":"),
						 figure(&p->point[i], "\"lost\":")};
		}
	}
	fail_msg("no such point");
	return (struct dead_run){0};
}

// What is dead changes the key of a point: all points have figures of their own.
TEST(figures_follow_what_is_dead)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO,
						  DRB_SCHEME_DMODK, DRB_SCHEME_WALK};
	struct paper p = plan_in(*state);

	paper_run(&p);
	for (size_t s = 0; s < ARRAY_SIZE(schemes); s++) {
		struct dead_run none = with_dead(&p, schemes[s], 0, false);
		struct dead_run links = with_dead(&p, schemes[s], 0.1, false);
		struct dead_run switches = with_dead(&p, schemes[s], 0.1, true);
		assert_true(none.lost == 0 && none.latency > 6 && none.latency < 9);
		assert_true(links.lost > 0 && links.lost < 0.05);
		assert_true(switches.lost > 0 && switches.lost < 0.1);
		assert_true(links.latency > none.latency && switches.latency > links.latency);
		assert_true(links.tail > none.tail && switches.tail > links.tail);
	}
	free(p.point);
}

// The long points are known as such before: of packets, F(4,12) at 0.99 has the most hosts and the most layers; as
// many cross links there as balls are thrown into the most bins.
TEST(the_longest_run_is_known)
{
	struct paper p = {
		.common = sim_common_default(), .seeds = 3, .own_seeds = 5, .dir = *state};
	const struct paper_point *longest[PAPER_HOSTS + 1] = {NULL};

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		const struct paper_point **of = &longest[p.point[i].kind];
		if (!*of || paper_estimate(&p.point[i]) > paper_estimate(*of))
			*of = &p.point[i];
	}
	const struct drb_packet_setup *packets = &longest[PAPER_PACKET]->packet;
	assert_int_equal(packets->tree.hosts, 41472);
	assert_true(packets->rho == 0.99);
	assert_int_equal(longest[PAPER_BINS]->bins.bins, 1 << 24);
	double ratio = paper_estimate(longest[PAPER_BINS]) / paper_estimate(longest[PAPER_PACKET]);
	assert_true(ratio > 0.8 && ratio < 1.2);
	free(p.point);
}

// Of two trees and five schemes: c of 1 to 20, 200 times; loads 0.60, 0.63, ..., 0.99, with five seeds. Keys differ (below).
TEST(the_plan_is_that_of_the_paper)
{
	struct paper p = {
		.common = sim_common_default(), .seeds = 3, .own_seeds = 5, .dir = *state};
	uint32_t flows = 0, packets = 0;

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		const struct paper_point *x = &p.point[i];
		const struct drb_flow_setup *f = &x->flow;
		const struct drb_packet_setup *s = &x->packet;
		bool plain = strcmp(paper_label(x), "drb T=0") == 0;
		if (x->kind == PAPER_FLOW && x->paths == PAPER_BY_SCHEME && !x->worst) {
			flows++;
			assert_true(x->runs == 200 && f->choices == 2 && f->flows <= 20);
			assert_true(f->threshold ==
				    (plain ? 0 : drb_threshold_flow(f->flows, f->tree.hosts)));
		}
		if (x->kind == PAPER_PACKET && x->study == PAPER_ITSELF) {
			packets++;
			assert_true(s->choices == 2 && s->rho >= 0.6 && s->rho <= 0.99);
			assert_int_equal(s->traffic.pattern, DRB_PATTERN_PERMUTATION);
			assert_true(s->threshold == (plain ? 0 : drb_threshold_packet(s->rho)));
		}
	}
	assert_int_equal(flows, 2 * 5 * 20);
	assert_int_equal(packets, 2 * 5 * 14 * 5);
	free(p.point);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

// No run is done twice, or taken from the journal for another: all points of the plan have different keys.
TEST(all_points_have_keys_of_their_own)
{
	struct paper p = {
		.common = sim_common_default(), .seeds = 3, .own_seeds = 5, .dir = *state};

	paper_plan(&p);
	char **key = calloc(p.points, sizeof(*key));
	for (uint32_t i = 0; i < p.points; i++) {
		size_t size;
		FILE *f = open_memstream(&key[i], &size);
		paper_put_setup(f, &p.point[i]);
		fclose(f);
	}
	qsort(key, p.points, sizeof(*key), by_text);
	for (uint32_t i = 1; i < p.points; i++)
		assert_string_not_equal(key[i], key[i - 1]);
	for (uint32_t i = 0; i < p.points; i++)
		free(key[i]);
	free(key);
	free(p.point);
}

// What the report reads of a run, in its own names; of layers and levels from 1 on.
TEST(figures_are_named)
{
	struct paper_point point = {.kind = PAPER_PACKET};
	union paper_result r = {.packets = {.latency = 1.5,
					    .default_path = NAN,
					    .growing_links = 2,
					    .up_mean = {9, 2, 3},
					    .up_max = {9, 4, 5},
					    .down_mean = {9, 6, 7, 8},
					    .down_max = {9, 10, 11, 12}}};

	drb_tree_init(&point.packet.tree, 3, 4);
	paper_set_figures(&point, &r);
	assert_string_equal(point.figures,
			    ",\"latency\":1.5,\"tail\":0,\"redirected\":0,\"default_path\":null,"
			    "\"throughput\":0,\"drift\":0,\"lost\":0,\"growing\":0,\"unclear\":0,"
			    "\"growing_links\":2,\"up_mean\":[2,3],\"up_max\":[4,5],"
			    "\"down_mean\":[6,7,8],\"down_max\":[10,11,12]");
	point.kind = PAPER_CTMC_LAYERS;
	point.layers.layers = 4;
	r.layers =
		(struct drb_ctmc_layers_result){.layer[1] = {.mean_queue = 1, .departures_cv2 = 3},
						.layer[3] = {.s = {0, 0.5}, .mean_queue = 7}};
	paper_set_figures(&point, &r);
	assert_string_equal(point.figures, ",\"mean_queue\":[1,0,7],\"distance\":[0,0,0.5],"
					   "\"departures_cv2\":[3,0,0]");
	point.kind = PAPER_CTMC;
	r.chain = (struct drb_ctmc_result){.s = {1, 0.75, 0.5}, .correlation = 0.25};
	paper_set_figures(&point, &r);
	assert_non_null(strstr(point.figures, ",\"correlation\":0.25,\"s\":[0.75,0.5,0,"));
}

// The longest line that a point may have fits: its key, its figures, and its end.
TEST(the_longest_figures_fit)
{
	struct paper_point point = {.kind = PAPER_PACKET};
	union paper_result r = {.packets = {.latency = -1.0 / 3e100}};

	drb_tree_init(&point.packet.tree, 4, 12);
	for (uint32_t m = 0; m <= 4; m++) {
		r.packets.up_mean[m] = r.packets.down_mean[m] = -1.0 / 3e100;
		r.packets.up_max[m] = r.packets.down_max[m] = UINT32_MAX;
	}
	paper_set_figures(&point, &r);
	assert_true(point.figures[strlen(point.figures) - 1] == ']');
	point.kind = PAPER_CTMC;
	for (int i = 0; i < DRB_CTMC_LEVELS; i++)
		r.chain.s[i] = -1.0 / 3e100;
	paper_set_figures(&point, &r);
	assert_true(point.figures[strlen(point.figures) - 1] == ']');
}

static bool has(const struct paper_point *point, uint64_t growing_links, const char *figures)
{
	struct paper_point of = *point;

	paper_set_figures(&of, &(union paper_result){.packets = {.growing = true,
								 .growing_links = growing_links}});
	return strstr(of.figures, figures) != NULL;
}

// Of 290,304 links that are alike chance lets one pass for growing: that is unclear. Of the studies none may.
TEST(a_link_that_grows_by_chance_is_unclear)
{
	struct paper_point point = {.kind = PAPER_PACKET};

	drb_tree_init(&point.packet.tree, 4, 12);
	assert_true(has(&point, 1, "\"growing\":0,\"unclear\":1,"));
	assert_true(has(&point, 2, "\"growing\":1,\"unclear\":0,"));
	assert_true(has(&point, 0, "\"growing\":1,\"unclear\":0,")); // the sum of all
	point.study = PAPER_PERSISTENT;
	assert_true(has(&point, 1, "\"growing\":1,\"unclear\":0,"));
}

TEST_MAIN(make_dir, remove_dir)
