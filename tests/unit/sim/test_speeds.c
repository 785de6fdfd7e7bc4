// SPDX-License-Identifier: BSD-3-Clause
// Links whose speed depends on the layer, in transfers: times by hand, and the same times as links
// of one speed if time is stretched.
#include <errno.h>
#include <math.h>

#include "fixtures/transfers.h"

#include "sim/flows/window.h"

static struct drb_transfers_setup setup_of(uint32_t layers, uint32_t arity, struct drb_paces pace)
{
	struct drb_transfers_setup s = transfers_setup(layers, arity);

	s.scheme = DRB_SCHEME_DMODK;
	s.pace = pace;
	return s;
}

// F(3,2) with links of speed 1, 2 and 4: a packet takes 4, 2 and 1 slots on them.
TEST(by_hand)
{
	static const struct {
		uint32_t to, size;
		struct drb_paces pace;
		uint64_t slots, alone; // on one path, and over all
	} cases[] = {
		{1, 1, {{0, 4, 2, 1}}, 4 + 4, 8},
		{15, 1, {{0, 4, 2, 1}}, 2 * (4 + 2 + 1), 14},
		{15, 3, {{0, 4, 2, 1}}, 2 * (4 + 2 + 1) + 2 * 4, 22},
		{2, 10, {{0, 4, 2, 1}}, 2 * (4 + 2) + 9 * 4, 48},
		{15, 10, {{0, 1, 2, 3}}, 2 * (1 + 2 + 3) + 9 * 3, 2 * (1 + 2 + 3) + 9},
		{1, 10, {{0, 0, 2, 3}}, 2 + 9, 11},
		{15, 10, {{0, 1, 5, 1}}, 2 * (1 + 5 + 1) + 9 * 5, 2 * (1 + 5 + 1) + 23},
		{15, 10, {{0, 1, 1, 7}}, 2 * (1 + 1 + 7) + 9 * 7, 2 * (1 + 1 + 7) + 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (uint32_t idle = 0; idle < 5; idle++) {
			struct drb_transfers_setup s = setup_of(3, 2, cases[i].pace);
			const uint64_t delay = idle % 2 ? drb_distance(&s.tree, 0, cases[i].to) : 0;
			for (uint32_t m = 1; m <= 3; m++)
				s.delay.link[m] = idle % 2;
			struct drb_transfers *t = new_of(&s);
			for (uint32_t k = 0; k < idle; k++)
				assert_int_equal(drb_transfers_step(t), 0);
			add(t, 0, cases[i].to, cases[i].size);
			run_out(t);
			const struct drb_transfer *f = &t->transfer[0];
			assert_int_equal(f->finish - f->start, cases[i].slots + 2 * delay);
			assert_int_equal(cases[i].alone + 2 * delay, drb_transfer_alone(&s, f));
			drb_transfers_free(t);
		}
	}
}

// Seven hosts send to one, whose link takes four slots for a packet.
TEST(a_slow_link_to_a_host_is_shared)
{
	struct drb_transfers_setup s = setup_of(1, 4, (struct drb_paces){{0, 4}});
	struct drb_transfers *t = new_of(&s);
	uint64_t last = 0;

	for (uint32_t h = 1; h < 8; h++)
		add(t, h, 0, 50);
	run_out(t);
	for (uint32_t i = 0; i < 7; i++)
		last = t->transfer[i].finish > last ? t->transfer[i].finish : last;
	assert_int_equal(last, 4 * (7 * 50 - 1 + 2));
	drb_transfers_free(t);
}

// One uplink of four times the speed carries what four hosts send. Their packets reach it together
// and cross in random order. A host's link carries none earlier than four slots after the one
// before, so each transfer ends as late as its latest packet.
TEST(a_fast_uplink_carries_four_hosts)
{
	struct drb_transfers_setup s = setup_of(2, 4, (struct drb_paces){{0, 4, 1}});

	assert_int_equal(drb_tree_init_uplinks(&s.tree, 2, 4, 1), 0);
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < 4; h++)
		add(t, h, 4 + 4 * h, 60);
	run_out(t);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(t->transfer[i].finish, 59 * 4 + 2 * (4 + 1) + 3);
	}
	drb_transfers_free(t);
}

// Permutation and incast of all hosts: the slots in which the transfers end.
static void run_both(const struct drb_transfers_setup *s, uint64_t finish[])
{
	struct drb_transfers *t = new_of(s);
	const uint32_t hosts = s->tree.hosts;

	for (uint32_t h = 0; h < hosts; h++) {
		add(t, h, (h + hosts / 2 + 1) % hosts, 80);
		add(t, h, h ? 0 : 1, 8);
	}
	run_out(t);
	for (uint32_t i = 0; i < t->count; i++)
		finish[i] = t->transfer[i].finish;
	drb_transfers_free(t);
}

