// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/flow_global.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/math/random.h"

// A path, described by its uplinks. The label of a switch on it consists of uplinks and of digits
// of the host (switch_at()).
struct path {
	uint32_t k;                  // the layer at which it turns down
	uint32_t up[DRB_LAYERS_MAX]; // [m], 1 <= m < k
};

// Flows on the links between layers m and m + 1: N counters per layer and direction. Links are
// identified by the lower switch and its up-port in both directions.
struct links {
	const struct drb_tree *tree;
	uint32_t *up, *down;
};

// The switch of layer m above a host on this path. Digits of its label: (up_1, ..., up_(m-1),
// h_(m+1), ..., h_l).
static uint32_t switch_at(const struct drb_tree *t, const struct path *p, uint32_t host, uint32_t m)
{
	uint32_t label = host / t->pow[m] * t->pow[m - 1];

	for (uint32_t i = 1; i < m; i++)
		label += p->up[i] * t->pow[i - 1];
	return label;
}

static size_t link_of(const struct links *l, const struct path *p, uint32_t host, uint32_t m)
{
	const struct drb_tree *t = l->tree;

	return (size_t)(m - 1) * t->hosts + (size_t)switch_at(t, p, host, m) * t->arity + p->up[m];
}

static bool links_new(struct links *l, const struct drb_tree *t)
{
	size_t words = (size_t)(t->layers - 1) * t->hosts;

	*l = (struct links){t, calloc(words + 1, sizeof(uint32_t)),
			    calloc(words + 1, sizeof(uint32_t))};
	return l->up && l->down;
}

static void links_free(struct links *l)
{
	free(l->up);
	free(l->down);
}

static void path_add(struct links *l, const struct drb_flow *f, const struct path *p,
		     struct drb_flow_result *r)
{
	for (uint32_t m = 1; m < p->k; m++) {
		uint32_t up = ++l->up[link_of(l, p, f->src, m)];
		uint32_t down = ++l->down[link_of(l, p, f->dst, m)];
		r->max_up = up > r->max_up ? up : r->max_up;
		r->max_down = down > r->max_down ? down : r->max_down;
	}
}

// The better of two random paths

static struct path draw_path(const struct drb_tree *t, uint32_t k, struct drb_rng *rng)
{
	struct path p = {.k = k};

	for (uint32_t m = 1; m < k; m++)
		p.up[m] = drb_rng_below(rng, t->arity);
	return p;
}

static uint32_t busiest(const struct links *l, const struct drb_flow *f, const struct path *p)
{
	uint32_t most = 0;

	for (uint32_t m = 1; m < p->k; m++) {
		uint32_t up = l->up[link_of(l, p, f->src, m)],
			 down = l->down[link_of(l, p, f->dst, m)];
		most = up > most ? up : most;
		most = down > most ? down : most;
	}
	return most;
}

int drb_flow_by_path(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work,
		     struct drb_flow_result *result)
{
	const struct drb_flow *flow = drb_flow_list(work);
	const struct drb_tree *t = &setup->tree;
	struct drb_rng rng = drb_rng_seed(setup->seed, 2 * (uint64_t)run + 1);
	struct links links;

	*result = (struct drb_flow_result){.max_up = setup->flows, .max_down = setup->flows};
	if (!links_new(&links, t)) {
		links_free(&links);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < (uint64_t)setup->flows * t->hosts; i++) {
		uint32_t k = drb_distance(t, flow[i].src, flow[i].dst);
		struct path a = draw_path(t, k, &rng), b = draw_path(t, k, &rng);
		bool first = busiest(&links, &flow[i], &a) <= busiest(&links, &flow[i], &b);
		path_add(&links, &flow[i], first ? &a : &b, result);
	}
	links_free(&links);
	return 0;
}

// Optimal paths

#define NONE UINT32_MAX

// A colouring of the edges between two sets of vertices: edges at one vertex have different
// colours.
struct colouring {
	uint32_t colours;
	uint32_t (*end)[2]; // [edge]: its vertex in each set
	uint32_t *colour;   // [edge]
	uint32_t *at[2];    // [set][vertex * colours + colour]: the edge, or NONE
	uint32_t *path;     // space for an edge per vertex, and one
};

static uint32_t *slot(struct colouring *x, int side, uint32_t edge, uint32_t colour)
{
	return &x->at[side][(size_t)x->end[edge][side] * x->colours + colour];
}

