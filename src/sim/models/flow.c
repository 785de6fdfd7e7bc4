// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/traffic.h"

#include "sim/models/packet_decide.h"

#define LATE 32 // a power of two

struct drb_flow_work {
	uint32_t hosts;
	uint64_t room;         // most flows
	struct drb_flow *flow; // in the order of their assignment
	uint32_t *permutation;
	uint32_t *memory; // for the traffic
	// Flows on the links between layers m and m + 1, 1 <= m < layers. In up[m][s * ups + port],
	// s is the lower switch; in down[m][s * ports + port], s is the upper one. Each link of a
	// host has c flows.
	uint32_t *up[DRB_LAYERS_MAX], *down[DRB_LAYERS_MAX];
	uint32_t *load; // all these counters, N for each `up` and `down`
	// Decisions never read the counters of down-links, which are rarely in the cache. Each
	// counter is prefetched when its flow is assigned, and incremented LATE counts later.
	uint32_t *late[LATE], counted, nothing;
};

// The number of counters of links, at least 1.
static size_t link_words(const struct drb_tree *t)
{
	return t->layers > 1 ? 2 * (size_t)(t->layers - 1) * t->hosts : 1;
}

uint64_t drb_flow_bytes(const struct drb_tree *t, uint32_t flows)
{
	uint64_t hosts = t->hosts;

	return hosts * flows * sizeof(struct drb_flow) +
	       (hosts + DRB_TRAFFIC_WORDS(hosts) + link_words(t)) * sizeof(uint32_t);
}

struct drb_flow_work *drb_flow_work_new(const struct drb_tree *t, uint32_t flows)
{
	struct drb_flow_work *work = calloc(1, sizeof(*work));
	uint64_t hosts = t->hosts;

	if (!work)
		return NULL;
	work->hosts = t->hosts;
	work->room = hosts * flows;
	work->flow = malloc(work->room * sizeof(*work->flow));
	work->permutation = malloc(hosts * sizeof(uint32_t));
	work->memory = malloc(DRB_TRAFFIC_WORDS(hosts) * sizeof(uint32_t));
	work->load = malloc(link_words(t) * sizeof(uint32_t));
	if (!work->flow || !work->permutation || !work->memory || !work->load) {
		drb_flow_work_free(work);
		return NULL;
	}
	for (uint32_t m = 1; m < t->layers; m++) {
		work->up[m] = work->load + 2 * (m - 1) * hosts;
		work->down[m] = work->up[m] + hosts;
	}
	return work;
}

void drb_flow_work_free(struct drb_flow_work *work)
{
	if (!work)
		return;
	free(work->flow);
	free(work->permutation);
	free(work->memory);
	free(work->load);
	free(work);
}

// Draws the flows of c permutations in uniformly random order. Each new flow is inserted at a
// random index up to its own, and the flow that was there moves to the end.
void drb_flow_draw(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work)
{
	struct drb_rng rng = drb_rng_seed(setup->seed, 2 * (uint64_t)run);
	const struct drb_traffic_kind permutation = {.pattern = DRB_PATTERN_PERMUTATION};
	struct drb_traffic traffic;
	uint64_t n = 0;

	drb_traffic_init(&traffic,
			 &(struct drb_traffic_setup){&setup->tree, permutation, 1, work->memory},
			 &rng);
	for (uint32_t c = 0; c < setup->flows; c++) {
		drb_traffic_slot(&traffic, &rng, c, work->permutation);
		for (uint32_t h = 0; h < setup->tree.hosts; h++, n++) {
			uint64_t j =
				(uint64_t)(((unsigned __int128)drb_rng_next(&rng) * (n + 1)) >> 64);
			work->flow[n] = work->flow[j];
			work->flow[j] = (struct drb_flow){.src = h, .dst = work->permutation[h]};
		}
	}
}

// Writes the digits of source and destination, up to the highest in which they differ. Returns the
// number k of the highest one, which is the layer at which the flow turns down.
static uint32_t codes_of(const struct drb_tree *t, const struct drb_flow *f, uint32_t src[],
			 uint32_t dst[])
{
	uint32_t a = f->src, b = f->dst, k = 0;

	while (a != b) {
		uint32_t a_next = drb_div(a, &t->by_arity), b_next = drb_div(b, &t->by_arity);
		if (++k == t->layers) { // the top digit is not reduced
			src[k] = a;
			dst[k] = b;
			break;
		}
		src[k] = a - a_next * t->arity;
		dst[k] = b - b_next * t->arity;
		a = a_next;
		b = b_next;
	}
	return k;
}

static inline void count_late(struct drb_flow_work *work, uint32_t *counter)
{
	uint32_t **at = &work->late[work->counted++ & (LATE - 1)];

	++**at;
	*at = counter;
	__builtin_prefetch(counter, 1);
}

static void count_all(struct drb_flow_work *work)
{
	for (uint32_t i = 0; i < LATE; i++)
		++*work->late[i];
}

