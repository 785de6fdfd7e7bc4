// SPDX-License-Identifier: BSD-3-Clause
// Patterns that persist for some hosts or for some slots, and patterns from a file. They are
// compared with simple second models: the same draws must give the same packets.
#include "fixtures/unit.h"

#include "core/traffic/traffic.h"

#include "common/traffic/traffic_file.h"

#define HOSTS_MAX 432
#define SEED 5

struct model {
	struct drb_tree t;
	struct drb_traffic_kind kind;
	struct drb_traffic traffic;
	struct drb_rng rng, own;
	uint32_t *memory, dest[HOSTS_MAX], want[HOSTS_MAX];
};

static void set_up(struct model *m, uint32_t layers, uint32_t arity, const char *text)
{
	assert_int_equal(drb_tree_init(&m->t, layers, arity), 0);
	assert_true(m->t.hosts <= HOSTS_MAX);
	assert_int_equal(drb_traffic_parse(text, &m->kind), 0);
	m->memory = calloc(drb_traffic_words(&m->kind, m->t.hosts), sizeof(uint32_t));
	m->rng = drb_rng_seed(SEED, 0);
	m->own = drb_rng_seed(SEED, 0);
	assert_int_equal(drb_traffic_init(&m->traffic,
					  &(struct drb_traffic_setup){&m->t, m->kind, 1, m->memory},
					  &m->rng),
			 0);
}

// At rho 1 no host is silent, but the draws that decide it are made.
static void check_slot(struct model *m, uint32_t slot)
{
	drb_traffic_slot(&m->traffic, &m->rng, slot, m->dest);
	for (uint32_t h = 0; h < m->t.hosts; h += 2)
		drb_rng_next(&m->own);
	assert_memory_equal(m->dest, m->want, m->t.hosts * sizeof(*m->dest));
}

// A list in random order in which no entry gets itself. It is drawn from the end, and starts again
// from the first position that fails.
static void shuffle(struct drb_rng *rng, uint32_t list[], const uint32_t who[], uint32_t n)
{
	uint32_t i = n;

	while (i > 0) {
		uint32_t j = drb_rng_below(rng, i), x = list[j];
		list[j] = list[i - 1];
		list[i - 1] = x;
		i = x == who[i - 1] ? n : i - 1;
	}
}

TEST(racks_keep_their_destinations)
{
	static const struct {
		const char *text;
		uint32_t layers, arity, keep; // switches
	} cases[] = {{"racks:0.5", 3, 4, 16}, {"racks:0.1", 3, 4, 3},    {"racks:0.03", 3, 4, 1},
		     {"racks:1", 3, 3, 18},   {"racks:0.03", 3, 2, 1},   {"racks:0.25", 4, 2, 4},
		     {"racks:0.9", 2, 3, 5},  {"racks:0.9375", 3, 2, 8}, {"racks:0.5", 1, 3, 1}};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct model m;
		uint32_t rack[HOSTS_MAX], who[HOSTS_MAX], list[HOSTS_MAX], kept[HOSTS_MAX];
		set_up(&m, cases[c].layers, cases[c].arity, cases[c].text);
		uint32_t racks = drb_tree_switches(&m.t, 1), d = m.t.hosts / racks;
		uint32_t n = (racks - cases[c].keep) * d;
		drb_rng_permutation(&m.own, rack, racks);
		drb_rng_derangement(&m.own, kept, m.t.hosts);
		for (uint32_t i = 0; i < n; i++) {
			who[i] = rack[i / d] * d + i % d;
			list[i] = kept[who[i]];
		}
		for (uint32_t slot = 0; slot < 30; slot++) {
			shuffle(&m.own, list, who, n);
			memcpy(m.want, kept, sizeof(kept));
			for (uint32_t i = 0; i < n; i++)
				m.want[who[i]] = list[i];
			check_slot(&m, slot);
		}
		free(m.memory);
	}
}

TEST(permutations_take_turns)
{
	static const uint32_t turns[] = {1, 2, 10, 64};

	for (size_t c = 0; c < ARRAY_SIZE(turns); c++) {
		uint32_t(*kept)[HOSTS_MAX] = calloc(turns[c], sizeof(*kept)), same = 0;
		struct model m;
		char text[32];
		snprintf(text, sizeof(text), "turns:%u", turns[c]);
		set_up(&m, 3, 4, text);
		for (uint32_t slot = 0; slot < 3 * turns[c]; slot++) {
			uint32_t turn = slot % turns[c];
			drb_traffic_slot(&m.traffic, &m.rng, slot, m.dest);
			if (slot < turns[c])
				memcpy(kept[turn], m.dest, sizeof(m.dest));
			assert_memory_equal(m.dest, kept[turn], m.t.hosts * sizeof(uint32_t));
			for (uint32_t h = 0; slot < turns[c] && h < m.t.hosts; h++) {
				assert_int_not_equal(m.dest[h], h);
				same += slot > 0 && kept[turn - 1][h] == m.dest[h];
			}
		}
		// Two permutations agree in one host on average.
		assert_true(same < 5 * turns[c]);
		free(kept);
		free(m.memory);
	}
}

