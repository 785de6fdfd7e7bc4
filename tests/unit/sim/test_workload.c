// SPDX-License-Identifier: BSD-3-Clause
// Sizes of transfers, and completion times against queueing theory.
#include "fixtures/unit.h"

#include "sim/flows/workload.h"

static struct drb_sizes sizes_of(const char *text)
{
	char error[DRB_SIZES_ERROR_MAX];
	struct drb_sizes sizes;

	assert_int_equal(drb_sizes_open(text, &sizes, error), 0);
	return sizes;
}

// The mean of draws is the mean from which loads are computed.
TEST(sizes_have_their_means)
{
	static const struct {
		const char *name;
		double mean;
		uint32_t least, most;
	} cases[] = {{"websearch", 1141, 6, 20000},
		     {"datamining", 5117, 1, 666667},
		     {"fixed:12", 12, 12, 12}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_sizes sizes = sizes_of(cases[i].name);
		struct drb_rng rng = drb_rng_seed(1, i);
		double sum = 0, squares = 0, n = 400000;
		assert_true(fabs(drb_sizes_mean(&sizes) - cases[i].mean) < 1);
		for (uint32_t k = 0; k < (uint32_t)n; k++) {
			double size = drb_sizes_draw(&sizes, &rng);
			assert_true(size >= cases[i].least && size <= cases[i].most);
			sum += size;
			squares += size * size;
		}
		double mean = sum / n, error = sqrt((squares / n - mean * mean) / n);
		assert_true(fabs(mean - drb_sizes_mean(&sizes)) <= 4 * error + 1e-9);
		drb_sizes_free(&sizes);
	}
}

static int read_text(const char *text, struct drb_sizes *sizes, char error[DRB_SIZES_ERROR_MAX])
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(in);
	int rc = drb_sizes_read("sizes.csv", in, sizes, error);
	fclose(in);
	return rc;
}

TEST(files_say_sizes)
{
	char error[DRB_SIZES_ERROR_MAX];
	struct drb_sizes sizes;

	assert_int_equal(
		read_text("# ours\npackets,share\n\n2,0.5 # half\n4,0.5\n10,1\n", &sizes, error),
		0);
	// Half of them have size 2, none 3 or 4, and the rest 5 to 10.
	assert_true(fabs(drb_sizes_mean(&sizes) - (0.5 * 2 + 0.5 * 7.5)) < 1e-12);
	struct drb_rng rng = drb_rng_seed(2, 0);
	uint32_t seen[11] = {0};
	for (int i = 0; i < 6000; i++)
		seen[drb_sizes_draw(&sizes, &rng)]++;
	assert_true(seen[2] > 2800 && seen[2] < 3200 && seen[3] + seen[4] == 0);
	for (int size = 5; size <= 10; size++)
		assert_true(seen[size] > 400 && seen[size] < 600);
	drb_sizes_free(&sizes);
}

#define COUNTED ": a share from 0 to 1 counts all transfers up to this size"

// Programs that write tables put blanks behind commas.
TEST(blanks_around_commas_are_no_mistake)
{
	static const char *const texts[] = {"packets, share\n2, 0.5\n10, 1\n",
					    " packets ,share \r\n2\t,0.5\r\n 10,\t1\r\n",
					    "# all\npackets,  share # of all\n\n2 , 0.5 #\n10,1"};
	char error[DRB_SIZES_ERROR_MAX];
	struct drb_sizes sizes;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(read_text(texts[i], &sizes, error), 0);
		assert_true(fabs(drb_sizes_mean(&sizes) - (0.5 * 2 + 0.5 * 6.5)) < 1e-12);
		drb_sizes_free(&sizes);
	}
}

TEST(mistakes_name_the_line)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"2,1\n", "sizes.csv:1: the first line must be packets,share" COUNTED},
		{"packets,share\n", "sizes.csv:1: the last share must be 1" COUNTED},
		{"packets,share\n0,1\n",
		 "sizes.csv:2: packets must be a whole number from 1 to 100000000"},
		{"packets,share\n3,2\n", "sizes.csv:2: share must be a number from 0 to 1"},
		{"packets,share\n3\n", "sizes.csv:2: must be two values, packets,share" COUNTED},
		{"packets,share\n3,0.5\n2,1\n",
		 "sizes.csv:3: packets and share must not go down" COUNTED},
		{"packets,share\n3,0.5\n4,0.4\n",
		 "sizes.csv:3: packets and share must not go down" COUNTED},
		{"packets,share\n1,0.3\n10,0.3\n100,0.4\n",
		 "sizes.csv:4: the last share must be 1" COUNTED},
		{"0 0\n10000 15\n", "sizes.csv:1: the first line must be packets,share" COUNTED},
		{"packets,share\n1 0,1\n",
		 "sizes.csv:2: packets must be a whole number from 1 to 100000000"},
		{"packets,share\n3,0.9\n", "sizes.csv:2: the last share must be 1" COUNTED},
	};
	char error[DRB_SIZES_ERROR_MAX];
	struct drb_sizes sizes;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(read_text(cases[i].text, &sizes, error), -EINVAL);
		assert_string_equal(error, cases[i].error);
	}
	static const char *const names[] = {"", "web", "fixed:0", "fixed:", "file:/none/such"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(drb_sizes_open(names[i], &sizes, error), -EINVAL);
}