// If all links are equally slow, each event comes so many times as late, to the slot. Only a
// transfer's end does not: its source may send in the slot in which the last packet arrives.
// Sources that take reordering for loss do so, and get a scheme that keeps the order.
TEST(equally_slow_links_stretch_time)
{
	static const enum drb_scheme scheme[] = {DRB_SCHEME_ECMP, DRB_SCHEME_DRB, DRB_SCHEME_WALK,
						 DRB_SCHEME_ARS, DRB_SCHEME_DRILL};
	uint64_t one[108], slow[108];

	for (uint32_t i = 0; i < 3 * 6 * ARRAY_SIZE(scheme); i++) {
		struct drb_transfers_setup s = setup_of(3, 3, (struct drb_paces){{0}});
		const uint32_t pace = 2 + i % 3, kind = i / 3 % 6;
		s.scheme = scheme[kind == 1 || kind == 2 ? 0 : i / 18];
		s.source = kind == 0 ? DRB_SIM_OPEN : kind < 3 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY;
		s.hosts = kind == 5 ? DRB_HOSTS_REPS : DRB_HOSTS_FLOW;
		s.queue = kind == 0 ? UINT32_MAX : 12;
		s.mark = s.mark_most = 5;
		s.trim = kind > 3;
		s.timeout = 300;
		s.timer_each = kind == 2;
		for (uint32_t m = 1; m <= 3; m++)
			s.delay.link[m] = m;
		run_both(&s, one);
		// A timeout is over in the slot after this many.
		s.timeout = pace * (s.timeout + 1) - 1;
		for (uint32_t m = 1; m <= 3; m++) {
			s.delay.link[m] *= pace;
			s.pace.of[m] = pace;
		}
		run_both(&s, slow);
		for (uint32_t k = 0; k < 2 * s.tree.hosts; k++)
			assert_int_equal(slow[k], pace * one[k]);
	}
}

// The fabric of test_uec.c, in slots of a quarter of its packet time.
static struct drb_transfers_setup uec_setup(uint32_t pace)
{
	struct drb_transfers_setup s = setup_of(3, 3, (struct drb_paces){{0, pace, pace, pace}});

	s.scheme = DRB_SCHEME_ECMP;
	s.source = DRB_SIM_UEC;
	s.hosts = DRB_HOSTS_SPRAY;
	s.queue = 0;
	s.ack_hop = NAN;
	s.units = (struct drb_uec_units){.payload = 4086, .slot_ns = 166.0 / pace};
	for (uint32_t m = 1; m <= 3; m++)
		s.delay.link[m] = 6 * pace;
	return s;
}

// Rounding apart, the transport of Ultra Ethernet does the same in shorter slots.
TEST(uec_hardly_notices_the_slot)
{
	struct drb_transfers_setup one = uec_setup(1), four = uec_setup(4);
	uint64_t marked[2], finish[2] = {0};

	drb_transfers_set_defaults(&one);
	drb_transfers_set_defaults(&four);
	assert_int_equal(four.queue, one.queue);
	assert_int_equal(four.mark, one.mark);
	assert_int_equal(four.mark_most, one.mark_most);
	assert_in_range(four.timeout, 4 * one.timeout - 4, 4 * one.timeout);
	for (int i = 0; i < 2; i++) {
		struct drb_transfers *t = new_of(i ? &four : &one);
		for (uint32_t h = 0; h < one.tree.hosts; h++) {
			add(t, h, (h + one.tree.hosts / 2 + 1) % one.tree.hosts, 300);
			add(t, h, h ? 0 : 1, 20);
		}
		run_out(t);
		marked[i] = t->marked;
		for (uint32_t k = 0; k < t->count; k++)
			finish[i] += t->transfer[k].finish;
		drb_transfers_free(t);
	}
	assert_true(fabs((double)finish[1] / (double)finish[0] / 4 - 1) < 0.03);
	assert_true(marked[0] > 500);
	assert_true(fabs((double)marked[1] / (double)marked[0] - 1) < 0.1);
}

// Interfaces faster than the link wait for it.
TEST(uec_waits_for_a_slow_link)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct drb_transfers_setup s = uec_setup(4);
		s.pace = (struct drb_paces){{0, 4, 2, 1}};
		s.units.nic = i ? 400 : 0;
		struct drb_transfers *t = new_of(&s);
		add(t, 0, s.tree.hosts - 1, 60);
		run_out(t);
		const struct drb_transfer *f = &t->transfer[0];
		const uint64_t alone = drb_transfer_alone(&t->setup, f);
		const uint64_t answer = drb_transfer_answer(&t->setup, f);
		assert_int_equal(alone, 59 * 4 + 2 * (4 + 2 + 1) + 2 * 3 * 24);
		assert_in_range(f->finish - f->start, alone, alone + answer + 8);
		drb_transfers_free(t);
	}
}

TEST(other_slow_links_and_small_frames_are_refused)
{
	static const struct drb_fault fault = {.kind = DRB_FAULT_SLOW, .pace = 2};

	for (int i = 0; i < 4; i++) {
		struct drb_transfers_setup s = setup_of(3, 2, (struct drb_paces){{0, 1, 2, 1}});
		struct drb_transfers *t;
		s.slow = (struct drb_slow){.links = i == 0, .slots = 2};
		s.handshake = i == 1;
		s.ack_room = i == 2 ? 0.1 : 0;
		s.faults = (struct drb_fault_list){.fault = &fault, .count = i == 3};
		assert_int_equal(drb_transfers_new(&t, &s), -EINVAL);
	}
}

TEST_MAIN(NULL, NULL)
