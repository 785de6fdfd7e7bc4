// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/recognise.h"

#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"
#include "common/measures/latency.h"
#include "common/measures/reordering.h"

// All packets of the trace with one fingerprint.
struct kind {
	uint64_t print; // 0: free entry
	uint64_t arrived;
	uint64_t left; // arrivals not yet assigned to a packet that was sent: recogniser_result()
	uint32_t dst;
	uint32_t flow; // flow of the last packet
};

struct recogniser {
	const struct trace *trace;
	struct drb_addr_plan plan;
	struct kind *kinds; // open addressing
	size_t mask;
	struct recognised *host; // [host]: packets that arrived
	uint64_t arrived;
	struct moments sendings, arrivals; // by index of the packet; by index of the kind
	struct outcome *outcome;           // [sending]: recogniser_latency()
};

static struct kind *kind_find(const struct recogniser *r, uint64_t print)
{
	size_t i = print & r->mask;

	while (r->kinds[i].print && r->kinds[i].print != print)
		i = (i + 1) & r->mask;
	return &r->kinds[i];
}

static struct kind *kind_of(const struct recogniser *r, const struct trace_packet *p)
{
	return kind_find(r, trace_fingerprint(p->frame, p->size, p->size));
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
		uint64_t print = trace_fingerprint(p->frame, p->size, p->size);
		struct kind *k = kind_find(r, print);
		k->print = print;
		k->dst = drb_addr_of_mac(plan, p->frame);
		k->flow = p->flow;
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
	free(r->outcome);
	free(r);
}

struct moments *recogniser_sendings(struct recogniser *r)
{
	return &r->sendings;
}

void recogniser_frame(struct recogniser *r, const struct arrival *a)
{
	struct kind *k = kind_find(r, trace_fingerprint(a->frame, a->captured, a->size));
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
	moments_add(&r->arrivals, (uint32_t)(k - r->kinds), a->rx_ns);
	k->arrived++;
	r->arrived++;
}

uint64_t recogniser_arrived(const struct recogniser *r)
{
	return r->arrived;
}

void recogniser_result(struct recogniser *r, struct recognised *by_host, struct flows *flows,
		       struct tally *tally)
{
	memcpy(by_host, r->host, r->plan.hosts * sizeof(*by_host));
	for (size_t i = 0; i <= r->mask; i++)
		r->kinds[i].left = r->kinds[i].arrived;
	for (size_t i = 0; i < r->trace->count; i++) {
		const struct trace_packet *p = &r->trace->packet[i];
		struct kind *k = kind_of(r, p);
		uint64_t arrived = p->sent < k->left ? p->sent : k->left;
		k->left -= arrived;
		by_host[p->host].sent += p->sent;
		by_host[k->dst].expected += p->sent;
		by_host[k->dst].missing += p->sent - arrived;
		flows->at[p->flow].sent += p->sent;
		flows->at[p->flow].lost += p->sent - arrived;
	}
	for (size_t i = 0; i <= r->mask; i++) {
		if (!r->kinds[i].print)
			continue;
		by_host[r->kinds[i].dst].duplicated += r->kinds[i].left;
		flows->at[r->kinds[i].flow].duplicated += r->kinds[i].left;
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

static uint32_t flow_of(const struct recogniser *r, const struct outcome *o)
{
	return r->trace->packet[o->packet].flow;
}

static int by_flow(const void *a, const void *b, void *recogniser)
{
	const struct outcome *x = a, *y = b;
	uint32_t of_x = flow_of(recogniser, x), of_y = flow_of(recogniser, y);

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	return x->sent_ns < y->sent_ns ? -1 : x->sent_ns > y->sent_ns;
}

// Memory for the figures of a flow, each with space for all packets that were sent.
struct work {
	uint64_t *samples;
	struct drb_arrival *arrivals;
};

// Adds latency and order of the flow with outcomes [from, end).
static void add_flow(const struct recogniser *r, size_t from, size_t end, const struct work *w,
		     struct flow *flow)
{
	struct drb_reordering order = {0};
	size_t count = 0;

	for (size_t i = from; i < end; i++) {
		const struct outcome *o = &r->outcome[i];
		if (o->latency_ns == LATENCY_UNKNOWN)
			continue;
		w->arrivals[count].at = o->sent_ns + o->latency_ns;
		w->samples[count++] = o->latency_ns;
	}
	drb_reordering_add(&order, w->arrivals, (uint32_t)count);
	flow->reordered = order.reordered;
	flow->latency = drb_latency_of(w->samples, count);
}

struct drb_latency recogniser_latency(struct recogniser *r, struct flows *flows)
{
	size_t sent = r->sendings.count, all = 0;
	struct work w = {.samples = malloc((sent + 1) * sizeof(*w.samples)),
			 .arrivals = malloc((sent + 1) * sizeof(*w.arrivals))};
	struct drb_latency result = drb_latency_of(NULL, 0);

	r->outcome = malloc((sent + 1) * sizeof(*r->outcome));
	if (w.samples && w.arrivals && r->outcome) {
		for (size_t i = 0; i < sent; i++) {
			struct moment *m = &r->sendings.at[i];
			m->kind = (uint32_t)(kind_of(r, &r->trace->packet[m->packet]) - r->kinds);
		}
		pairs_find(&r->sendings, &r->arrivals, r->outcome);
		qsort_r(r->outcome, sent, sizeof(*r->outcome), by_flow, r);
		for (size_t i = 0, end; i < sent; i = end) {
			uint32_t flow = flow_of(r, &r->outcome[i]);
			for (end = i + 1; end < sent && flow_of(r, &r->outcome[end]) == flow;)
				end++;
			add_flow(r, i, end, &w, &flows->at[flow]);
		}
		for (size_t i = 0; i < sent; i++) {
			if (r->outcome[i].latency_ns != LATENCY_UNKNOWN)
				w.samples[all++] = r->outcome[i].latency_ns;
		}
		result = drb_latency_of(w.samples, all);
	}
	free(w.samples);
	free(w.arrivals);
	return result;
}

const struct outcome *recogniser_outcomes(const struct recogniser *r, size_t *count)
{
	*count = r->outcome ? r->sendings.count : 0;
	return r->outcome;
}
