// SPDX-License-Identifier: BSD-3-Clause
// Latencies for other tools: rows of packets, and histograms as HdrHistogram's tools read them.
#include "fixtures/unit.h"

#include <math.h>

#include "core/math/random.h"

#include "gen/replay/records.h"

#define SAMPLES 1000
#define STEPS 5 // of each halving of the distance to 100 %

struct line {
	double value, share, inverse;
	size_t rank;
};

// Reads the lines of percentiles of a histogram into line[]. Returns their number. text: the
// histogram; *rest: what follows the lines.
static size_t percentiles(const char *text, struct line line[], const char **rest)
{
	static const char heading[] = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
	size_t count = 0;
	int length;

	assert_memory_equal(text, heading, sizeof(heading) - 1);
	text += sizeof(heading) - 1;
	for (; *text != '#'; count++) {
		struct line *l = &line[count];
		assert_int_equal(
			sscanf(text, "%lf %lf %zu%n", &l->value, &l->share, &l->rank, &length), 3);
		text += length;
		// The last line, of 100 %, has no inverse.
		l->inverse = strtod(text, NULL);
		text = strchr(text, '\n') + 1;
	}
	*rest = text;
	return count;
}

static char *histogram(uint64_t *ns, size_t count)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	records_write_hgrm(out, ns, count);
	fclose(out);
	return text;
}

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

// Each line has the least sample that this share of all samples does not exceed, and how many do
// not exceed it. The share grows by a fifth of the rest to the next halving.
static void check_lines(const uint64_t *sorted, size_t n, const struct line *line, size_t lines)
{
	double share = 0, half = 2;

	for (size_t i = 0; i < lines; i++) {
		const bool last = i + 1 == lines;
		size_t rank = (size_t)ceil((last ? 1 : share) * (double)n);
		rank = rank ? rank : 1;
		assert_true(fabs(line[i].value - us(sorted[rank - 1])) < 0.00051);
		assert_true(fabs(line[i].share - (last ? 1 : share)) < 1e-11);
		while (rank < n && sorted[rank] == sorted[rank - 1])
			rank++;
		assert_int_equal(line[i].rank, rank);
		if (last)
			continue;
		assert_true(fabs(line[i].inverse - 1 / (1 - share)) < 0.0051);
		assert_true(rank < n || i + 2 == lines); // nothing follows the largest but 100 %
		share += 1 / (half * STEPS);
		half *= share > 1 - 1 / half - 1e-12 ? 2 : 1;
	}
}

TEST(histograms_have_all_percentiles)
{
	static uint64_t ns[SAMPLES];
	static struct line line[SAMPLES];
	struct drb_rng rng = drb_rng_seed(7, 0);

	for (size_t n = 1; n <= SAMPLES; n += n < 20 ? 1 : 245) {
		for (uint32_t range = 10; range <= 100000000; range *= 100) {
			double sum = 0, squares = 0;
			for (size_t i = 0; i < n; i++) {
				ns[i] = drb_rng_below(&rng, range); // a small range has ties
				sum += us(ns[i]);
			}
			char *text = histogram(ns, n), want[300];
			const char *rest;
			check_lines(ns, n, line, percentiles(text, line, &rest));
			for (size_t i = 0; i < n; i++) {
				squares += pow(us(ns[i]) - sum / (double)n, 2);
				assert_true(i == 0 || ns[i - 1] <= ns[i]);
			}
			double mean, deviation;
			assert_int_equal(sscanf(rest, "#[Mean = %lf, StdDeviation = %lf]", &mean,
						&deviation),
					 2);
			assert_true(fabs(mean - sum / (double)n) < 0.0006);
			assert_true(fabs(deviation - sqrt(squares / (double)n)) < 0.0006);
			snprintf(want, sizeof(want),
				 "#[Max     = %12.3f, Total count    = %12zu]\n"
				 "#[Buckets = %12d, SubBuckets     = %12zu]\n",
				 us(ns[n - 1]), n, 1, n);
			assert_string_equal(strchr(rest, '\n') + 1, want);
			free(text);
		}
	}
}

TEST(nothing_arrived)
{
	uint64_t none[1];
	char *text = histogram(none, 0);
	const char *rest;
	struct line line[1];

	assert_int_equal(percentiles(text, line, &rest), 0);
	assert_non_null(strstr(rest, "Total count    =            0]"));
	free(text);
}

static void arrive(struct score *s, const struct drb_addr_plan *plan, uint32_t sequence,
		   uint64_t rx_ns)
{
	const struct frame_probe probe = {.src = 2, .dst = 5, .sequence = sequence, .tx_ns = 1000};
	uint8_t frame[FRAME_MIN];

	frame_build(frame, sizeof(frame), plan, &probe);
	score_frame(s, 5, frame, sizeof(frame), rx_ns);
}

// Packets of slots 0 to 3; those of slots 1 and 2 count. The second one is lost.
TEST(rows_tell_the_fate_of_packets)
{
	const struct drb_addr_plan plan = drb_addr_default(8);
	struct score *s = score_new(&plan, 1, 3);
	char *text;
	size_t size;

	assert_non_null(s);
	for (uint32_t slot = 0; slot < 4; slot++)
		assert_int_equal(score_expect(s, 2, 5, slot), slot);
	assert_int_equal(score_ready(s, 1000), 0);
	arrive(s, &plan, 0, 1100);
	arrive(s, &plan, 2, 3500);
	arrive(s, &plan, 3, 1400);
	FILE *out = open_memstream(&text, &size);
	records_write(out, s);
	fclose(out);
	assert_string_equal(text,
			    "source,destination,sequence,slot,in_latencies,received_ns,latency_ns\n"
			    "h2,h5,0,0,0,1100,100\n"
			    "h2,h5,1,1,1,,\n"
			    "h2,h5,2,2,1,3500,2500\n"
			    "h2,h5,3,3,0,1400,400\n");
	free(text);
	// One of the two that count has arrived.
	out = open_memstream(&text, &size);
	assert_int_equal(records_write_latencies(out, s), 0);
	fclose(out);
	assert_non_null(strstr(text, "#[Max     =        2.500, Total count    =            1]"));
	free(text);
	score_free(s);
}

TEST_MAIN(NULL, NULL)
