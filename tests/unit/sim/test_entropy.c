// SPDX-License-Identifier: BSD-3-Clause
// Entropies of packets of a transfer: REPS against a simple second model, uniform distribution
// without congestion, and losses on gray links.
#include "fixtures/transfers.h"

#include "fixtures/chi2.h"
#include "sim/flows/entropy.h"
#include "sim/flows/window.h"

// All entropies that were heard, in order; the cache has the last ones.
struct naive {
	uint16_t entropy[400];
	bool used[400];
	uint32_t heard, explores, turns;
	bool frozen;
	uint64_t thaws;
};

static uint16_t naive_next(struct naive *n, struct drb_rng *rng)
{
	uint64_t first = n->heard > DRB_REPS_CACHE ? n->heard - DRB_REPS_CACHE : 0;

	if (n->explores == 0 && n->frozen && n->heard > 0) {
		const uint64_t place = n->turns++ % (n->heard - first);
		while (first % DRB_REPS_CACHE != place)
			first++;
		n->used[first] = true;
		return n->entropy[first];
	}
	for (; n->explores == 0 && !n->frozen && first < n->heard; first++) {
		if (!n->used[first]) {
			n->used[first] = true;
			return n->entropy[first];
		}
	}
	n->explores -= n->explores > 0;
	return (uint16_t)(drb_rng_next(rng) >> 48);
}

static void naive_hear(struct naive *n, uint16_t entropy, uint64_t slot, uint32_t bdp)
{
	if (n->frozen && slot > n->thaws)
		*n = (struct naive){.explores = bdp};
	n->entropy[n->heard] = entropy;
	n->used[n->heard++] = false;
}

static void naive_lose(struct naive *n, uint64_t thaws)
{
	if (n->frozen || n->explores > 0)
		return;
	n->frozen = true;
	n->thaws = thaws;
}

TEST(reps_agrees_with_a_plain_one)
{
	struct drb_rng rng = drb_rng_seed(3, 0), draws = drb_rng_seed(4, 0), same = draws;
	uint32_t used_again = 0, frozen = 0;

	for (int run = 0; run < 300; run++) {
		struct drb_reps r = {0};
		struct naive n = {0};
		for (uint64_t slot = 0; slot < 400; slot++) {
			uint32_t event = drb_rng_below(&rng, run % 3 ? 64 : 3 * 64);
			uint16_t before = (uint16_t)slot;
			if (event < 1) {
				drb_reps_lose(&r, slot + 30);
				naive_lose(&n, slot + 30);
			} else if (event < 30) {
				drb_reps_hear(&r, before, slot, 5);
				naive_hear(&n, before, slot, 5);
			} else {
				uint16_t next = drb_reps_next(&r, &draws, 65536);
				assert_int_equal(next, naive_next(&n, &same));
				used_again += next < slot;
			}
			frozen += n.frozen;
			assert_int_equal(r.frozen, n.frozen);
		}
	}
	assert_true(used_again > 1000 && frozen > 1000);
}

static struct drb_transfers_setup setup_of(uint32_t layers, uint32_t arity,
					   enum drb_sim_hosts hosts)
{
	struct drb_transfers_setup s = transfers_setup(layers, arity);

	s.scheme = DRB_SCHEME_ECMP;
	s.source = DRB_SIM_SPRAY;
	s.hosts = hosts;
	s.mark = 20;
	s.timeout = 60;
	return s;
}

#define CELLS 64

// Counts the entropies of packet `sequence` over all transfers, from their first flights.
static void count_entropies(const struct drb_transfers_setup *s, uint32_t transfers,
			    uint32_t sequence, uint64_t seen[CELLS])
{
	struct drb_transfers *t = new_of(s);
	const uint32_t hosts = s->tree.hosts, apart = hosts / transfers;
	bool *taken = calloc(transfers, sizeof(*taken));

	for (uint32_t h = 0; h < transfers; h++)
		add(t, h * apart, (h + 1) % transfers * apart, 201);
	while (t->over < t->count) {
		assert_int_equal(drb_transfers_step(t), 0);
		for (uint32_t p = 0; p < t->flying.room; p++) {
			const struct drb_flying *f = &t->flying.packet[p];
			if (f->transfer == DRB_FLYING_NONE || f->sequence != sequence ||
			    taken[f->transfer])
				continue;
			taken[f->transfer] = true;
			seen[f->entropy / (65536 / CELLS)]++;
		}
	}
	free(taken);
	drb_transfers_free(t);
}

