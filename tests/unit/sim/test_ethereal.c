// SPDX-License-Identifier: BSD-3-Clause
// Split flows. Every link carries as much as if each transfer were spread evenly over all paths.
// Transfers are split into as few parts as this requires. Packets take the paths of their parts.
#include "fixtures/transfers.h"

#include "core/fabric/next_hop.h"
#include "sim/flows/ethereal.h"
#include "sim/flows/job.h"
#include "sim/flows/list_run.h"

// Packets by layer of the switch, label and port; up-ports first.
struct loads {
	const struct drb_tree *tree;
	uint64_t *of[DRB_LAYERS_MAX + 1];
};

static struct loads no_loads(const struct drb_tree *t)
{
	struct loads l = {.tree = t};

	for (uint32_t m = 1; m <= t->layers; m++) {
		size_t ports = drb_tree_up_ports(t, m) + 2 * t->arity;
		l.of[m] = calloc(drb_tree_switches(t, m) * ports, sizeof(uint64_t));
		assert_non_null(l.of[m]);
	}
	return l;
}

static void free_loads(struct loads *l)
{
	for (uint32_t m = 1; m <= l->tree->layers; m++)
		free(l->of[m]);
}

static void count(struct loads *l, struct drb_end at, uint32_t port, uint32_t packets)
{
	const size_t ports = drb_tree_up_ports(l->tree, at.layer) + 2 * l->tree->arity;

	l->of[at.layer][at.label * ports + port] += packets;
}

// Goes up by the digits of the path, then down.
static void walk(struct loads *l, const struct drb_listed *t, uint32_t way)
{
	const struct drb_tree *tree = l->tree;
	struct drb_end at = drb_tree_host_peer(tree, t->source);

	while (at.layer > 0) {
		const struct drb_hop hop = drb_hop_at(tree, at.layer, at.label);
		uint32_t up = drb_tree_up_ports(tree, at.layer);
		if (drb_hop_below(&hop, t->dest)) {
			uint32_t down = drb_hop_digit(&hop, t->dest);
			count(l, at, up + down, t->size);
			at = drb_tree_down_peer(tree, at.layer, at.label, down);
		} else {
			count(l, at, way % up, t->size);
			at = drb_tree_up_peer(tree, at.layer, at.label, way % up);
			way /= up;
		}
	}
	assert_int_equal(at.label, t->dest);
}

// Walks each transfer over all paths, each with an equal share of the packets.
static void walk_all(struct loads *l, const struct drb_listed *transfer)
{
	struct drb_listed t = *transfer;
	uint32_t ways = 1;

	for (uint32_t m = 1; m < drb_distance(l->tree, t.source, t.dest); m++)
		ways *= drb_tree_up_ports(l->tree, m);
	assert_int_equal(t.size % ways, 0);
	t.size /= ways;
	for (uint32_t way = 0; way < ways; way++)
		walk(l, &t, way);
}

static void check_loads(const struct drb_tree *t, const struct drb_list *whole,
			const struct drb_ways *split)
{
	struct loads all = no_loads(t), some = no_loads(t);

	for (uint32_t i = 0; i < whole->count; i++)
		walk_all(&all, &whole->transfer[i]);
	for (uint32_t i = 0; i < whole->count; i++) {
		struct drb_listed part = whole->transfer[i];
		uint32_t packets[64] = {0};
		for (uint32_t packet = 0; packet < whole->transfer[i].size; packet++)
			packets[drb_way_of(split, i, packet)]++;
		for (uint32_t way = 0; way < ARRAY_SIZE(packets); way++) {
			part.size = packets[way];
			if (part.size)
				walk(&some, &part, way);
		}
	}
	for (uint32_t m = 1; m <= t->layers; m++) {
		size_t ports = drb_tree_up_ports(t, m) + 2 * t->arity;
		assert_memory_equal(all.of[m], some.of[m],
				    drb_tree_switches(t, m) * ports * sizeof(uint64_t));
	}
	free_loads(&all);
	free_loads(&some);
}

// Layers, arity, uplinks of layer 1.
static const uint32_t trees[][3] = {{2, 4, 4}, {3, 2, 2}, {4, 2, 2},
				    {3, 4, 2}, {2, 6, 4}, {3, 3, 3}};