TEST(an_epoch_has_one_permutation)
{
	static const uint32_t epochs[] = {1, 4, 100};

	for (size_t c = 0; c < ARRAY_SIZE(epochs); c++) {
		struct model m;
		char text[32];
		snprintf(text, sizeof(text), "epoch:%u", epochs[c]);
		set_up(&m, 3, 3, text);
		for (uint32_t slot = 0; slot < 5 * epochs[c]; slot++) {
			if (slot % epochs[c] == 0)
				drb_rng_derangement(&m.own, m.want, m.t.hosts);
			check_slot(&m, slot);
		}
		free(m.memory);
	}
}

// A host keeps its destination for S slots on average, and few change in the same slot.
TEST(hosts_of_trains_change_one_by_one)
{
	enum { SLOTS = 20000 };
	static const uint32_t lengths[] = {1, 4, 64};

	for (size_t c = 0; c < ARRAY_SIZE(lengths); c++) {
		uint32_t before[HOSTS_MAX], changes = 0, most = 0;
		struct model m;
		char text[32];
		snprintf(text, sizeof(text), "trains:%u", lengths[c]);
		set_up(&m, 3, 4, text);
		const uint32_t hosts = m.t.hosts;
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			uint32_t now = 0;
			drb_traffic_slot(&m.traffic, &m.rng, slot, m.dest);
			for (uint32_t h = 0; h < hosts; h++) {
				assert_int_not_equal(m.dest[h], h);
				now += slot > 0 && m.dest[h] != before[h];
			}
			memcpy(before, m.dest, sizeof(before));
			changes += now;
			most = now > most ? now : most;
		}
		// Two hosts of a hundred pairs must not exchange destinations.
		const double share = changes / (double)SLOTS * lengths[c] / hosts;
		assert_true(share > 0.95 && share < 1.02);
		assert_true(most <= hosts / lengths[c] + 2);
		free(m.memory);
	}
}

// The destination, within a job, of the first packets of the host at position `at` of n.
static uint32_t place(struct model *m, uint32_t job, uint32_t at, uint32_t n, uint32_t slot,
		      uint32_t map[])
{
	switch (job % 6) {
	case 1:
		return (at + 1 + slot % (n - 1)) % n;
	case 3:
		return (at + (n > 3 ? n / 2 - 1 : 1)) % n;
	case 4: {
		struct drb_rng turn =
			drb_rng_seed(m->traffic.turn_seed, (uint64_t)job << 32 | slot % 10);
		drb_rng_derangement(&turn, map, n);
		return map[at];
	}
	default:
		return map[at];
	}
}

TEST(jobs_have_patterns_of_their_own)
{
	static const uint32_t counts[] = {1, 2, 6, 8, 16};

	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		struct model m;
		char text[32];
		uint32_t order[HOSTS_MAX], map[HOSTS_MAX], id[HOSTS_MAX], k = counts[c];
		snprintf(text, sizeof(text), "jobs:%u", k);
		set_up(&m, 3, 3, text);
		uint32_t hosts = m.t.hosts;
		drb_rng_next(&m.own); // of the turns
		drb_rng_permutation(&m.own, order, hosts);
		for (uint32_t i = 0; i < hosts; i++)
			id[i] = i;
		for (uint32_t j = 0; j < k; j++)
			drb_rng_derangement(&m.own, map + j * hosts / k,
					    (j + 1) * hosts / k - j * hosts / k);
		for (uint32_t slot = 0; slot < 41; slot++) {
			for (uint32_t j = 0; j < k; j++) {
				uint32_t first = j * hosts / k, n = (j + 1) * hosts / k - first;
				if (j % 6 == 2 || (j % 6 == 5 && slot % 10 == 0))
					shuffle(&m.own, map + first, id, n);
				for (uint32_t at = 0; at < n; at++)
					m.want[order[first + at]] =
						order[first +
						      place(&m, j, at, n, slot, map + first)];
			}
			check_slot(&m, slot);
		}
		free(m.memory);
	}
}