static struct drb_workload_setup setup_of(const struct drb_sizes *sizes, uint32_t layers,
					  uint32_t arity, double load)
{
	struct drb_workload_setup s = {.transfers = {.scheme = DRB_SCHEME_DRB,
						     .choices = 2,
						     .threshold = 1,
						     .queue = UINT32_MAX,
						     .seed = 3,
						     .memory = UINT64_C(256) << 20},
				       .sizes = sizes,
				       .load = load,
				       .slots = 200000,
				       .warmup = 2000,
				       .longest = 400000};

	assert_int_equal(drb_tree_init(&s.transfers.tree, layers, arity), 0);
	return s;
}

// Two hosts, which wait only for their own links. Packets that arrive as a Poisson process wait rho
// / (2 (1 - rho)) slots (M/D/1). A transfer that takes turns with others takes 1 / (1 - rho) times
// as long as without them (M/G/1, processor sharing).
TEST(two_hosts_are_known_queues)
{
	struct drb_workload_result r;

	for (double load = 0.3; load < 0.75; load += 0.2) {
		struct drb_sizes one = sizes_of("fixed:1"), many = sizes_of("fixed:40");
		struct drb_workload_setup s = setup_of(&one, 1, 1, load);
		assert_int_equal(drb_workload_run(&s, &r), 0);
		double want = 2 + load / (2 * (1 - load));
		assert_true(fabs(r.of[0].time.mean / want - 1) < 0.02);
		assert_int_equal(r.of[0].time.samples, r.begun);
		double packets = load * 2 * (double)r.slots;
		assert_true(fabs((double)r.packets / packets - 1) < 0.02);
		s = setup_of(&many, 1, 1, load);
		s.slots = 1000000;
		s.longest = 2000000;
		assert_int_equal(drb_workload_run(&s, &r), 0);
		assert_true(fabs(r.of[0].time.mean * (1 - load) / 40 - 1) < 0.06);
		drb_sizes_free(&one);
		drb_sizes_free(&many);
	}
}

TEST(classes_are_apart)
{
	struct drb_sizes sizes = sizes_of("websearch");
	struct drb_workload_setup s = setup_of(&sizes, 2, 3, 0.4);
	struct drb_workload_result r;

	s.slots = 60000;
	assert_int_equal(drb_workload_run(&s, &r), 0);
	assert_true(r.begun > 100 && r.broken == 0 && r.unfinished == 0 && r.dropped == 0);
	uint64_t sum = 0;
	for (int i = 1; i < DRB_SIZE_CLASSES; i++) {
		sum += r.of[i].time.samples;
		assert_true(r.of[i].slowdown.mean >= DRB_SLOWDOWN_ONE);
	}
	assert_int_equal(sum, r.begun);
	assert_int_equal(sum, r.of[0].time.samples);
	assert_true(r.of[1].time.max < r.of[3].time.max);
	drb_sizes_free(&sizes);
}

TEST(what_is_dropped_or_late_is_counted)
{
	struct drb_sizes sizes = sizes_of("fixed:100");
	struct drb_workload_setup s = setup_of(&sizes, 2, 3, 0.6);
	struct drb_workload_result r;

	s.slots = 5000;
	s.transfers.queue = 4;
	assert_int_equal(drb_workload_run(&s, &r), 0);
	assert_true(r.dropped > 0 && r.broken > 0 && r.unfinished == 0);
	assert_int_equal(r.of[0].time.samples + r.broken, r.begun);
	s.transfers.queue = UINT32_MAX;
	s.longest = 5000;
	assert_int_equal(drb_workload_run(&s, &r), 0);
	assert_true(r.unfinished > 0 && r.broken == 0);
	assert_int_equal(r.slots, 5000);
	assert_int_equal(r.of[0].time.samples + r.unfinished, r.begun);
	s.warmup = s.slots;
	assert_int_equal(drb_workload_run(&s, &r), -EINVAL);
	drb_sizes_free(&sizes);
}

TEST_MAIN(NULL, NULL)