TEST(links_carry_what_spraying_puts_on_them)
{
	static const char *const jobs[] = {"all-reduce-ring", "all-reduce-halving", "all-to-all",
					   "incast", "pipeline:3"};

	for (uint32_t i = 0; i < ARRAY_SIZE(trees) * ARRAY_SIZE(jobs); i++) {
		const uint32_t *of = trees[i / ARRAY_SIZE(jobs)];
		struct drb_job_setup s = {.shuffled = i % 2};
		struct drb_list whole = {0};
		struct drb_ways split;
		assert_int_equal(drb_tree_init_uplinks(&s.transfers.tree, of[0], of[1], of[2]), 0);
		assert_int_equal(drb_job_parse(jobs[i % ARRAY_SIZE(jobs)], &s.job), 0);
		if (drb_job_fits(&s.job, s.transfers.tree.hosts) < 0)
			continue;
		s.job.data = 144 * 3 * s.transfers.tree.hosts;
		assert_int_equal(drb_job_list(&s, &whole), 0);
		assert_int_equal(drb_ethereal_split(&s.transfers.tree, &whole, &split), 0);
		check_loads(&s.transfers.tree, &whole, &split);
		// In all-to-all a host sends to all hosts of a rack or a pod. If all layers have
		// the same number of uplinks, nothing is split.
		if (s.job.kind == DRB_JOB_ALL_TO_ALL && of[1] == of[2])
			assert_int_equal(split.of[whole.count].first, whole.count);
		drb_list_free(&whole);
		drb_ways_free(&split);
	}
}

// A host has n transfers to one rack: n mod u of them are split into u / gcd(n mod u, u) parts.
TEST(no_more_is_split_than_must_be)
{
	for (uint32_t n = 1; n <= 12; n++) {
		static const uint32_t parts[] = {6, 6, 6, 12, 30, 6}; // of n mod 6 = 1 ... 5, 0
		struct drb_list whole = {0};
		struct drb_ways split;
		struct drb_tree tree;
		assert_int_equal(drb_tree_init_uplinks(&tree, 2, 12, 6), 0);
		for (uint32_t i = 0; i < n; i++) {
			const struct drb_listed t = {.source = 5,
						     .dest = 24 + i,
						     .size = 60,
						     .after_sent = DRB_LIST_NONE,
						     .after_arrived = DRB_LIST_NONE};
			assert_int_equal(drb_list_add(&whole, &t), 0);
		}
		assert_int_equal(drb_ethereal_split(&tree, &whole, &split), 0);
		check_loads(&tree, &whole, &split);
		uint32_t left = n % 6, whole_ones = n - left;
		assert_int_equal(split.of[n].first, whole_ones + (left ? parts[left - 1] : 0));
		drb_list_free(&whole);
		drb_ways_free(&split);
	}
}

// Each host of a fabric sends a few packets to another pod, fewer than a switch has uplinks. Each
// uplink of layer 2 carries at most one packet more or less than the mean.
TEST(short_transfers_are_spread)
{
	for (uint32_t packets = 1; packets <= 12; packets++) {
		struct drb_list whole = {0};
		struct drb_ways split;
		struct drb_tree tree;
		assert_int_equal(drb_tree_init(&tree, 3, 4), 0);
		for (uint32_t h = 0; h < tree.hosts; h++) {
			const struct drb_listed t = {.source = h,
						     .dest = (h + tree.hosts / 2) % tree.hosts,
						     .size = packets,
						     .after_sent = DRB_LIST_NONE,
						     .after_arrived = DRB_LIST_NONE};
			assert_int_equal(drb_list_add(&whole, &t), 0);
		}
		assert_int_equal(drb_ethereal_split(&tree, &whole, &split), 0);
		struct loads some = no_loads(&tree);
		for (uint32_t i = 0; i < whole.count; i++) {
			struct drb_listed one = whole.transfer[i];
			one.size = 1;
			for (uint32_t n = 0; n < packets; n++)
				walk(&some, &one, drb_way_of(&split, i, n));
		}
		for (uint32_t i = 0; i < drb_tree_switches(&tree, 2) * 12; i++)
			if (i % 12 < 4)
				assert_in_range(some.of[2][i], packets - 1, packets + 1);
		free_loads(&some);
		drb_list_free(&whole);
		drb_ways_free(&split);
	}
}

