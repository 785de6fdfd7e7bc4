// SPDX-License-Identifier: BSD-3-Clause
#include "score.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <drb/rng.h>

#include "quantile.h"

// Packets of one (source, destination) pair.
struct stream {
	uint64_t key; // src << 32 | dst
	struct arrival_stream at;
};

// A packet as announced, until its stream's place in latency[] is known.
struct expected {
	uint64_t key;
	uint32_t sequence, cohort;
};

struct score {
	struct drb_addr_plan plan;
	uint32_t first, end;
	uint64_t start_ns;
	struct stream *streams; // open addressing, linear probing
	size_t streams_used, streams_room;
	struct expected *expected;
	size_t packets, packets_room;
	uint64_t *latency; // by stream base + sequence number; ARRIVAL_NOT_SEEN
	uint32_t *cohort;  // likewise
	struct tally tally;
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
	free(s->latency);
	free(s->cohort);
	free(s);
}

static uint64_t key_of(uint32_t src, uint32_t dst)
{
	return (uint64_t)src << 32 | dst;
}

// The entry of this key, or the free one where it belongs.
static struct stream *find_stream(struct stream *streams, size_t room, uint64_t key)
{
	size_t i = drb_mix64(key) & (room - 1);

	while (streams[i].at.count && streams[i].key != key)
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
		if (s->streams[i].at.count)
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
	if (stream->at.count == 0) {
		stream->key = key_of(src, dst);
		s->streams_used++;
	}
	uint32_t sequence = stream->at.count++;
	s->expected[s->packets++] = (struct expected){stream->key, sequence, cohort};
	return sequence;
}

int score_ready(struct score *s, uint64_t start_ns)
{
	size_t base = 0;

	s->start_ns = start_ns;
	s->latency = malloc((s->packets + 1) * sizeof(*s->latency));
	s->cohort = malloc((s->packets + 1) * sizeof(*s->cohort));
	if (!s->latency || !s->cohort)
		return -ENOMEM;
	for (size_t i = 0; i < s->streams_room; i++) {
		s->streams[i].at.base = base;
		base += s->streams[i].at.count;
	}
	for (size_t i = 0; i < s->packets; i++) {
		const struct expected *e = &s->expected[i];
		size_t at = find_stream(s->streams, s->streams_room, e->key)->at.base + e->sequence;
		s->latency[at] = ARRIVAL_NOT_SEEN;
		s->cohort[at] = e->cohort;
	}
	free(s->expected);
	s->expected = NULL;
	return 0;
}

void score_frame(struct score *s, uint32_t host, const uint8_t *frame, size_t size, uint64_t rx_ns)
{
	struct frame_probe probe = {0};
	int parsed = frame_parse(frame, size, &s->plan, &probe);
	struct stream *stream =
		find_stream(s->streams, s->streams_room, key_of(probe.src, probe.dst));

	if (arrival_is_due(&s->tally, parsed, &probe, s->start_ns, &stream->at, host))
		arrival_deliver(&s->tally, &stream->at,
				&s->latency[stream->at.base + probe.sequence], &probe, rx_ns);
}

size_t score_packets(const struct score *s)
{
	return s->packets;
}

uint64_t score_start(const struct score *s)
{
	return s->start_ns;
}

void score_streams(const struct score *s, score_visit *visit, void *context)
{
	for (size_t i = 0; i < s->streams_room; i++) {
		const struct stream *stream = &s->streams[i];
		if (stream->at.count)
			visit(context, (uint32_t)(stream->key >> 32), (uint32_t)stream->key,
			      &stream->at);
	}
}

void score_import(struct score *s, const struct tally *tally, const uint64_t *latency)
{
	s->tally = *tally;
	memcpy(s->latency, latency, s->packets * sizeof(*s->latency));
}

// Mean over the cohorts that have a sample of the largest latency in each.
static double cohort_tail(const struct score *s)
{
	uint32_t cohorts = s->end - s->first, counted = 0;
	uint64_t *worst = malloc(cohorts * sizeof(*worst));
	double sum = 0;

	if (!worst)
		return NAN;
	memset(worst, 0xff, cohorts * sizeof(*worst));
	for (size_t i = 0; i < s->packets; i++) {
		if (s->latency[i] == ARRIVAL_NOT_SEEN || s->cohort[i] < s->first ||
		    s->cohort[i] >= s->end)
			continue;
		uint64_t *w = &worst[s->cohort[i] - s->first];
		if (*w == ARRIVAL_NOT_SEEN || *w < s->latency[i])
			*w = s->latency[i];
	}
	for (uint32_t c = 0; c < cohorts; c++) {
		if (worst[c] == ARRIVAL_NOT_SEEN)
			continue;
		sum += (double)worst[c];
		counted++;
	}
	free(worst);
	return counted ? sum / counted : NAN;
}

static struct latency latency_of(const struct score *s)
{
	struct latency result = {
		.mean = NAN, .p50 = NAN, .p99 = NAN, .p999 = NAN, .max = NAN, .tail = NAN};
	uint64_t *samples = malloc((s->packets + 1) * sizeof(*samples));
	double sum = 0;

	if (!samples)
		return result;
	for (size_t i = 0; i < s->packets; i++) {
		if (s->latency[i] == ARRIVAL_NOT_SEEN || s->cohort[i] < s->first ||
		    s->cohort[i] >= s->end)
			continue;
		samples[result.samples++] = s->latency[i];
		sum += (double)s->latency[i];
	}
	if (result.samples) {
		quantile_sort(samples, result.samples);
		result.mean = sum / (double)result.samples;
		result.p50 = (double)quantile(samples, result.samples, 500);
		result.p99 = (double)quantile(samples, result.samples, 990);
		result.p999 = (double)quantile(samples, result.samples, 999);
		result.max = (double)samples[result.samples - 1];
		result.tail = cohort_tail(s);
	}
	free(samples);
	return result;
}

uint64_t score_delivered(const struct score *s)
{
	return s->tally.delivered;
}

void score_result(struct score *s, struct tally *tally, struct latency *latency)
{
	*tally = s->tally;
	*latency = latency_of(s);
}
