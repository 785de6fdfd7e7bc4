// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/ctmc_layers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "drb/threshold.h"

#include "sim/models/fifo.h"

// Address space for queues that outgrow their homes.
#define POOL_BYTES (UINT64_C(1) << 30)

// Uplinks are numbered by layer, then by switch, then by port. Each layer has as many uplinks as
// there are hosts.
struct layers {
	const struct drb_ctmc_layers_setup *setup;
	struct drb_tree tree;
	struct drb_choice choice;
	struct drb_rng rng;
	uint32_t links;
	uint32_t *queue;       // [uplink]: packets
	struct drb_fifo *fifo; // [uplink]: destinations of these packets
	uint32_t *next;        // [uplink]: the first uplink of the switch at its upper end
	// The uplinks with packets, in any order; [uplink]: its index in `busy`.
	uint32_t *busy, *place;
	uint32_t busy_links;
	double *departed; // [uplink]: time of its last measured departure; negative: none so far
	struct drb_fifo_pool pool;
	uint64_t packets[DRB_LAYERS_MAX]; // [m]: packets in the queues of layer m
	double now;
	bool measures;
	// By layer: the integral of packets over time; the number of measured gaps between
	// departures of an uplink; the sums of these gaps and of their squares.
	double area[DRB_LAYERS_MAX], departures[DRB_LAYERS_MAX], sum[DRB_LAYERS_MAX],
		squares[DRB_LAYERS_MAX];
};

static int packet_enter(struct layers *l, uint32_t layer, uint32_t first, uint32_t dest)
{
	const uint32_t def = drb_host_digit(&l->tree, dest, layer);
	const uint32_t link =
		first + drb_choose(&l->choice, l->queue + first, def, 0, drb_rng_next(&l->rng));
	const int rc = drb_fifo_reserve(&l->pool, &l->fifo[link], l->queue[link]);

	if (rc < 0)
		return rc;
	drb_fifo_put(&l->pool, &l->fifo[link], l->queue[link], dest);
	if (l->queue[link]++ == 0) {
		l->place[link] = l->busy_links;
		l->busy[l->busy_links++] = link;
	}
	l->packets[layer]++;
	return 0;
}

// A packet arrives at a random host, for a host with another top digit.
static int arrive(struct layers *l)
{
	const uint32_t block = l->tree.pow[l->tree.layers - 1];
	const uint32_t host = drb_rng_below(&l->rng, l->tree.hosts);
	uint32_t dest = drb_rng_below(&l->rng, l->tree.hosts - block);

	if (dest >= host / block * block)
		dest += block;
	return packet_enter(l, 1, drb_tree_host_peer(&l->tree, host).label * l->tree.arity, dest);
}

static void count_departure(struct layers *l, uint32_t layer, uint32_t link)
{
	const double gap = l->now - l->departed[link];

	if (l->measures && l->departed[link] >= 0) {
		l->departures[layer]++;
		l->sum[layer] += gap;
		l->squares[layer] += gap * gap;
	}
	l->departed[link] = l->measures ? l->now : -1;
}

static int depart(struct layers *l, uint32_t link)
{
	const uint32_t layer = 1 + link / l->tree.hosts;
	const uint32_t dest = (uint32_t)drb_fifo_peek(&l->pool, &l->fifo[link], 0);

	l->fifo[link].head++;
	if (--l->queue[link] == 0) {
		const uint32_t last = l->busy[--l->busy_links];
		l->busy[l->place[link]] = last;
		l->place[last] = l->place[link];
	}
	l->packets[layer]--;
	count_departure(l, layer, link);
	return layer + 1 < l->tree.layers ? packet_enter(l, layer + 1, l->next[link], dest) : 0;
}

// The times to all possible events are exponential. The next event is therefore drawn in proportion
// to the rates.
static int event(struct layers *l)
{
	const double arrivals = l->setup->lambda * l->tree.hosts, rate = arrivals + l->busy_links;
	const double wait = -log1p(-drb_rng_unit(&l->rng)) / rate;

	l->now += wait;
	for (uint32_t m = 1; l->measures && m < l->tree.layers; m++)
		l->area[m] += (double)l->packets[m] * wait;
	if (drb_rng_unit(&l->rng) * rate < arrivals)
		return arrive(l);
	return depart(l, l->busy[drb_rng_below(&l->rng, l->busy_links)]);
}

