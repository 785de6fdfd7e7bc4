// SPDX-License-Identifier: BSD-3-Clause
#include "gen/sinks/score.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"

#include "common/measures/latency.h"

// The packets of one (source, destination) pair.
struct stream {
	uint64_t key;   // src << 32 | dst
	uint32_t count; // packets announced; 0: free entry
	uint64_t base;  // index of its first packet in arrival[] and cohort[]
};

// An announced packet, until its stream's position in arrival[] is known.
struct expected {
	uint64_t key;
	uint32_t sequence, cohort;
};

#define NOT_SEEN UINT64_MAX
#define NOT_SENT (UINT64_MAX - 1)
// If a packet's arrival is this much before its sending, the times are of two clocks.
#define SAME_CLOCK_NS INT64_C(100000)

// The arrival of one packet of the run at its destination. At the end, all arrivals together show
// which packets were overtaken.
struct arrival {
	uint64_t rx_ns; // time of its first delivery; NOT_SEEN until then
	int64_t latency_ns;
};

enum verdict { DELIVERED, DUPLICATED, MISDELIVERED, STRANGER, VERDICTS };

struct score {
	struct drb_addr_plan plan;
	uint32_t first, end;
	uint64_t start_ns, shift_ns;
	bool part; // hosts outside [part_first, part_end) are on other machines
	uint32_t part_first, part_end;
	struct stream *streams; // open addressing, linear probing
	size_t streams_used, streams_room;
	struct expected *expected;
	size_t packets, packets_room;
	struct arrival *arrival;   // [stream base + sequence number]
	uint32_t *cohort;          // the same
	bool *elsewhere;           // the same; true: another machine sent the packet
	struct drb_arrival *order; // work space for one stream, with space for the longest
	uint64_t count[VERDICTS];
};

struct score *score_new(const struct drb_addr_plan *plan, uint32_t first, uint32_t end)
{
	struct score *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct score){.plan = *plan, .first = first, .end = end, .streams_room = 1024};
	s->streams = calloc(s->streams_room, sizeof(*s->streams));
	if (!s->streams) {
		free(s);
		return NULL;
	}
	return s;
}

void score_free(struct score *s)
{
	if (!s)
		return;
	free(s->streams);
	free(s->expected);
	free(s->arrival);
	free(s->cohort);
	free(s->elsewhere);
	free(s->order);
	free(s);
}

static uint64_t key_of(uint32_t src, uint32_t dst)
{
	return (uint64_t)src << 32 | dst;
}

// The entry of this key, or the free entry where it belongs.
static struct stream *find_stream(struct stream *streams, size_t room, uint64_t key)
{
	size_t i = drb_mix64(key) & (room - 1);

	while (streams[i].count && streams[i].key != key)
		i = (i + 1) & (room - 1);
	return &streams[i];
}

static int grow_streams(struct score *s)
{
	size_t room = 2 * s->streams_room;
	struct stream *streams = calloc(room, sizeof(*streams));

	if (!streams)
		return -ENOMEM;
	for (size_t i = 0; i < s->streams_room; i++) {
		if (s->streams[i].count)
			*find_stream(streams, room, s->streams[i].key) = s->streams[i];
	}
	free(s->streams);
	s->streams = streams;
	s->streams_room = room;
	return 0;
}

