// SPDX-License-Identifier: BSD-3-Clause
// Counts of lost, duplicated, misdelivered and reordered packets, and latencies. They are compared
// with a naive model that follows the definitions literally.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "common/measures/quantile.h"
#include "fixtures/reordering.h"
#include "gen/sinks/score.h"

#define HOSTS 8
#define PACKETS 400
#define COHORTS 60
#define START 1000

struct event {
	struct frame_probe probe;
	uint32_t host;
	uint64_t rx;
};

// A run: the packets sent, and the arrivals in order.
struct history {
	struct frame_probe sent[PACKETS];
	struct event arrived[2 * PACKETS];
	uint32_t arrivals;
};

static void send_packets(struct history *h, struct drb_rng *rng)
{
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct frame_probe *p = &h->sent[i];
		p->src = drb_rng_below(rng, HOSTS);
		// Few destinations make long streams.
		p->dst = (p->src + 1 + drb_rng_below(rng, 2)) % HOSTS;
		p->cohort = i * COHORTS / PACKETS;
		p->tx_ns = START + 10 * i;
		p->sequence = 0;
		for (uint32_t j = 0; j < i; j++)
			p->sequence += h->sent[j].src == p->src && h->sent[j].dst == p->dst;
	}
}

static int by_rx(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	return x->rx < y->rx ? -1 : x->rx > y->rx;
}

// One in eight packets is lost, one in eight duplicated, one in eight misdelivered; all have random
// latencies.
static void receive_packets(struct history *h, struct drb_rng *rng)
{
	h->arrivals = 0;
	for (uint32_t i = 0; i < PACKETS; i++) {
		uint32_t fate = drb_rng_below(rng, 8), copies = fate == 0 ? 0 : fate == 1 ? 2 : 1;
		for (uint32_t c = 0; c < copies; c++) {
			struct event *e = &h->arrived[h->arrivals++];
			*e = (struct event){h->sent[i], h->sent[i].dst,
					    h->sent[i].tx_ns + drb_rng_below(rng, 500)};
			if (fate == 2)
				e->host = (e->host + 1) % HOSTS;
		}
	}
	qsort(h->arrived, h->arrivals, sizeof(h->arrived[0]), by_rx);
}

static bool same_packet(const struct event *a, const struct event *b)
{
	return a->probe.src == b->probe.src && a->probe.dst == b->probe.dst &&
	       a->probe.sequence == b->probe.sequence;
}

// Returns whether arrival i is the first one of its packet at its destination.
static bool delivers(const struct history *h, uint32_t i)
{
	if (h->arrived[i].host != h->arrived[i].probe.dst)
		return false;
	for (uint32_t j = 0; j < i; j++) {
		if (same_packet(&h->arrived[i], &h->arrived[j]) &&
		    h->arrived[j].host == h->arrived[j].probe.dst)
			return false;
	}
	return true;
}

static struct tally naive_tally(const struct history *h)
{
	struct tally t = {.received = h->arrivals};

	for (uint32_t i = 0; i < h->arrivals; i++) {
		const struct event *e = &h->arrived[i];
		if (e->host != e->probe.dst)
			t.misdelivered++;
		else if (!delivers(h, i))
			t.duplicated++;
		else if (t.delivered++ == 0)
			t.first_ns = e->rx;
		if (delivers(h, i))
			t.last_ns = e->rx;
		bool overtaken = false;
		for (uint32_t j = 0; j < i && !overtaken; j++)
			overtaken = delivers(h, j) && h->arrived[j].rx < e->rx &&
				    h->arrived[j].probe.src == e->probe.src &&
				    h->arrived[j].probe.dst == e->probe.dst &&
				    h->arrived[j].probe.sequence > e->probe.sequence;
		t.reordered += overtaken && delivers(h, i);
	}
	return t;
}

// Reordering of the packets born in slots [first, end), stream by stream.
static struct drb_reordering naive_order(const struct history *h, uint32_t first, uint32_t end)
{
	static struct model_arrival arrival[2 * PACKETS];
	struct drb_reordering r = {0};

	for (uint32_t stream = 0; stream < HOSTS * HOSTS; stream++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < h->arrivals; i++) {
			const struct frame_probe *p = &h->arrived[i].probe;
			if (delivers(h, i) && p->src * HOSTS + p->dst == stream &&
			    p->cohort >= first && p->cohort < end)
				arrival[n++] =
					(struct model_arrival){p->sequence, h->arrived[i].rx};
		}
		model_reordering_add(&r, arrival, n);
	}
	return r;
}

// The smallest sample that is not less than a share q of all samples.
static double naive_quantile(const double *x, uint32_t n, double q)
{
	double best = INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t below = 0;
		for (uint32_t j = 0; j < n; j++)
			below += x[j] <= x[i];
		if (below >= q * n - 1e-9 && x[i] < best)
			best = x[i];
	}
	return best;
}

static struct drb_latency naive_latency(const struct history *h, uint32_t first, uint32_t end)
{
	static double x[2 * PACKETS];
	double worst[COHORTS], sum = 0, tail = 0;
	uint32_t n = 0, cohorts = 0;

