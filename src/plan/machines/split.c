// SPDX-License-Identifier: BSD-3-Clause
// Every core switch has one link to every pod. A machine with P of all 2d pods and C core switches
// therefore has C (2d - P) links down to pods of other machines. The number of such links is
// smallest where the sum of C P over all machines is largest.
#include "plan/machines/split.h"

#include <errno.h>
#include <stdlib.h>

// A machine's exact share of pods or core switches. It gets this number rounded down or up.
struct quota {
	uint32_t whole; // the share rounded down
	bool more;      // the share is not a whole number, so it may be rounded up
};

struct rounding {
	uint32_t machines;
	struct quota pods[MACHINES_MAX], cores[MACHINES_MAX];
	// The pods and core switches left after rounding down; a machine gets at most one of each.
	uint32_t more_pods, more_cores;
	// best[machine][pods][cores]: the largest sum of C P over this machine and those after it,
	// if these numbers of further pods and core switches are distributed among them. Negative:
	// impossible.
	int64_t *best;
};

// Rounds every share down. Returns the number that is left.
static uint32_t round_down(const struct machines *m, uint32_t total, struct quota quota[])
{
	uint64_t shares = 0;
	uint32_t left = total;

	for (uint32_t i = 0; i < m->count; i++)
		shares += m->machine[i].share;
	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t part = (uint64_t)total * m->machine[i].share;
		quota[i] = (struct quota){(uint32_t)(part / shares), part % shares != 0};
		left -= quota[i].whole;
	}
	return left;
}

static int64_t *best_of(const struct rounding *r, uint32_t machine, uint32_t pods, uint32_t cores)
{
	return &r->best[((size_t)machine * (r->more_pods + 1) + pods) * (r->more_cores + 1) +
			cores];
}

// The best sum from this machine on if it gets `given` of the pods and core switches that are
// `left`; negative: impossible.
static int64_t if_given(const struct rounding *r, uint32_t machine, const uint32_t left[2],
			const uint32_t given[2])
{
	const struct quota *pods = &r->pods[machine], *cores = &r->cores[machine];

	if (given[0] > left[0] || given[1] > left[1] || (given[0] && !pods->more) ||
	    (given[1] && !cores->more))
		return -1;
	if (pods->whole + cores->whole + given[0] + given[1] == 0)
		return -1; // no machine may be empty
	int64_t rest = *best_of(r, machine + 1, left[0] - given[0], left[1] - given[1]);
	return rest < 0 ? -1
			: rest + (int64_t)(pods->whole + given[0]) *
					  (int64_t)(cores->whole + given[1]);
}

// Chooses what a machine gets in addition, and returns the best sum. If two choices are equal, it
// takes the larger one.
static int64_t extra_choose(const struct rounding *r, uint32_t machine, const uint32_t left[2],
			    uint32_t given[2])
{
	static const uint32_t ways[][2] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};
	int64_t best = -1;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int64_t sum = if_given(r, machine, left, ways[i]);
		if (sum <= best)
			continue;
		best = sum;
		given[0] = ways[i][0];
		given[1] = ways[i][1];
	}
	return best;
}

static void best_fill(const struct rounding *r)
{
	uint32_t given[2];

	for (uint32_t machine = r->machines + 1; machine-- > 0;) {
		for (uint32_t p = 0; p <= r->more_pods; p++) {
			for (uint32_t c = 0; c <= r->more_cores; c++) {
				const uint32_t left[2] = {p, c};
				bool none = p == 0 && c == 0;
				*best_of(r, machine, p, c) =
					machine == r->machines
						? (none ? 0 : -1)
						: extra_choose(r, machine, left, given);
			}
		}
	}
}

static void give(const struct rounding *r, struct machines *m)
{
	uint32_t left[2] = {r->more_pods, r->more_cores}, given[2] = {0, 0}, pod = 0, core = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		struct machine *machine = &m->machine[i];
		extra_choose(r, i, left, given);
		machine->first_pod = pod;
		machine->pods = r->pods[i].whole + given[0];
		machine->first_core = core;
		machine->cores = r->cores[i].whole + given[1];
		pod += machine->pods;
		core += machine->cores;
		left[0] -= given[0];
		left[1] -= given[1];
	}
}

int machines_split(const struct drb_tree *t, struct machines *m, uint32_t *index)
{
	struct rounding r = {.machines = m->count};

	if (t->layers < 2)
		return -ENOTSUP;
	r.more_pods = round_down(m, 2 * t->arity, r.pods);
	r.more_cores = round_down(m, drb_tree_switches(t, t->layers), r.cores);
	r.best = malloc(((size_t)m->count + 1) * (r.more_pods + 1) * (r.more_cores + 1) *
			sizeof(*r.best));
	if (!r.best)
		return -ENOMEM;
	best_fill(&r);
	bool there_is_one = *best_of(&r, 0, r.more_pods, r.more_cores) >= 0;
	if (there_is_one)
		give(&r, m);
	free(r.best);
	if (there_is_one)
		return 0;
	*index = 0;
	for (uint32_t i = 1; i < m->count; i++) {
		if (m->machine[i].share <= m->machine[*index].share)
			*index = i;
	}
	return -EDOM;
}

// The pod of a node below the core, which is its top digit: h_l of its hosts.
static uint32_t pod_of(const struct drb_tree *t, uint32_t layer, uint32_t label)
{
	return layer == 0 ? drb_host_digit(t, label, t->layers)
			  : drb_switch_digit(t, layer, label, t->layers - 1);
}

uint32_t machines_of(const struct drb_tree *t, const struct machines *m, uint32_t layer,
		     uint32_t label)
{
	uint32_t i = 0;

	// Successive core switches differ in their lower digits, so each machine has some of every
	// group.
	if (layer == t->layers) {
		while (label - m->machine[i].first_core >= m->machine[i].cores)
			i++;
		return i;
	}
	uint32_t pod = pod_of(t, layer, label);
	while (pod - m->machine[i].first_pod >= m->machine[i].pods)
		i++;
	return i;
}

bool machines_crosses(const struct drb_tree *t, const struct machines *m,
		      const struct topo_link *link)
{
	// Pods are never split, so only links to the core can cross.
	return link->upper.layer == t->layers &&
	       machines_of(t, m, link->lower.layer, link->lower.label) !=
		       machines_of(t, m, link->upper.layer, link->upper.label);
}

uint64_t machines_links_between(const struct machine *a, const struct machine *b)
{
	return (uint64_t)a->cores * b->pods + (uint64_t)b->cores * a->pods;
}

uint64_t machines_links_total(const struct machines *m)
{
	uint64_t links = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		for (uint32_t j = 0; j < i; j++)
			links += machines_links_between(&m->machine[i], &m->machine[j]);
	}
	return links;
}