int64_t score_expect(struct score *s, uint32_t src, uint32_t dst, uint32_t cohort)
{
	if (2 * s->streams_used >= s->streams_room && grow_streams(s) < 0)
		return -ENOMEM;
	if (s->packets == s->packets_room) {
		size_t room = s->packets_room ? 2 * s->packets_room : 1024;
		struct expected *p = realloc(s->expected, room * sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->expected = p;
		s->packets_room = room;
	}
	struct stream *stream = find_stream(s->streams, s->streams_room, key_of(src, dst));
	if (stream->count == 0) {
		stream->key = key_of(src, dst);
		s->streams_used++;
	}
	uint32_t sequence = stream->count++;
	s->expected[s->packets++] = (struct expected){stream->key, sequence, cohort};
	return sequence;
}

void score_part(struct score *s, uint32_t first, uint32_t end)
{
	s->part = true;
	s->part_first = first;
	s->part_end = end;
}

void score_clock(struct score *s, uint64_t shift_ns)
{
	s->shift_ns = shift_ns;
}

static bool is_here(const struct score *s, uint32_t host)
{
	return !s->part || (host >= s->part_first && host < s->part_end);
}

int score_ready(struct score *s, uint64_t start_ns)
{
	size_t base = 0, longest = 0;

	s->start_ns = start_ns;
	s->arrival = malloc((s->packets + 1) * sizeof(*s->arrival));
	s->cohort = malloc((s->packets + 1) * sizeof(*s->cohort));
	s->elsewhere = calloc(s->packets + 1, sizeof(*s->elsewhere));
	if (!s->arrival || !s->cohort || !s->elsewhere)
		return -ENOMEM;
	for (size_t i = 0; i < s->streams_room; i++) {
		s->streams[i].base = base;
		base += s->streams[i].count;
		longest = s->streams[i].count > longest ? s->streams[i].count : longest;
	}
	s->order = malloc((longest + 1) * sizeof(*s->order));
	if (!s->order)
		return -ENOMEM;
	for (size_t i = 0; i < s->packets; i++) {
		const struct expected *e = &s->expected[i];
		size_t at = find_stream(s->streams, s->streams_room, e->key)->base + e->sequence;
		s->arrival[at].rx_ns = NOT_SEEN;
		s->cohort[at] = e->cohort;
		s->elsewhere[at] = !is_here(s, (uint32_t)(e->key >> 32));
	}
	free(s->expected);
	s->expected = NULL;
	return 0;
}

// Records that a packet arrived at its destination. Packets that different CPUs received may be
// reported in another order than that of their arrival.
static enum verdict deliver(struct arrival *a, uint64_t tx_ns, uint64_t rx_ns, bool elsewhere)
{
	enum verdict verdict = a->rx_ns == NOT_SEEN ? DELIVERED : DUPLICATED;

	if (rx_ns < a->rx_ns) {
		a->rx_ns = rx_ns;
		a->latency_ns = (int64_t)(rx_ns - tx_ns);
		// Sender and receiver read the same clock by different calls, which may return
		// slightly different times.
		if (a->latency_ns < 0 && a->latency_ns > -SAME_CLOCK_NS && !elsewhere)
			a->latency_ns = 0;
	}
	return verdict;
}

void score_frame(struct score *s, uint32_t host, const uint8_t *frame, size_t size, uint64_t rx_ns)
{
	struct frame_probe probe = {0};
	int parsed = frame_parse(frame, size, &s->plan, &probe);
	const struct stream *stream =
		find_stream(s->streams, s->streams_room, key_of(probe.src, probe.dst));
	bool announced = probe.sequence < stream->count;
	enum verdict verdict;

	rx_ns -= s->shift_ns;
	if (parsed == -ENOMSG || probe.tx_ns < s->start_ns || (parsed == 0 && !announced))
		verdict = STRANGER;
	else if (parsed < 0 || host != probe.dst)
		verdict = MISDELIVERED;
	else
		verdict = deliver(&s->arrival[stream->base + probe.sequence], probe.tx_ns, rx_ns,
				  s->elsewhere[stream->base + probe.sequence]);
	s->count[verdict]++;
}

uint64_t score_packets(const struct score *s)
{
	return s->packets;
}

static bool is_measured(const struct score *s, size_t packet)
{
	return !s->elsewhere[packet] && s->cohort[packet] >= s->first && s->cohort[packet] < s->end;
}

// True if the packet arrived, and sender and receiver use the same clock.
static bool has_latency(const struct score *s, size_t packet)
{
	return s->arrival[packet].rx_ns != NOT_SEEN && is_measured(s, packet) &&
	       s->arrival[packet].latency_ns >= 0;
}

// The largest latency in each cohort, averaged over the cohorts with a sample.
static double cohort_tail(const struct score *s)
{
	uint32_t cohorts = s->end - s->first, counted = 0;
	uint64_t *worst = malloc(cohorts * sizeof(*worst));
	double sum = 0;

	if (!worst)
		return NAN;
	memset(worst, 0xff, cohorts * sizeof(*worst));
	for (size_t i = 0; i < s->packets; i++) {
		if (!has_latency(s, i))
			continue;
		uint64_t *w = &worst[s->cohort[i] - s->first];
		if (*w == NOT_SEEN || *w < (uint64_t)s->arrival[i].latency_ns)
			*w = (uint64_t)s->arrival[i].latency_ns;
	}
	for (uint32_t c = 0; c < cohorts; c++) {
		if (worst[c] == NOT_SEEN)
			continue;
		sum += (double)worst[c];
		counted++;
	}
	free(worst);
	return counted ? sum / counted : NAN;
}

static struct drb_latency measured_latency(const struct score *s)
{
	uint64_t *samples = malloc((s->packets + 1) * sizeof(*samples));
	size_t count = 0;

	if (!samples)
		return drb_latency_of(NULL, 0);
	for (size_t i = 0; i < s->packets; i++) {
		if (!has_latency(s, i))
			continue;
		samples[count++] = (uint64_t)s->arrival[i].latency_ns;
	}
	struct drb_latency result = drb_latency_of(samples, count);
	if (count)
		result.tail = cohort_tail(s);
	free(samples);
	return result;
}

// Adds the arrivals of a stream's packets: all, or with `measured` those whose latencies are kept.
static void add_order(struct score *s, struct drb_reordering *r, const struct stream *stream,
		      bool measured)
{
	uint32_t count = 0;

	for (size_t i = stream->base; i < stream->base + stream->count; i++) {
		if (s->arrival[i].rx_ns != NOT_SEEN && (!measured || is_measured(s, i)))
			s->order[count++].at = s->arrival[i].rx_ns;
	}
	drb_reordering_add(r, s->order, count);
}

// Adds the packets of one stream to the tally.
static void add_stream(struct score *s, struct tally *t, const struct stream *stream)
{
	struct drb_reordering all = {0};

	add_order(s, &all, stream, false);
	add_order(s, &t->order, stream, true);
	t->reordered += all.reordered;
	for (size_t i = stream->base; i < stream->base + stream->count; i++) {
		uint64_t rx_ns = s->arrival[i].rx_ns;
		if (rx_ns == NOT_SEEN)
			continue;
		t->backwards += s->arrival[i].latency_ns < 0 && !s->elsewhere[i];
		t->first_ns = t->first_ns == 0 || rx_ns < t->first_ns ? rx_ns : t->first_ns;
		t->last_ns = rx_ns > t->last_ns ? rx_ns : t->last_ns;
	}
}

uint64_t score_delivered(const struct score *s)
{
	return s->count[DELIVERED];
}

void score_result(struct score *s, struct tally *tally, struct drb_latency *latency)
{
	*tally = (struct tally){.delivered = s->count[DELIVERED],
				.duplicated = s->count[DUPLICATED],
				.misdelivered = s->count[MISDELIVERED],
				.strangers = s->count[STRANGER]};
	tally->received = tally->delivered + tally->duplicated + tally->misdelivered;
	for (size_t i = 0; i < s->streams_room; i++)
		add_stream(s, tally, &s->streams[i]);
	*latency = measured_latency(s);
}

void score_withdraw(struct score *s, uint32_t src, uint32_t dst, uint32_t sequence)
{
	const struct stream *stream = find_stream(s->streams, s->streams_room, key_of(src, dst));

	s->arrival[stream->base + sequence].rx_ns = NOT_SENT;
}

void score_each(const struct score *s, void (*visit)(void *context, const struct score_record *r),
		void *context)
{
	for (size_t i = 0; i < s->streams_room; i++) {
		const struct stream *stream = &s->streams[i];
		for (uint32_t k = 0; k < stream->count; k++) {
			const struct arrival *a = &s->arrival[stream->base + k];
			if (a->rx_ns == NOT_SENT)
				continue;
			visit(context,
			      &(struct score_record){.source = (uint32_t)(stream->key >> 32),
						     .destination = (uint32_t)stream->key,
						     .sequence = k,
						     .cohort = s->cohort[stream->base + k],
						     .counted = is_measured(s, stream->base + k),
						     .arrived = a->rx_ns != NOT_SEEN,
						     .rx_ns = a->rx_ns,
						     .latency_ns = a->latency_ns});
		}
	}
}