// The flow goes up from the source to layer k, by a decision at each switch, then down by the
// digits of the destination. Each step changes one digit of the switch's label, as in
// drb_tree_up_peer() and drb_tree_down_peer().
static void assign(const struct drb_tree *t, struct drb_decider *by, const struct drb_flow *f,
		   uint64_t salt, struct drb_rng *rng, struct drb_flow_work *work,
		   struct drb_flow_result *r)
{
	uint32_t src[DRB_LAYERS_MAX + 1], dst[DRB_LAYERS_MAX + 1], up[DRB_LAYERS_MAX + 1];
	uint32_t k = codes_of(t, f, src, dst), d = t->arity;
	uint32_t s = t->layers == 1 ? 0 : drb_div(f->src, &t->by_arity);
	uint64_t flow = (uint64_t)f->src << 32 | f->dst, before = r->redirected;

	for (uint32_t m = 1; m < k; m++) {
		uint32_t ups = m == 1 ? t->uplinks : d, def = dst[m] < ups ? dst[m] : dst[m] % ups;
		uint32_t *load = work->up[m] + (size_t)s * ups;
		struct drb_decision packet = {.def = def, .flow = flow, .draw = drb_rng_next(rng)};
		by->choice.uplinks = ups;
		if (by->choice.ops->needs & DRB_READS_FLOW)
			by->choice.salt = drb_salt(salt, m, s);
		up[m] = sim_uplink(&by->choice,
				   drb_decide_uplink(by, (struct drb_loads){load}, &packet));
		load[up[m]]++;
		r->redirected += up[m] != def;
		// Above layer 1, the lowest digit of a label is the number of an uplink of layer 1.
		// Layer 1 may have fewer than d uplinks.
		s = m == 1 ? drb_div(s - src[2], &t->by_arity) * t->uplinks + up[1]
			   : s + (up[m] - src[m + 1]) * t->above[m - 1];
	}
	r->decided += k - 1;
	r->climbed += k == t->layers;
	r->kept += k == t->layers && r->redirected == before;
	for (uint32_t m = k; m > 1; m--) {
		uint32_t ports = m == t->layers ? 2 * d : d;
		count_late(work, &work->down[m - 1][(size_t)s * ports + dst[m]]);
		s = m == 2 ? drb_div(s - up[1], &t->by_above[1]) * d + dst[2]
			   : s + (dst[m] - up[m - 1]) * t->above[m - 2];
	}
}

static uint32_t largest(const uint32_t *load, uint32_t n, uint32_t most)
{
	for (uint32_t i = 0; i < n; i++)
		most = load[i] > most ? load[i] : most;
	return most;
}

struct drb_flow_result drb_flow_assign(const struct drb_flow_setup *setup, uint32_t run,
				       struct drb_flow_work *work)
{
	const struct drb_tree *t = &setup->tree;
	struct drb_flow_result r = {.max_up = setup->flows, .max_down = setup->flows};
	struct drb_rng rng = drb_rng_seed(setup->seed, 2 * (uint64_t)run + 1);
	uint64_t salt = drb_rng_next(&rng), flows = (uint64_t)setup->flows * t->hosts;
	struct drb_decider by = {.choice = drb_scheme_choice(setup->scheme)};

	by.choice.choices = setup->choices;
	by.choice.margin = drb_margin(setup->threshold);
	memset(work->load, 0, link_words(t) * sizeof(uint32_t));
	for (uint32_t i = 0; i < LATE; i++)
		work->late[i] = &work->nothing;
	for (uint64_t i = 0; i < flows; i++)
		assign(t, &by, &work->flow[i], salt, &rng, work, &r);
	count_all(work);
	for (uint32_t m = 1; m < t->layers; m++) {
		r.max_up = largest(work->up[m], t->hosts, r.max_up);
		r.max_down = largest(work->down[m], t->hosts, r.max_down);
	}
	return r;
}

struct drb_flow *drb_flow_list(struct drb_flow_work *work)
{
	return work->flow;
}

struct drb_flow_result drb_flow_run(const struct drb_flow_setup *setup, uint32_t run,
				    struct drb_flow_work *work)
{
	drb_flow_draw(setup, run, work);
	return drb_flow_assign(setup, run, work);
}

struct drb_flow_summary drb_flow_summarize(const struct drb_flow_result *r, uint32_t runs)
{
	struct drb_flow_summary s = {0};
	uint64_t decided = 0, redirected = 0, climbed = 0, kept = 0;
	double squares = 0, n = runs;

	for (uint32_t i = 0; i < runs; i++) {
		double max = r[i].max_up > r[i].max_down ? r[i].max_up : r[i].max_down;
		s.max_load += max / n;
		squares += max * max / n;
		s.max_up += r[i].max_up / n;
		s.max_down += r[i].max_down / n;
		decided += r[i].decided;
		redirected += r[i].redirected;
		climbed += r[i].climbed;
		kept += r[i].kept;
	}
	s.max_load_sd =
		runs > 1 ? sqrt(fmax(0, squares - s.max_load * s.max_load) * n / (n - 1)) : NAN;
	s.redirected = decided ? (double)redirected / (double)decided : NAN;
	s.kept = climbed ? (double)kept / (double)climbed : NAN;
	return s;
}
