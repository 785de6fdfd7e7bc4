// SPDX-License-Identifier: BSD-3-Clause
// Sources with windows, ECN and losses, against a simple second model of many senders at one
// switch; and the effect of reordering.
#include "fixtures/window_model.h"

#include "sim/flows/transfers.h"

#define HOSTS 8
#define SLOTS_MAX 10000

struct naive {
	struct drb_transfers_setup setup;
	struct drb_rng rng;
	struct naive_source source[HOSTS]; // [0] receives
	// Packets by the slot in which they arrive at the switch or at host 0.
	struct naive_packet wire[SLOTS_MAX][HOSTS], last[SLOTS_MAX];
	uint32_t wires[SLOTS_MAX], lasts[SLOTS_MAX];
	struct naive_packet queue[SLOTS_MAX], ack[SLOTS_MAX];
	uint32_t head, tail, acks;
	uint64_t dropped, resent, lost; // lost: SYNs
};

static void naive_send(struct naive *n, uint32_t host, uint64_t slot)
{
	struct naive_source *s = &n->source[host];
	uint32_t sequence = naive_next(&n->setup, s, slot);
	uint64_t there = slot + 1 + n->setup.delay.link[1];

	if (sequence == SIZE_MAX_)
		return;
	n->resent += naive_sends(s, sequence, slot);
	n->wire[there][n->wires[there]++] =
		(struct naive_packet){host, sequence, s->sent, 0, false, false};
}

// If the packet is trimmed, its header crosses the one remaining link, and the receiver reports it.
static void naive_drop(struct naive *n, struct naive_packet p, uint64_t slot)
{
	double hop = n->setup.ack_hop;

	n->dropped++;
	if (!n->setup.trim || n->source[p.host].finish)
		return;
	p.trimmed = true;
	p.due = slot + (uint64_t)fmax(1, round(hop)) + (uint64_t)round(2 * hop) +
		3 * n->setup.delay.link[1];
	n->ack[n->acks++] = p;
}

// Packets that have arrived join the queue to host 0 in random order; the head of the queue, if
// any, is sent.
static bool naive_switch(struct naive *n, uint64_t slot)
{
	const uint64_t there = slot + 1 + n->setup.delay.link[1];

	naive_shuffle(&n->rng, n->wire[slot], n->wires[slot]);
	for (uint32_t i = 0; i < n->wires[slot]; i++) {
		struct naive_packet *p = &n->wire[slot][i];
		uint32_t len = n->tail - n->head;
		p->marked = len >= n->setup.mark;
		if (len < n->setup.queue)
			n->queue[n->tail++] = *p;
		else
			naive_drop(n, *p, slot);
	}
	if (n->head == n->tail)
		return false;
	n->last[there] = n->queue[n->head++];
	n->lasts[there] = 1;
	return true;
}

static void naive_reach(struct naive *n, uint64_t slot)
{
	struct naive_packet p = n->last[slot];

	if (!n->lasts[slot] || n->source[p.host].finish)
		return;
	p.due = slot + (uint64_t)llround(2 * n->setup.ack_hop) + 2 * n->setup.delay.link[1];
	n->ack[n->acks++] = p;
	naive_receive(&n->source[p.host], p.sequence, slot);
}

// A SYN that arrives at the switch within this slot waits for the packet that leaves in it, if any,
// and for those behind. Host 0 and the links back are idle, so the SYN and its reply need three
// more links.
static void naive_shake(struct naive *n, struct naive_source *s, uint64_t slot, bool busy)
{
	double hop = n->setup.ack_hop + n->setup.delay.link[1];
	uint32_t behind = n->tail - n->head;

	if (s->size == 0 || s->connected != UINT64_MAX || s->syn >= (double)slot + 1)
		return;
	if (behind + busy >= n->setup.queue) {
		// Sent again a timeout after it was last sent.
		s->start += n->setup.timeout;
		s->syn = (double)s->start + hop;
		n->lost++;
		return;
	}
	s->connected = (uint64_t)ceil((busy ? (double)slot + 1 + behind : s->syn) + 3 * hop);
}