static const char text_of_file[] = "# who\n"
				   "slot,from,to,rate\n"
				   "\n"
				   "0,3,9,1   # all of it\n"
				   "0,0,1,0.5\r\n"
				   "0,0,2,0.25\n"
				   "500,3,9,0\n"
				   "500,3,10,1\n"
				   "500,0,2,0.5\n"
				   "600,0,1,0\n"
				   "900,15,0,0.125";

static int parse(const char *text, size_t size, struct drb_traffic_file **file, char *error)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(in);
	int rc = drb_traffic_file_read(in, 16, file, error);
	fclose(in);
	return rc;
}

static void read_text(struct drb_traffic_kind *kind, const char *text, size_t size)
{
	char error[DRB_TRAFFIC_ERROR_MAX] = "";

	assert_int_equal(drb_traffic_parse("file:x", kind), 0);
	assert_int_equal(parse(text, size, &kind->file, error), 0);
	assert_string_equal(error, "");
}

// The rate of a pair, from all lines read one by one.
static double rate_at(uint32_t slot, uint32_t from, uint32_t to)
{
	static const double lines[][4] = {{0, 3, 9, 1},   {0, 0, 1, 0.5},     {0, 0, 2, 0.25},
					  {500, 3, 9, 0}, {500, 3, 10, 1},    {500, 0, 2, 0.5},
					  {600, 0, 1, 0}, {900, 15, 0, 0.125}};
	double rate = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i][0] <= slot && lines[i][1] == from && lines[i][2] == to)
			rate = lines[i][3];
	}
	return rate;
}

TEST(a_file_says_who_sends)
{
	enum { SLOTS = 1000, RUNS = 40 };
	static uint32_t count[10][16][16]; // by hundred slots
	struct model m;

	assert_int_equal(drb_tree_init(&m.t, 3, 2), 0);
	read_text(&m.kind, text_of_file, strlen(text_of_file));
	m.memory = calloc(drb_traffic_words(&m.kind, 16), sizeof(uint32_t));
	for (uint32_t run = 0; run < RUNS; run++) {
		m.rng = drb_rng_seed(run, 0);
		assert_int_equal(
			drb_traffic_init(&m.traffic,
					 &(struct drb_traffic_setup){&m.t, m.kind, 0.8, m.memory},
					 &m.rng),
			0);
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			drb_traffic_slot(&m.traffic, &m.rng, slot, m.dest);
			for (uint32_t h = 0; h < 16; h++) {
				if (m.dest[h] != DRB_NO_LABEL)
					count[slot / 100][h][m.dest[h]]++;
			}
		}
	}
	for (uint32_t i = 0; i < 10 * 16 * 16; i++) {
		uint32_t part = i / 256, from = i / 16 % 16, to = i % 16;
		double p = 0.8 * rate_at(100 * part, from, to), n = 100 * RUNS;
		assert_true(fabs(count[part][from][to] - n * p) <= 5 * sqrt(n * p * (1 - p)));
	}
	free(m.memory);
	drb_traffic_file_free(m.kind.file);
}