	for (uint32_t c = 0; c < COHORTS; c++)
		worst[c] = -1;
	for (uint32_t i = 0; i < h->arrivals; i++) {
		const struct frame_probe *p = &h->arrived[i].probe;
		if (!delivers(h, i) || p->cohort < first || p->cohort >= end)
			continue;
		x[n] = (double)(h->arrived[i].rx - p->tx_ns);
		worst[p->cohort] = fmax(worst[p->cohort], x[n]);
		sum += x[n++];
	}
	for (uint32_t c = 0; c < COHORTS; c++) {
		if (worst[c] >= 0) {
			tail += worst[c];
			cohorts++;
		}
	}
	return (struct drb_latency){.samples = n,
				    .mean = sum / n,
				    .p50 = naive_quantile(x, n, 0.5),
				    .p99 = naive_quantile(x, n, 0.99),
				    .p999 = naive_quantile(x, n, 0.999),
				    .max = naive_quantile(x, n, 1),
				    .tail = tail / cohorts};
}

static struct score *announce(const struct history *h, const struct drb_addr_plan *plan,
			      uint32_t first, uint32_t end)
{
	struct score *s = score_new(plan, first, end);

	assert_non_null(s);
	for (uint32_t i = 0; i < PACKETS; i++)
		assert_int_equal(score_expect(s, h->sent[i].src, h->sent[i].dst, h->sent[i].cohort),
				 h->sent[i].sequence);
	assert_int_equal(score_ready(s, START), 0);
	return s;
}

static void arrive(struct score *s, const struct drb_addr_plan *plan, const struct event *e)
{
	uint8_t frame[FRAME_MIN];

	frame_build(frame, sizeof(frame), plan, &e->probe);
	score_frame(s, e->host, frame, sizeof(frame), e->rx);
}

TEST(random_runs_score_as_the_naive_model)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct drb_rng rng = drb_rng_seed(11, 0);
	static struct history h;
	for (uint32_t round = 0; round < 40; round++) {
		uint32_t first = round % 3 ? drb_rng_below(&rng, COHORTS / 2) : 0;
		uint32_t end = round % 3 ? first + 1 + drb_rng_below(&rng, COHORTS / 2) : COHORTS;
		struct tally is, want;
		struct drb_latency latency, model;
		send_packets(&h, &rng);
		receive_packets(&h, &rng);
		struct score *s = announce(&h, &plan, first, end);
		for (uint32_t i = 0; i < h.arrivals; i++)
			arrive(s, &plan, &h.arrived[i]);
		score_result(s, &is, &latency);
		want = naive_tally(&h);
		want.order = naive_order(&h, first, end);
		assert_memory_equal(&is, &want, sizeof(is));
		assert_int_equal(score_delivered(s), want.delivered);
		model = naive_latency(&h, first, end);
		assert_int_equal(latency.samples, model.samples);
		assert_true(fabs(latency.mean - model.mean) < 1e-6);
		assert_true(latency.p50 == model.p50 && latency.p99 == model.p99);
		assert_true(latency.p999 == model.p999 && latency.max == model.max);
		assert_true(fabs(latency.tail - model.tail) < 1e-6);
		score_free(s);
	}
}

TEST(strangers_do_not_count)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct drb_rng rng = drb_rng_seed(12, 0);
	static struct history h;
	struct drb_latency latency;
	struct tally t;
	uint8_t frame[FRAME_MIN] = {0};
	send_packets(&h, &rng);
	struct score *s = announce(&h, &plan, 0, COHORTS);
	struct event e = {h.sent[0], h.sent[0].dst, START + 5};
	e.probe.tx_ns = START - 1; // of an earlier run
	arrive(s, &plan, &e);
	e.probe.tx_ns = START;
	e.probe.sequence = PACKETS; // was never sent
	arrive(s, &plan, &e);
	e.probe = (struct frame_probe){.src = 0, .dst = 5, .tx_ns = START}; // no such stream
	arrive(s, &plan, &e);
	score_frame(s, 0, frame, sizeof(frame), START); // a frame of another kind
	score_result(s, &t, &latency);
	assert_int_equal(t.strangers, 4);
	assert_int_equal(t.received, 0);
	assert_int_equal(latency.samples, 0);
	assert_true(isnan(latency.mean) && isnan(latency.tail));
	// Addresses that are not those of its labels: misdelivered.
	frame_build(frame, sizeof(frame), &plan, &h.sent[0]);
	frame[5] ^= 1;
	score_frame(s, h.sent[0].dst, frame, sizeof(frame), START);
	score_result(s, &t, &latency);
	assert_int_equal(t.misdelivered, 1);
	assert_int_equal(t.delivered, 0);
	score_free(s);
}

static void visit(void *context, const struct score_record *r)
{
	struct score_record *seen = context;

	assert_true(r->sequence < 2);
	seen[r->sequence] = *r;
}