static void naive_run(struct naive *n, uint64_t slots)
{
	for (uint64_t slot = 0; slot < slots; slot++) {
		bool busy = naive_switch(n, slot);
		naive_reach(n, slot + 1);
		for (uint32_t i = 0; i < n->acks; i++) {
			if (n->ack[i].due == slot)
				naive_hear(&n->setup, &n->source[n->ack[i].host], &n->ack[i], slot);
		}
		for (uint32_t h = 0; h < HOSTS; h++)
			naive_send(n, h, slot);
		for (uint32_t h = 0; h < HOSTS; h++)
			naive_shake(n, &n->source[h], slot, busy);
	}
}

static struct drb_transfers_setup setup_of(uint32_t layers, uint32_t arity,
					   enum drb_sim_source source)
{
	struct drb_transfers_setup s = transfers_setup(layers, arity);

	s.source = source;
	s.mark = 20;
	s.timeout = 300;
	s.memory = UINT64_C(4) << 20; // MALLOC_PERTURB_ of meson fills it in each run
	return s;
}

// Senders begin one after another, `apart` slots apart. Adds up packets that were sent again, and
// lost SYNs.
static void compare(const struct drb_transfers_setup *setup, uint32_t senders, uint32_t apart,
		    uint64_t again[2])
{
	struct naive *n = calloc(1, sizeof(*n));
	struct drb_transfers *t = new_of(setup);

	n->setup = *setup;
	n->rng = drb_rng_seed(setup->seed, 1);
	for (uint32_t h = 1; h <= senders; h++) {
		uint64_t start = (uint64_t)apart * (h - 1);
		while (drb_transfers_slot(t) < start)
			assert_int_equal(drb_transfers_step(t), 0);
		add(t, h, 0, 40 + 50 * h);
		n->source[h] = naive_begin(40 + 50 * h);
		n->source[h].start = start;
		n->source[h].connected = setup->handshake ? UINT64_MAX : start;
		n->source[h].syn = (double)start + setup->ack_hop + setup->delay.link[1];
	}
	run_out(t);
	assert_true(drb_transfers_slot(t) + 100 < SLOTS_MAX);
	naive_run(n, drb_transfers_slot(t));
	for (uint32_t h = 1; h <= senders; h++) {
		assert_int_equal(t->transfer[h - 1].connected, n->source[h].connected);
		assert_int_equal(t->transfer[h - 1].finish, n->source[h].finish);
	}
	assert_int_equal(t->dropped, n->dropped);
	assert_int_equal(t->resent, n->resent);
	assert_int_equal(t->syns.lost, n->lost);
	again[0] += t->resent;
	again[1] += n->lost;
	drb_transfers_free(t);
	free(n);
}

TEST(senders_at_one_switch_agree_with_a_plain_model)
{
	static const uint32_t queues[] = {4, 30, UINT32_MAX}, marks[] = {2, 20, UINT32_MAX};
	uint64_t again[2][2] = {{0}};

	for (int i = 0; i < 2 * 3 * 3 * 3; i++) {
		enum drb_sim_source source = i % 2 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY;
		struct drb_transfers_setup s = setup_of(1, HOSTS / 2, source);
		s.queue = queues[i / 2 % 3];
		s.mark = marks[i / 6 % 3];
		s.delay.link[1] = i / 2 % 4;
		compare(&s, 1 + i / 18 * 3, 0, again[i % 2]);
	}
	assert_true(again[0][0] > 100 && again[1][0] > 100);
}

// Each packet has its own timeout, which may be short, with every host rule. On one switch
// entropies change no path.
TEST(a_timeout_for_each_packet_agrees_with_a_plain_model)
{
	static const enum drb_sim_hosts hosts[] = {DRB_HOSTS_SPRAY, DRB_HOSTS_REPS, DRB_HOSTS_FLOW};
	static const uint32_t queues[] = {4, 30, UINT32_MAX}, timeouts[] = {25, 60, 300};
	uint64_t again[2] = {0, 0};

	for (int i = 0; i < 3 * 3 * 3 * 2; i++) {
		struct drb_transfers_setup s = setup_of(1, HOSTS / 2, DRB_SIM_SPRAY);
		s.hosts = hosts[i % 3];
		s.timer_each = s.hosts == DRB_HOSTS_FLOW;
		s.queue = queues[i / 3 % 3];
		s.timeout = timeouts[i / 9 % 3];
		s.delay.link[1] = i / 27 * 2;
		compare(&s, 1 + i % 4 * 2, 0, again);
	}
	assert_true(again[0] > 100);
}