TEST(bad_files_are_refused_by_line)
{
#define H "slot,from,to,rate\n"
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", " no host sends"},
		{"# nothing\n", "1: no host sends"},
		{H, "1: no host sends"},
		{"0,1,2,1\n", "1: the first line must be slot,from,to,rate"},
		{H "0,1,2\n", "2: must be four values, slot,from,to,rate"},
		{H "0,1,2,1,1\n", "2: must be four values, slot,from,to,rate"},
		{H "0,,2,1\n", "2: must be four values, slot,from,to,rate"},
		{H "\n0,16,2,1\n", "3: from: \"16\" is no host up to 15, nor hosts such as 0-3+8"},
		{H "0,1,-2,1\n", "2: to: \"-2\" is no host up to 15, nor hosts such as 0-3+8"},
		{H "0,1-16,2,1\n",
		 "2: from: \"1-16\" is no host up to 15, nor hosts such as 0-3+8"},
		{H "0,3-1,2,1\n", "2: from: \"3-1\" is no host up to 15, nor hosts such as 0-3+8"},
		{H "0,1+,2,1\n", "2: from: \"1+\" is no host up to 15, nor hosts such as 0-3+8"},
		{H "0,1-3,2,1\n", "2: host 2 would send to itself"},
		{H "0,1,2-5,0.5\n0,1-2,3-5,0.6\n",
		 "2: from slot 0 on the rates of host 1 add up to 1.1"},
		{H "x,1,2,1\n", "2: slot: \"x\" is no whole number up to 4294967295"},
		{H "0,1,2,1.5\n", "2: rate: \"1.5\" is no number from 0 to 1"},
		{H "0,1,2,nan\n", "2: rate: \"nan\" is no number from 0 to 1"},
		{H "0,1,1,1\n", "2: host 1 would send to itself"},
		{H "5,1,2,1\n4,1,2,1\n", "3: slot 4 comes after slot 5"},
		{H "0,1,2,0.5\n0,3,2,1\n0,1,3,0.6\n",
		 "2: from slot 0 on the rates of host 1 add up to 1.1"},
		{H "0,1,2,0.5\n7,1,3,0.6\n", "3: from slot 7 on the rates of host 1 add up to 1.1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_traffic_file *file;
		char error[DRB_TRAFFIC_ERROR_MAX];
		assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &file, error), -22);
		assert_string_equal(error, cases[i].error);
	}
	// Lines of one slot may come in any order.
	struct drb_traffic_kind kind;
	static const char swap[] = H "0,1,2,1\n4,1,3,1\n4,1,2,0\n";
	read_text(&kind, swap, strlen(swap));
	assert_int_equal(kind.file->pairs, 2);
	drb_traffic_file_free(kind.file);
	// An excess from rounding is not an error.
	static const char rounded[] = H "0,1,2,0.333334\n0,1,3,0.333334\n0,1,4,0.333334\n";
	read_text(&kind, rounded, strlen(rounded));
	drb_traffic_file_free(kind.file);
}

// Each host of a line sends equally to all hosts of a group except itself. The last line of a group
// counts.
TEST(groups_draw_their_members)
{
	enum { SLOTS = 20000 };
	static const char text[] = H "0,0-2+5,4-6+9,0.5\n10,0-2+5,4+5+6+9,1\n10,3,0,1\n";
	static uint32_t count[16][16];
	struct model m;

	assert_int_equal(drb_tree_init(&m.t, 3, 2), 0);
	read_text(&m.kind, text, strlen(text));
	assert_int_equal(m.kind.file->pairs, 5);
	assert_int_equal(m.kind.file->groups, 1);
	m.memory = calloc(drb_traffic_words(&m.kind, 16), sizeof(uint32_t));
	m.rng = drb_rng_seed(1, 0);
	const struct drb_traffic_setup setup = {&m.t, m.kind, 1, m.memory};
	assert_int_equal(drb_traffic_init(&m.traffic, &setup, &m.rng), 0);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		drb_traffic_slot(&m.traffic, &m.rng, slot, m.dest);
		for (uint32_t h = 0; h < 16; h++) {
			if (m.dest[h] != DRB_NO_LABEL)
				count[h][m.dest[h]]++;
		}
	}
	for (uint32_t i = 0; i < 16 * 16; i++) {
		uint32_t h = i / 16, to = i % 16;
		bool sends = h < 3 || h == 5, member = (to >= 4 && to <= 6) || to == 9;
		double p = h == 3                       ? to == 0
			   : sends && member && h != to ? 1 / (h == 5 ? 3.0 : 4)
							: 0;
		double sd = sqrt(SLOTS * p * (1 - p));
		assert_true(fabs(count[h][to] - SLOTS * p) <= 5 * sd + 10);
	}
	free(m.memory);
	drb_traffic_file_free(m.kind.file);
}

// Any bytes are either read as traffic or refused.
TEST(garbled_files_do_no_harm)
{
	struct drb_rng rng = drb_rng_seed(3, 0);
	uint32_t read = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		char text[sizeof(text_of_file)], error[DRB_TRAFFIC_ERROR_MAX];
		struct drb_traffic_file *file = NULL;
		memcpy(text, text_of_file, sizeof(text));
		for (uint32_t k = 0; k <= i % 3; k++)
			text[drb_rng_below(&rng, sizeof(text) - 1)] = (char)drb_rng_next(&rng);
		if (parse(text, sizeof(text) - 1, &file, error) < 0)
			continue;
		read++;
		for (uint32_t c = 0; c < file->changes; c++)
			assert_true(file->change[c].pair < file->pairs);
		for (uint32_t p = 0; p < file->pairs; p++)
			assert_true(file->to[p] < 16 ||
				    (file->to[p] & ~DRB_TRAFFIC_GROUP) < file->groups);
		assert_int_equal(file->first[16], file->pairs);
		drb_traffic_file_free(file);
	}
	assert_true(read > 100 && read < 19000);
}

TEST_MAIN(NULL, NULL)