// A host has six transfers to another rack, and its switch has six uplinks. If the host knows all
// transfers at once, each keeps its path. Otherwise the host splits each over all paths.
TEST(what_hosts_know_at_once_is_dealt_together)
{
	enum {
		AT_ONCE,
		ONE_AFTER_ANOTHER,
		IN_OTHER_SLOTS,
		AFTER_ARRIVALS,
		AFTER_EVENTS,
		AFTER_OTHERS,
		KINDS
	};

	for (int kind = 0; kind < KINDS; kind++) {
		struct drb_list whole = {0};
		struct drb_ways split;
		struct drb_tree tree;
		assert_int_equal(drb_tree_init_uplinks(&tree, 2, 12, 6), 0);
		// Transfer 0 is another host's.
		for (uint32_t i = 0; i < 7; i++) {
			const uint32_t before = i > 1 ? i - 1 : DRB_LIST_NONE;
			struct drb_listed t = {.slot = kind == IN_OTHER_SLOTS ? i : 7,
					       .source = i ? 5 : 17,
					       .dest = 24 + i,
					       .size = 60,
					       .after_sent = DRB_LIST_NONE,
					       .after_arrived = DRB_LIST_NONE};
			if (kind == ONE_AFTER_ANOTHER)
				t.after_sent = before;
			else if (kind == AFTER_OTHERS && i)
				t.after_sent = 0;
			else if (kind == AFTER_ARRIVALS)
				t.after_arrived = before;
			assert_int_equal(drb_list_add(&whole, &t), 0);
			const struct drb_list_wait wait = {i, before, DRB_LIST_ARRIVED};
			if (kind == AFTER_EVENTS && i > 1)
				assert_int_equal(drb_list_add_wait(&whole, wait), 0);
		}
		assert_int_equal(drb_ethereal_split(&tree, &whole, &split), 0);
		assert_int_equal(split.of[7].first - split.of[1].first,
				 kind > ONE_AFTER_ANOTHER ? 36 : 6);
		drb_list_free(&whole);
		drb_ways_free(&split);
	}
}

// Four hosts of a rack send to four hosts of another rack: first each by its own path, then all by
// the same path.
TEST(packets_take_their_way)
{
	for (uint32_t same = 0; same < 2; same++) {
		struct drb_transfers_setup s = transfers_setup(2, 4);
		s.scheme = DRB_SCHEME_ECMP;
		struct drb_split of[5] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
		struct drb_split_part part[4];
		const struct drb_ways ways = {of, part};
		for (uint32_t h = 0; h < 4; h++)
			part[h] = (struct drb_split_part){50, same ? 2 : h};
		s.hosts = DRB_HOSTS_ETHEREAL;
		s.ways = &ways;
		struct drb_transfers *t = new_of(&s);
		for (uint32_t h = 0; h < 4; h++) {
			struct drb_transfer one = {
				.source = h, .dest = 8 + h, .size = 50, .place = h};
			assert_true(drb_transfers_add(t, &one) >= 0);
		}
		assert_int_equal(run_out(t), same ? 4 * 50 + 3 : 50 + 3);
		drb_transfers_free(t);
	}
}

// A step waits for all parts of the transfers that it depends on. Without queueing, the steps of a
// split job follow each other at once.
TEST(jobs_end_when_all_parts_have_come)
{
	struct drb_job_setup s = {.transfers = transfers_setup(2, 4), .longest = 100000};
	struct drb_job_result whole, split;

	s.transfers.scheme = DRB_SCHEME_ECMP;
	assert_int_equal(drb_job_parse("all-reduce-ring", &s.job), 0);
	s.job.data = 32 * 40;
	for (uint32_t source = 0; source < 3; source++) {
		s.transfers.source = (enum drb_sim_source)source;
		s.transfers.mark = 20;
		s.transfers.timeout = 1000;
		s.transfers.hosts = DRB_HOSTS_FLOW;
		assert_int_equal(drb_job_run(&s, &whole), 0);
		s.transfers.hosts = DRB_HOSTS_ETHEREAL;
		assert_int_equal(drb_job_run(&s, &split), 0);
		assert_int_equal(split.packets, whole.packets);
		assert_int_equal(split.alone, whole.alone);
		assert_true(split.makespan >= split.alone);
		// With ranks by label, the hosts of a rack send one flow out of it, which never
		// waits.
		assert_true(split.makespan <= split.alone + 62 * 3);
	}
}

TEST_MAIN(NULL, NULL)