static int measure(struct layers *l, struct drb_ctmc_layers_result *r)
{
	uint64_t looks = 0;
	int rc = 0;

	while (rc == 0 && l->now < l->setup->warm_up)
		rc = event(l);
	l->measures = true;
	const double begun = l->now;
	while (rc == 0 && l->now < begun + l->setup->time) {
		rc = event(l);
		if (l->now < begun + (double)looks)
			continue;
		for (uint32_t m = 1; m < l->tree.layers; m++)
			drb_ctmc_add_shares(l->queue + (m - 1) * l->tree.hosts, l->tree.hosts,
					    r->layer[m].s);
		looks++;
	}
	for (uint32_t m = 1; m < l->tree.layers; m++) {
		struct drb_ctmc_layer *of = &r->layer[m];
		const double mean = l->sum[m] / l->departures[m];
		for (uint32_t i = 0; i < DRB_CTMC_LEVELS; i++)
			of->s[i] /= (double)looks;
		of->mean_queue = l->area[m] / (l->now - begun) / l->tree.hosts;
		of->departures_cv2 = l->squares[m] / l->departures[m] / (mean * mean) - 1;
	}
	return rc;
}

static void wire(struct layers *l)
{
	for (uint32_t i = 0; i < l->links; i++) {
		const uint32_t layer = 1 + i / l->tree.hosts, at = i % l->tree.hosts;
		const uint32_t d = l->tree.arity;
		l->fifo[i] = drb_fifo_at_home(i);
		l->departed[i] = -1;
		if (layer + 1 < l->tree.layers)
			l->next[i] = layer * l->tree.hosts +
				     drb_tree_up_peer(&l->tree, layer, at / d, at % d).label * d;
	}
}

static int layers_allocate(struct layers *l)
{
	l->queue = calloc(l->links, sizeof(*l->queue));
	l->fifo = calloc(l->links, sizeof(*l->fifo));
	l->next = calloc(l->links, sizeof(*l->next));
	l->busy = calloc(l->links, sizeof(*l->busy));
	l->place = calloc(l->links, sizeof(*l->place));
	l->departed = calloc(l->links, sizeof(*l->departed));
	if (!l->queue || !l->fifo || !l->next || !l->busy || !l->place || !l->departed)
		return -ENOMEM;
	return drb_fifo_pool_init(&l->pool, l->links,
				  POOL_BYTES + sizeof(uint64_t) * DRB_FIFO_HOME * l->links);
}

static void layers_release(struct layers *l)
{
	drb_fifo_pool_free(&l->pool);
	free(l->departed);
	free(l->place);
	free(l->busy);
	free(l->next);
	free(l->fifo);
	free(l->queue);
}

int drb_ctmc_layers_run(const struct drb_ctmc_layers_setup *setup,
			struct drb_ctmc_layers_result *result)
{
	struct layers l = {.setup = setup, .rng = drb_rng_seed(setup->seed, 0)};
	int rc = drb_tree_init(&l.tree, setup->layers, setup->arity);

	if (rc < 0)
		return rc;
	if (!(setup->lambda > 0 && setup->lambda < 1) || !(setup->threshold >= 0) ||
	    setup->layers < 2 || setup->arity < 2 || !(setup->warm_up >= 0) || !(setup->time >= 1))
		return -EINVAL;
	if (l.tree.hosts > DRB_CTMC_LINKS_MAX / (setup->layers - 1))
		return -EOVERFLOW;
	l.links = (setup->layers - 1) * l.tree.hosts;
	l.choice = (struct drb_choice){.ops = drb_scheme_ops(DRB_SCHEME_DRB),
				       .uplinks = setup->arity,
				       .choices = 2,
				       .margin = drb_margin(setup->threshold)};
	*result = (struct drb_ctmc_layers_result){0};
	rc = layers_allocate(&l);
	if (rc == 0) {
		wire(&l);
		rc = measure(&l, result);
	}
	layers_release(&l);
	return rc;
}

double drb_ctmc_distance(const struct drb_ctmc_layer *a, const struct drb_ctmc_layer *b)
{
	double most = 0;

	for (uint32_t i = 0; i < DRB_CTMC_LEVELS; i++)
		most = fmax(most, fabs(a->s[i] - b->s[i]));
	return most;
}