// Many transfers at the same time: packets hardly ever wait.
TEST(entropies_are_uniform_without_congestion)
{
	static const uint32_t sequences[] = {0, 30, 200};
	static const struct {
		uint32_t layers, arity, transfers, rounds;
	} cases[] = {{1, 8, 16, 60}, {3, 8, 256, 4}, {3, 24, 1024, 1}};

	for (size_t i = 0; i < 6 * ARRAY_SIZE(cases); i++) {
		const uint32_t transfers = cases[i / 6].transfers;
		struct drb_transfers_setup s = setup_of(cases[i / 6].layers, cases[i / 6].arity,
							i % 2 ? DRB_HOSTS_REPS : DRB_HOSTS_SPRAY);
		uint64_t seen[CELLS] = {0};
		for (uint32_t round = 0; round < cases[i / 6].rounds; round++) {
			s.seed++;
			count_entropies(&s, transfers, sequences[i % 6 / 2], seen);
		}
		assert_uniform(seen, CELLS);
	}
}

// Counts losses by slot, over transfers between 128 pairs of hosts that are as far apart as
// possible.
static void count_lost(uint32_t arity, enum drb_sim_hosts rule, const struct drb_gray *gray,
		       uint64_t lost[], uint32_t slots)
{
	struct drb_transfers_setup s = setup_of(3, arity, rule);
	const uint32_t hosts = s.tree.hosts;

	s.faults.gray = *gray;
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < hosts; h += hosts / 128)
		add(t, h, (h + hosts / 2) % hosts, 100000);
	for (uint32_t slot = 0; slot < slots; slot++) {
		uint64_t before = t->dropped;
		assert_int_equal(drb_transfers_step(t), 0);
		lost[slot] = t->dropped - before;
	}
	drb_transfers_free(t);
}

static uint64_t sum(const uint64_t lost[], uint32_t from, uint32_t to)
{
	uint64_t all = 0;

	for (uint32_t slot = from; slot < to; slot++)
		all += lost[slot];
	return all;
}

// From slot `from` on some links lose all packets. REPS finds usable paths within five round trips
// of 12 slots, before the first timeout reports a loss. Later it loses packets only when it
// explores, once per timeout. Packet spraying continues to lose packets.
static void leaves_gray_links(uint32_t arity, uint32_t from, uint32_t slots)
{
	const struct drb_gray gray = {arity * arity * arity / 16, from}; // 1 of 64
	static uint64_t reps[4000], spray[4000];

	count_lost(arity, DRB_HOSTS_REPS, &gray, reps, slots);
	count_lost(arity, DRB_HOSTS_SPRAY, &gray, spray, slots);
	printf("# F(3,%u), lost: REPS %lu, at random %lu; in 20 slots after five round trips %lu "
	       "and %lu\n",
	       arity, sum(reps, 0, slots), sum(spray, 0, slots), sum(reps, from + 60, from + 80),
	       sum(spray, from + 60, from + 80));
	assert_int_equal(sum(reps, 0, from) + sum(spray, 0, from), 0);
	assert_true(sum(reps, from, from + 20) > 50 && sum(spray, from, from + 20) > 50);
	assert_true(sum(reps, from + 60, from + 80) * 20 < sum(reps, from, from + 20));
	assert_true(sum(spray, from + 60, from + 80) * 2 > sum(spray, from, from + 20));
	assert_true(sum(reps, from + 120, slots) * 3 < sum(spray, from + 120, slots));
}

TEST(reps_leaves_gray_links)
{
	leaves_gray_links(4, 1000, 4000);
	leaves_gray_links(8, 1000, 4000);
	leaves_gray_links(24, 200, 600); // a slot takes as long as many slots of a small fabric
}

// Only trimmed packets are lost, and each is sent again once. There is no timeout, so REPS never
// freezes.
TEST(trimmed_packets_are_sent_again_at_once)
{
	uint64_t end[2];

	for (int trims = 0; trims < 2; trims++) {
		struct drb_transfers_setup s = setup_of(3, 4, DRB_HOSTS_REPS);
		s.queue = 5;
		s.mark = 3;
		s.timeout = 500;
		s.trim = trims;
		struct drb_transfers *t = new_of(&s);
		for (uint32_t h = 0; h < 128; h++)
			add(t, h, (h + 64) % 128, 300);
		while (t->over < t->count) {
			assert_int_equal(drb_transfers_step(t), 0);
			for (uint32_t i = 0; trims && i < t->count; i++)
				assert_false(t->transfer[i].window &&
					     t->transfer[i].window->reps.frozen);
		}
		assert_true(t->dropped > 100);
		if (trims)
			assert_int_equal(t->resent, t->dropped);
		end[trims] = drb_transfers_slot(t);
		drb_transfers_free(t);
	}
	printf("# dropped: over in slot %lu; trimmed: in %lu\n", end[0], end[1]);
	assert_true(end[1] < end[0]);
}

TEST_MAIN(NULL, NULL)
