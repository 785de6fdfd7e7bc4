// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/records.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/measures/quantile.h"

// Percentiles for each halving of the distance to 100 %.
#define TICKS_PER_HALF 5

static void write_row(void *file, const struct score_record *r)
{
	FILE *out = file;

	fprintf(out, "h%" PRIu32 ",h%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,", r->source,
		r->destination, r->sequence, r->cohort, r->counted);
	if (r->arrived)
		fprintf(out, "%" PRIu64 ",%" PRId64 "\n", r->rx_ns, r->latency_ns);
	else
		fputs(",\n", out);
}

void records_write(FILE *out, const struct score *s)
{
	fputs("source,destination,sequence,slot,in_latencies,received_ns,latency_ns\n", out);
	score_each(s, write_row, out);
}

struct samples {
	uint64_t *ns;
	size_t count;
};

static void sample_add(void *context, const struct score_record *r)
{
	struct samples *samples = context;

	if (r->arrived && r->counted)
		samples->ns[samples->count++] = (uint64_t)r->latency_ns;
}

// Writes one line for each percentile, up to the largest sample.
static void write_percentiles(FILE *out, const struct samples *samples)
{
	const size_t n = samples->count;
	double share = 0;

	for (size_t rank = 0; n > 0 && rank < n;) {
		rank = (size_t)ceil(share * (double)n);
		rank = rank < 1 ? 1 : rank;
		// The rank includes all samples of the same value.
		while (rank < n && samples->ns[rank] == samples->ns[rank - 1])
			rank++;
		fprintf(out, "%12.3f %14.12f %10zu ", (double)samples->ns[rank - 1] / 1e3, share,
			rank);
		if (share < 1)
			fprintf(out, "%14.2f", 1 / (1 - share));
		fputc('\n', out);
		// Each halving of the distance has the same number of steps.
		double half = pow(2, floor(log2(1 / (1 - share))) + 1);
		share += 1 / (half * TICKS_PER_HALF);
	}
	if (n > 0)
		fprintf(out, "%12.3f %14.12f %10zu \n", (double)samples->ns[n - 1] / 1e3, 1.0, n);
}

void records_write_hgrm(FILE *out, uint64_t *ns, size_t count)
{
	const struct samples samples = {ns, count};
	double sum = 0, squares = 0;

	drb_quantile_sort(ns, count);
	for (size_t i = 0; i < count; i++)
		sum += (double)ns[i] / 1e3;
	const double mean = count ? sum / (double)count : 0;
	for (size_t i = 0; i < count; i++)
		squares += ((double)ns[i] / 1e3 - mean) * ((double)ns[i] / 1e3 - mean);
	fputs("       Value     Percentile TotalCount 1/(1-Percentile)\n\n", out);
	write_percentiles(out, &samples);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean,
		count ? sqrt(squares / (double)count) : 0);
	fprintf(out, "#[Max     = %12.3f, Total count    = %12zu]\n",
		count ? (double)ns[count - 1] / 1e3 : 0, count);
	// Samples are kept unchanged, which counts as one bucket for each sample.
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12zu]\n", 1, count);
}

int records_write_latencies(FILE *out, const struct score *s)
{
	struct samples samples = {malloc((score_packets(s) + 1) * sizeof(*samples.ns)), 0};

	if (!samples.ns)
		return -ENOMEM;
	score_each(s, sample_add, &samples);
	records_write_hgrm(out, samples.ns, samples.count);
	free(samples.ns);
	return 0;
}