static uint32_t free_colour(struct colouring *x, int side, uint32_t edge)
{
	const uint32_t *at = slot(x, side, edge, 0);
	uint32_t colour = 0;

	while (at[colour] != NONE)
		colour++;
	return colour;
}

static void paint(struct colouring *x, uint32_t edge, uint32_t colour)
{
	x->colour[edge] = colour;
	*slot(x, 0, edge, colour) = edge;
	*slot(x, 1, edge, colour) = edge;
}

// Colour a is free at one end of the edge, colour b at the other. The edges from there with colours
// a, b, a, ... are a path that does not reach the first end. These edges swap their colours, so
// that a is free at both ends.
static void colour_edge(struct colouring *x, uint32_t edge)
{
	uint32_t a = free_colour(x, 0, edge), b = free_colour(x, 1, edge), length = 0;
	int side = 1;

	for (uint32_t e = edge, c = a; (e = *slot(x, side, e, c)) != NONE; c = a + b - c) {
		x->path[length++] = e;
		side = 1 - side;
	}
	for (uint32_t i = 0; i < length; i++) {
		uint32_t e = x->path[i];
		*slot(x, 0, e, x->colour[e]) = NONE;
		*slot(x, 1, e, x->colour[e]) = NONE;
	}
	for (uint32_t i = 0; i < length; i++)
		paint(x, x->path[i], a + b - x->colour[x->path[i]]);
	paint(x, edge, a);
}

static void colour_layer(struct colouring *x, const struct drb_flow_setup *setup, uint32_t m,
			 const struct drb_flow flow[], struct path path[])
{
	const struct drb_tree *t = &setup->tree;
	uint64_t flows = (uint64_t)setup->flows * t->hosts;
	size_t slots = (size_t)t->hosts / t->arity * x->colours;

	for (size_t i = 0; i < slots; i++)
		x->at[0][i] = x->at[1][i] = NONE;
	for (uint32_t i = 0; i < flows; i++) {
		if (path[i].k <= m)
			continue;
		x->end[i][0] = switch_at(t, &path[i], flow[i].src, m);
		x->end[i][1] = switch_at(t, &path[i], flow[i].dst, m);
		colour_edge(x, i);
	}
	for (uint32_t i = 0; i < flows; i++) {
		if (path[i].k > m)
			path[i].up[m] = x->colour[i] / setup->flows;
	}
}

static int colour_all(struct colouring *x, const struct drb_flow_setup *setup,
		      const struct drb_flow flow[], struct path path[], struct drb_flow_result *r)
{
	const struct drb_tree *t = &setup->tree;
	struct links links;
	int rc = links_new(&links, t) ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < (uint64_t)setup->flows * t->hosts; i++)
		path[i].k = drb_distance(t, flow[i].src, flow[i].dst);
	for (uint32_t m = 1; rc == 0 && m < t->layers; m++)
		colour_layer(x, setup, m, flow, path);
	for (uint64_t i = 0; rc == 0 && i < (uint64_t)setup->flows * t->hosts; i++)
		path_add(&links, &flow[i], &path[i], r);
	links_free(&links);
	return rc;
}

int drb_flow_optimal(const struct drb_flow_setup *setup, struct drb_flow_work *work,
		     struct drb_flow_result *result)
{
	const struct drb_tree *t = &setup->tree;
	size_t flows = (size_t)setup->flows * t->hosts, vertices = t->hosts / t->arity;
	uint32_t colours = setup->flows * t->arity;
	struct colouring x = {
		.colours = colours,
		.end = calloc(flows, sizeof(*x.end)),
		.colour = calloc(flows, sizeof(uint32_t)),
		.at = {calloc(vertices, colours * sizeof(uint32_t)),
		       calloc(vertices, colours * sizeof(uint32_t))},
		.path = calloc(2 * vertices + 1, sizeof(uint32_t)),
	};
	struct path *path = calloc(flows, sizeof(*path));
	int rc = -ENOMEM;

	*result = (struct drb_flow_result){.max_up = setup->flows, .max_down = setup->flows};
	if (x.end && x.colour && x.at[0] && x.at[1] && x.path && path)
		rc = colour_all(&x, setup, drb_flow_list(work), path, result);
	free(x.end);
	free(x.colour);
	free(x.at[0]);
	free(x.at[1]);
	free(x.path);
	free(path);
	return rc;
}