TEST(every_packet_is_told)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *s = score_new(&plan, 1, 2);
	struct event e = {
		{.src = 0, .dst = 1, .sequence = 1, .tx_ns = START + 100}, 1, START + 190};
	struct score_record seen[2] = {0};

	assert_int_equal(score_expect(s, 0, 1, 0), 0);
	assert_int_equal(score_expect(s, 0, 1, 1), 1);
	assert_int_equal(score_ready(s, START), 0);
	arrive(s, &plan, &e);
	score_each(s, visit, seen);
	assert_false(seen[0].arrived || seen[0].counted);
	assert_true(seen[1].arrived && seen[1].counted);
	assert_int_equal(seen[1].destination, 1);
	assert_int_equal(seen[1].cohort, 1);
	assert_int_equal(seen[1].rx_ns, START + 190);
	assert_int_equal(seen[1].latency_ns, 90);
	// A packet that was never sent has no fate.
	seen[0].cohort = seen[1].cohort = 7;
	score_withdraw(s, 0, 1, 0);
	score_each(s, visit, seen);
	assert_int_equal(seen[0].cohort, 7);
	assert_int_equal(seen[1].cohort, 1);
	score_free(s);
}

TEST(time_never_runs_backwards)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *s = score_new(&plan, 0, 1);
	struct event e = {{.src = 0, .dst = 1, .tx_ns = START + 100}, 1, START + 90};
	struct drb_latency latency;
	struct tally t;
	assert_int_equal(score_expect(s, 0, 1, 0), 0);
	assert_int_equal(score_ready(s, START), 0);
	arrive(s, &plan, &e);
	score_result(s, &t, &latency);
	assert_int_equal(latency.samples, 1);
	assert_true(latency.max == 0);
	score_free(s);
}

static void put(void *to, const struct score_record *r)
{
	((struct score_record *)to)[r->source] = *r;
}

// Host 0 is here, and host 1 on another machine whose clock is ahead: its packet seems to arrive
// before it was sent. Only the packet of host 0 counts for latencies. Arrival times are 5000 ns
// ahead of the packets' clock.
TEST(other_machines_have_other_clocks)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct score *s = score_new(&plan, 0, 1);
	struct event own = {{.src = 0, .dst = 0, .tx_ns = START + 100}, 0, START + 170 + 5000};
	struct event other = {{.src = 1, .dst = 0, .tx_ns = START + 300}, 0, START + 240 + 5000};
	struct score_record seen[2] = {{0}};
	struct drb_latency latency;
	struct tally t;

	assert_int_equal(score_expect(s, 0, 0, 0), 0);
	assert_int_equal(score_expect(s, 1, 0, 0), 0);
	score_part(s, 0, 1);
	score_clock(s, 5000);
	assert_int_equal(score_ready(s, START), 0);
	arrive(s, &plan, &own);
	arrive(s, &plan, &other);
	score_result(s, &t, &latency);
	assert_int_equal(t.delivered, 2);
	assert_int_equal(latency.samples, 1);
	assert_true(latency.max == 70);
	score_each(s, put, seen);
	assert_true(seen[0].counted && seen[0].latency_ns == 70);
	assert_true(seen[1].arrived && !seen[1].counted && seen[1].latency_ns == -60);
	score_free(s);
}

static const struct {
	uint32_t count, per_mille;
	uint64_t value; // of samples 1, 2, ..., count
} quantiles[] = {
	{1, 1, 1},      {1, 1000, 1},    {2, 500, 1},      {2, 501, 2},       {3, 500, 2},
	{100, 990, 99}, {100, 991, 100}, {1000, 999, 999}, {1001, 999, 1000}, {7, 1000, 7},
};

TEST(quantiles_are_nearest_ranks)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		uint64_t samples[1001];
		uint32_t n = quantiles[i].count;
		for (uint32_t k = 0; k < n; k++)
			samples[k] = n - k;
		drb_quantile_sort(samples, n);
		assert_int_equal(drb_quantile(samples, n, quantiles[i].per_mille),
				 quantiles[i].value);
	}
}

// Two clocks: a packet that arrives before it was sent has no latency, and is counted.
TEST(clocks_that_differ_are_noticed)
{
	const struct drb_addr_plan plan = drb_addr_default(2);
	struct score *s = score_new(&plan, 0, 2);
	struct tally tally;
	struct drb_latency latency;
	uint8_t frame[128];
	static const int64_t after_ns[] = {-3000000000, -20, 500};

	for (uint32_t i = 0; i < ARRAY_SIZE(after_ns); i++)
		assert_int_equal(score_expect(s, 0, 1, i > 0), i);
	assert_int_equal(score_ready(s, START), 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(after_ns); i++) {
		uint64_t tx_ns = UINT64_C(10000000000) * (i + 1);
		const struct frame_probe probe = {
			.src = 0, .dst = 1, .sequence = i, .cohort = i > 0};
		frame_build(frame, sizeof(frame), &plan, &probe);
		frame_set_tx(frame, tx_ns);
		score_frame(s, 1, frame, sizeof(frame), tx_ns + (uint64_t)after_ns[i]);
	}
	score_result(s, &tally, &latency);
	assert_int_equal(tally.delivered, 3);
	assert_int_equal(tally.backwards, 1);
	assert_int_equal(latency.samples, 2);
	assert_true(latency.max == 500 && latency.mean == 250);
	score_free(s);
}

TEST_MAIN(NULL, NULL)
