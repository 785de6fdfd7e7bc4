// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/recognise.h"

#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"
#include "common/measures/latency.h"

// All packets of the trace with one fingerprint.
struct kind {
	uint64_t print; // 0: free entry
	uint64_t sent;  // filled in by recogniser_result()
	uint64_t arrived;
	uint32_t dst;
};

struct recogniser {
	const struct trace *trace;
	struct drb_addr_plan plan;
	struct kind *kinds; // open addressing
	size_t mask;
	struct recognised *host; // what arrived at each
	uint64_t arrived;
	struct moments sendings, arrivals; // by index of the packet; by index of the kind
};

static uint64_t fingerprint(const uint8_t *frame, uint32_t captured, uint32_t size)
{
	uint32_t n = captured < RECOGNISE_BYTES ? captured : RECOGNISE_BYTES;
	uint64_t print = size;

	for (; n >= 8; n -= 8, frame += 8) {
		uint64_t word;
		memcpy(&word, frame, 8);
		print = drb_mix64(print ^ word);
	}
	uint64_t word = 0;
	memcpy(&word, frame, n);
	print = drb_mix64(print ^ word);
	return print ? print : 1;
}

static struct kind *find(const struct recogniser *r, uint64_t print)
{
	size_t i = print & r->mask;

	while (r->kinds[i].print && r->kinds[i].print != print)
		i = (i + 1) & r->mask;
	return &r->kinds[i];
}

static struct kind *kind_of(const struct recogniser *r, const struct trace_packet *p)
{
	return find(r, fingerprint(p->frame, p->size, p->size));
}

struct recogniser *recogniser_new(const struct trace *t, const struct drb_addr_plan *plan,
				  uint64_t sendings)
{
	struct recogniser *r = calloc(1, sizeof(*r));
	size_t room = 1024;

	if (!r)
		return NULL;
	while (room < 2 * t->count)
		room *= 2;
	*r = (struct recogniser){.trace = t, .plan = *plan, .mask = room - 1};
	r->kinds = calloc(room, sizeof(*r->kinds));
	r->host = calloc(plan->hosts, sizeof(*r->host));
	if (!r->kinds || !r->host || moments_make(&r->sendings, sendings) < 0 ||
	    moments_make(&r->arrivals, sendings) < 0) {
		recogniser_free(r);
		return NULL;
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_packet *p = &t->packet[i];
		uint64_t print = fingerprint(p->frame, p->size, p->size);
		struct kind *k = find(r, print);
		k->print = print;
		k->dst = drb_addr_of_mac(plan, p->frame);
	}
	return r;
}

void recogniser_free(struct recogniser *r)
{
	if (!r)
		return;
	moments_free(&r->sendings);
	moments_free(&r->arrivals);
	free(r->kinds);
	free(r->host);
	free(r);
}

struct moments *recogniser_sendings(struct recogniser *r)
{
	return &r->sendings;
}

void recogniser_frame(struct recogniser *r, const struct arrival *a)
{
	struct kind *k = find(r, fingerprint(a->frame, a->captured, a->size));
	struct recognised *host = &r->host[a->host];

	if (!k->print) {
		host->strangers++;
		return;
	}
	host->received++;
	if (k->dst != a->host) {
		host->misdelivered++;
		return;
	}
	moments_add(&r->arrivals, (size_t)(k - r->kinds), a->rx_ns);
	k->arrived++;
	r->arrived++;
}

uint64_t recogniser_arrived(const struct recogniser *r)
{
	return r->arrived;
}

// Compares what was sent of one kind with what arrived of it.
static void settle(struct recognised *to, const struct kind *k)
{
	to->expected += k->sent;
	if (k->arrived > k->sent)
		to->duplicated += k->arrived - k->sent;
	else
		to->missing += k->sent - k->arrived;
}

void recogniser_result(struct recogniser *r, struct recognised *by_host, struct tally *tally)
{
	memcpy(by_host, r->host, r->plan.hosts * sizeof(*by_host));
	for (size_t i = 0; i <= r->mask; i++)
		r->kinds[i].sent = 0;
	for (size_t i = 0; i < r->trace->count; i++) {
		const struct trace_packet *p = &r->trace->packet[i];
		kind_of(r, p)->sent += p->sent;
		by_host[p->host].sent += p->sent;
	}
	for (size_t i = 0; i <= r->mask; i++) {
		if (r->kinds[i].print)
			settle(&by_host[r->kinds[i].dst], &r->kinds[i]);
	}
	*tally = (struct tally){0};
	for (uint32_t h = 0; h < r->plan.hosts; h++) {
		tally->received += by_host[h].received;
		tally->delivered += by_host[h].expected - by_host[h].missing;
		tally->duplicated += by_host[h].duplicated;
		tally->misdelivered += by_host[h].misdelivered;
		tally->strangers += by_host[h].strangers;
	}
}

struct drb_latency recogniser_latency(struct recogniser *r)
{
	uint64_t *samples = malloc((r->sendings.count + 1) * sizeof(*samples));

	if (!samples)
		return drb_latency_of(NULL, 0);
	for (size_t i = 0; i < r->sendings.count; i++) {
		struct moment *m = &r->sendings.at[i];
		m->kind = (size_t)(kind_of(r, &r->trace->packet[m->kind]) - r->kinds);
	}
	struct drb_latency result =
		drb_latency_of(samples, pairs_find(&r->sendings, &r->arrivals, samples));
	free(samples);
	return result;
}
