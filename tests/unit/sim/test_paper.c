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

// The run of a scheme at the highest load with this share of links or switches dead.
static struct drb_packet_result with_dead(const struct paper *p, enum drb_scheme scheme,
					  double share, bool switches)
{
	for (uint32_t i = 0; i < p->points; i++) {
		const struct drb_packet_setup *s = &p->point[i].packet;
		if (s->scheme == scheme && s->rho == 0.5 && p->point[i].dead == share &&
		    (s->fail.switches > 0) == switches) {
			assert_int_equal(s->fail.links, switches ? 0 : lround(share * 2048));
			assert_int_equal(s->fail.switches, switches ? lround(share * 192) : 0);
			return paper_packet_result(&p->point[i]);
		}
	}
	fail_msg("no such point");
	return (struct drb_packet_result){0};
}

// What is dead changes the key of a point: all points have figures of their own.
TEST(figures_follow_what_is_dead)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO,
						  DRB_SCHEME_DMODK, DRB_SCHEME_WALK};
	struct paper p = plan_in(*state);

	paper_run(&p);
	for (size_t s = 0; s < ARRAY_SIZE(schemes); s++) {
		struct drb_packet_result none = with_dead(&p, schemes[s], 0, false);
		struct drb_packet_result links = with_dead(&p, schemes[s], 0.1, false);
		struct drb_packet_result switches = with_dead(&p, schemes[s], 0.1, true);
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
	const struct paper_point *longest[PAPER_BINS + 1] = {NULL};

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

// No run is done twice: all points of the plan have different setups.
TEST(no_point_is_there_twice)
{
	struct paper p = {
		.common = sim_common_default(), .seeds = 3, .own_seeds = 5, .dir = *state};
	uint32_t same = 0;

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct paper_point *a = &p.point[i], *b = &p.point[k];
			same += a->kind == b->kind &&
				memcmp(&a->flow, &b->flow, sizeof(a->flow)) == 0 &&
				memcmp(&a->packet, &b->packet, sizeof(a->packet)) == 0 &&
				memcmp(&a->ctmc, &b->ctmc, sizeof(a->ctmc)) == 0 &&
				memcmp(&a->layers, &b->layers, sizeof(a->layers)) == 0 &&
				memcmp(&a->transient, &b->transient, sizeof(a->transient)) == 0 &&
				memcmp(&a->bins, &b->bins, sizeof(a->bins)) == 0 &&
				a->paths == b->paths && a->worst == b->worst;
		}
	}
	assert_int_equal(same, 0);
	free(p.point);
}

// What the journal holds of a point is all that the report reads back.
TEST(figures_come_back)
{
	struct drb_flow_summary flow = {1, 2, 3, 4, 5, 6}, flow_back;
	struct drb_packet_result packet = {0}, packet_back;
	struct drb_ctmc_result ctmc = {.s = {1, 0.75},
				       .mean_queue = 1.5,
				       .mean_time = 2.5,
				       .redirected = 0.25,
				       .correlation = 0.1};
	struct paper_point point = {0};

	paper_set_flow_summary(&point, &flow);
	flow_back = paper_flow_summary(&point);
	assert_memory_equal(&flow_back, &flow, sizeof(flow));

	packet.latency = 1;
	packet.tail = 2;
	packet.redirected = 3;
	packet.default_path = 8;
	packet.throughput = 4;
	packet.unclear = true;
	packet.undelivered = 5;
	packet.lost = 6;
	packet.drift = 7;
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++) {
		packet.up_mean[m] = 10.0 * m;
		packet.up_max[m] = 10 * m + 1;
		packet.down_mean[m] = 10.0 * m + 2;
		packet.down_max[m] = 10 * m + 3;
	}
	paper_set_packet_result(&point, &packet);
	packet_back = paper_packet_result(&point);
	assert_true(packet_back.latency == 1 && packet_back.tail == 2 &&
		    packet_back.redirected == 3 && packet_back.throughput == 4 &&
		    packet_back.default_path == 8 && !packet_back.growing && packet_back.unclear &&
		    packet_back.undelivered == 5 && packet_back.lost == 6 &&
		    packet_back.drift == 7);
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++)
		assert_true(packet_back.up_mean[m] == packet.up_mean[m] &&
			    packet_back.up_max[m] == packet.up_max[m] &&
			    packet_back.down_mean[m] == packet.down_mean[m] &&
			    packet_back.down_max[m] == packet.down_max[m]);

	paper_set_ctmc_result(&point, &ctmc);
	assert_true(point.value[0] == 1.5 && point.value[1] == 2.5 && point.value[2] == 0.25 &&
		    point.value[3] == 0.75 && point.value[3 + PAPER_CHAIN_LEVELS] == 0.1);

	struct drb_ctmc_layers_result layers = {.layer[1] = {.mean_queue = 1, .departures_cv2 = 3},
						.layer[3] = {.s = {0, 0.5}, .mean_queue = 7}};
	const double *third = point.value + 6;
	point.layers.layers = PAPER_LAYERS_MAX;
	paper_set_layers_result(&point, &layers);
	assert_true(point.value[0] == 1 && point.value[1] == 0 && point.value[2] == 3);
	assert_true(third[0] == 7 && third[1] == 0.5 && third[2] == 0);
}

// Of 290,304 links that are alike chance lets one pass for growing: that is unclear. Of the studies none may.
TEST(a_link_that_grows_by_chance_is_unclear)
{
	struct paper_point point = {.kind = PAPER_PACKET};
	struct drb_packet_result r = {.growing = true, .growing_links = 1};

	drb_tree_init(&point.packet.tree, 4, 12);
	paper_set_packet_result(&point, &r);
	assert_false(paper_packet_result(&point).growing);
	assert_true(paper_packet_result(&point).unclear);
	point.study = PAPER_PERSISTENT;
	assert_true(paper_packet_result(&point).growing);
	point.study = PAPER_ITSELF;
	r.growing_links = 2;
	paper_set_packet_result(&point, &r);
	assert_true(paper_packet_result(&point).growing);
	r.growing_links = 0; // the sum of all
	paper_set_packet_result(&point, &r);
	assert_true(paper_packet_result(&point).growing);
}

TEST_MAIN(make_dir, remove_dir)
