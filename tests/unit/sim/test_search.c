// SPDX-License-Identifier: BSD-3-Clause
// The search: its matrices are admissible, what it tried it finds again, and it finds a scheme that is not stable.
#include "fixtures/unit.h"

#include <errno.h>
#include <unistd.h>

#include "common/traffic/traffic_file.h"

#include "sim/search/cases.h"
#include "sim/search/matrix.h"

#define LOADS 2

static const double loads[LOADS] = {0.5, 0.9};

static struct drb_traffic_file *traffic_of(const struct drb_tree *t, const struct search_case *c,
					   uint32_t slots)
{
	struct drb_traffic_file *file = NULL;
	char *text, error[DRB_TRAFFIC_ERROR_MAX] = "";
	size_t size;
	FILE *f = open_memstream(&text, &size);

	int rc = search_write_matrix(f, t, c, slots);
	fclose(f);
	if (rc == 0) {
		f = fmemopen(text, size, "r");
		rc = drb_traffic_file_read(f, t->hosts, &file, error);
		assert_string_equal(error, "");
		assert_int_equal(rc, 0);
		fclose(f);
	} else {
		assert_int_equal(rc, -ENODATA);
	}
	free(text);
	return file;
}

static bool is_member(const struct drb_traffic_file *f, uint32_t g, uint32_t h)
{
	for (uint32_t i = f->begin[g]; i < f->begin[g + 1]; i++) {
		if (f->member[i] == h)
			return true;
	}
	return false;
}

// Adds what h sends at the rates of its pairs to what each host gets.
static double add_row(const struct drb_traffic_file *f, const double rate[], uint32_t h,
		      double got[])
{
	double sent = 0;

	for (uint32_t p = f->first[h]; p < f->first[h + 1]; p++) {
		const uint32_t g = f->to[p] & ~DRB_TRAFFIC_GROUP;
		sent += rate[p];
		if (!(f->to[p] & DRB_TRAFFIC_GROUP)) {
			got[f->to[p]] += rate[p];
			continue;
		}
		uint32_t others = f->begin[g + 1] - f->begin[g] - is_member(f, g, h);
		for (uint32_t i = f->begin[g]; i < f->begin[g + 1]; i++) {
			if (f->member[i] != h)
				got[f->member[i]] += rate[p] / others;
		}
	}
	return sent;
}

static void check_rates(const struct drb_traffic_file *f, const double rate[])
{
	double *got = calloc(f->hosts, sizeof(*got));

	for (uint32_t h = 0; h < f->hosts; h++)
		assert_true(add_row(f, rate, h, got) <= 1 + 1e-6);
	for (uint32_t h = 0; h < f->hosts; h++)
		assert_true(got[h] <= 1 + 1e-6);
	free(got);
}

TEST(rates_are_admissible)
{
	static const uint32_t trees[][2] = {{3, 2}, {3, 4}, {4, 2}, {2, 3}};
	struct drb_rng rng = drb_rng_seed(1, 0);
	uint32_t silent = 0;

	for (uint32_t i = 0; i < 400; i++) {
		struct drb_tree t;
		drb_tree_init(&t, trees[i % 4][0], trees[i % 4][1]);
		struct search_case c = search_case_any(&rng, LOADS);
		struct drb_traffic_file *f = traffic_of(&t, &c, 600);
		silent += !f;
		if (!f)
			continue;
		double *rate = calloc(f->pairs, sizeof(*rate));
		for (uint32_t k = 0; k < f->changes; k++) {
			rate[f->change[k].pair] = f->change[k].rate / (double)DRB_TRAFFIC_RATE_ONE;
			if (k + 1 == f->changes || f->change[k + 1].slot != f->change[k].slot)
				check_rates(f, rate);
		}
		free(rate);
		drb_traffic_file_free(f);
	}
	assert_true(silent < 100);
}

// Another seed, or one gene, or one load: never two of them.
TEST(cases_change_in_one_respect)
{
	struct drb_rng rng = drb_rng_seed(2, 0);
	struct search_case c = search_case_any(&rng, LOADS);
	uint32_t changed = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		struct search_case like = search_case_like(&c, &rng, LOADS);
		uint32_t changes = (like.load != c.load) + (like.seed != c.seed);
		for (int g = 0; g < SEARCH_GENES_COUNT; g++)
			changes += like.gene[g] != c.gene[g];
		assert_true(changes <= 1);
		changed += changes;
		c = like;
	}
	assert_true(changed > 500);
}

static struct search_setup setup(enum drb_scheme scheme)
{
	struct search_setup s = {.packet = {.choices = 2,
					    .slots = 1200,
					    .stats = 600,
					    .seed = 1,
					    .memory = UINT64_C(256) << 20},
				 .scheme = scheme,
				 .against = DRB_SCHEME_MICRO,
				 .load = loads,
				 .loads = LOADS};

	drb_tree_init(&s.packet.tree, 3, 2);
	return s;
}

// Under dmodk queues grow in many cases where micro's do not, under micro itself in none.
TEST(an_unstable_scheme_is_found)
{
	for (int stable = 0; stable <= 1; stable++) {
		struct search_setup s = setup(stable ? DRB_SCHEME_MICRO : DRB_SCHEME_DMODK);
		struct drb_rng rng = drb_rng_seed(3, 0);
		uint32_t alone = 0;
		for (uint32_t i = 0; i < 30; i++) {
			struct search_case c = search_case_any(&rng, LOADS);
			struct search_result r;
			assert_int_equal(search_try(&s, &c, &r), 0);
			alone += r.grows_alone;
			if (stable && r.latency > 0 && !r.against_grows)
				assert_true(search_badness(&r) == 1);
		}
		assert_true(stable ? alone == 0 : alone >= 3);
	}
}

// A file that was cut short keeps all rows but the last.
TEST(a_search_goes_on)
{
	struct search_setup s = setup(DRB_SCHEME_DRB);
	struct search_cases cases;
	char dir[] = "/tmp/drbsearchXXXXXX", path[64];
	struct drb_rng rng = drb_rng_seed(4, 0);
	struct search_case c[3];
	struct search_result r = {.latency = 7.5, .against_latency = 5, .grows = true};

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/cases.csv", dir);
	for (int call = 0; call < 3; call++) {
		search_cases_open(&cases, dir, &s);
		for (int i = 0; i < 3; i++) {
			struct search_result found = {0};
			if (call == 0)
				c[i] = search_case_any(&rng, LOADS);
			assert_int_equal(search_cases_find(&cases, &c[i], &found),
					 call == 1 ? i < 2 : call == 2);
			if (call > 0 && i < 2) {
				assert_true(search_badness(&found) == 1.5);
				assert_true(found.grows && !found.grows_alone);
			}
			if (call == 0 || (call == 1 && i == 2))
				search_cases_add(&cases, &c[i], &r);
		}
		search_cases_close(&cases);
		if (call > 0)
			continue;
		FILE *f = fopen(path, "r+");
		fseek(f, -4, SEEK_END);
		assert_int_equal(ftruncate(fileno(f), ftell(f)), 0);
		fclose(f);
	}
	unlink(path);
	rmdir(dir);
}

TEST_MAIN(NULL, NULL)