TEST(trimming_agrees_with_a_plain_model)
{
	static const enum drb_sim_hosts hosts[] = {DRB_HOSTS_FLOW, DRB_HOSTS_SPRAY, DRB_HOSTS_REPS};
	uint64_t again[2] = {0, 0};

	for (int i = 0; i < 2 * 3 * 3 * 3; i++) {
		struct drb_transfers_setup s =
			setup_of(1, HOSTS / 2, i % 2 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY);
		s.hosts = hosts[i / 2 % 3];
		s.trim = true;
		s.queue = i / 6 % 3 == 0 ? 1 : 6;
		s.timeout = i / 6 % 3 == 1 ? 25 : 300;
		s.ack_hop = i / 18 * 0.4;
		s.delay.link[1] = i / 6 % 3;
		compare(&s, 1 + i / 18 * 3, 0, again);
	}
	assert_true(again[0] > 100);
}

// Two packets meet at some switch towards host 0. The header takes as long as the packet would.
TEST(a_trimmed_packet_is_sent_again_after_a_round_trip)
{
	struct drb_transfers_setup s = setup_of(3, 2, DRB_SIM_SPRAY);

	s.scheme = DRB_SCHEME_DMODK;
	s.trim = true;
	s.queue = 1;
	s.delay.link[1] = 2;
	s.delay.link[2] = 3;
	s.delay.link[3] = 5;
	for (uint32_t i = 0; i < 16 * 16; i++) {
		uint32_t a = i / 16, b = i % 16, k = drb_distance(&s.tree, 0, a);
		if (a == 0 || b <= a || drb_distance(&s.tree, 0, b) != k)
			continue;
		struct drb_transfers *t = new_of(&s);
		add(t, a, 0, 1);
		add(t, b, 0, 1);
		run_out(t);
		uint64_t alone = 2 * k + drb_delay_of_way(&s.delay, k);
		uint64_t first = t->transfer[0].finish, second = t->transfer[1].finish;
		assert_int_equal(t->dropped, 1);
		assert_int_equal(first < second ? first : second, alone);
		assert_int_equal(first < second ? second : first, 3 * alone);
		drb_transfers_free(t);
	}
}

// Transfers begin while others send, so that SYNs wait in the queue or find it full.
TEST(handshakes_agree_with_a_plain_model)
{
	static const double hops[] = {1, 0.25, 0.0625};
	uint64_t again[2] = {0, 0};

	for (int i = 0; i < 2 * 3 * 3 * 3; i++) {
		struct drb_transfers_setup s =
			setup_of(1, HOSTS / 2, i % 2 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY);
		s.handshake = true;
		s.queue = i / 2 % 3 == 0 ? 4 : i / 2 % 3 == 1 ? 30 : UINT32_MAX;
		s.ack_hop = hops[i / 6 % 3];
		s.delay.link[1] = i / 2 % 4;
		compare(&s, HOSTS - 1, 1 + i / 18 * 20, again);
	}
	assert_true(again[0] > 100 && again[1] > 10);
}

// Packets are overtaken, but not lost. A source that takes this for loss sends them again.
TEST(reordering_is_loss_to_some)
{
	uint64_t resent[2], last[2] = {0, 0};

	for (int spray = 0; spray < 2; spray++) {
		struct drb_transfers_setup s =
			setup_of(3, 3, spray ? DRB_SIM_SPRAY : DRB_SIM_WINDOW);
		s.scheme = DRB_SCHEME_VLB;
		struct drb_transfers *t = new_of(&s);
		for (uint32_t h = 0; h < 54; h++)
			add(t, h, (h + 27) % 54, 600);
		run_out(t);
		assert_int_equal(t->dropped, 0);
		resent[spray] = t->resent;
		for (uint32_t i = 0; i < 54; i++)
			last[spray] = t->transfer[i].finish > last[spray] ? t->transfer[i].finish
									  : last[spray];
		drb_transfers_free(t);
	}
	assert_true(resent[0] > 100 && resent[1] == 0 && last[0] > last[1]);
	// A flow that keeps its path is never overtaken.
	struct drb_transfers_setup s = setup_of(3, 3, DRB_SIM_WINDOW);
	s.scheme = DRB_SCHEME_VLB;
	s.unit = DRB_SIM_FLOW;
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < 54; h++)
		add(t, h, (h + 27) % 54, 600);
	run_out(t);
	assert_int_equal(t->resent + t->dropped, 0);
	drb_transfers_free(t);
}

TEST_MAIN(NULL, NULL)
