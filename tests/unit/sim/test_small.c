// SPDX-License-Identifier: BSD-3-Clause
// Acknowledgements that take link time and wait in queues: against closed forms, and against a
// simple second model of hosts at one switch that send to each other.
#include "fixtures/window_model.h"

#define HOSTS 8
#define PARTS 1000000
#define SLOTS_MAX 20000
#define ACKS_MAX (HOSTS * SIZE_MAX_ * 20)

// An acknowledgement in flight: at the receiver's host, then at the switch, then at the sender.
struct naive_ack {
	struct naive_packet of;
	int links;     // links that it has crossed; 2: it has arrived
	uint64_t time; // in parts of a slot
	bool heard;
};

struct naive {
	struct drb_transfers_setup setup;
	struct drb_rng rng;
	struct naive_source source[HOSTS];
	uint32_t dest[HOSTS];
	// Packets by the slot in which they arrive at the switch or at a host.
	struct naive_packet wire[SLOTS_MAX][HOSTS], last[SLOTS_MAX][HOSTS];
	uint32_t wires[SLOTS_MAX];
	bool lasts[SLOTS_MAX][HOSTS];
	struct naive_packet queue[HOSTS][SLOTS_MAX];
	uint32_t head[HOSTS], tail[HOSTS], acks;
	struct naive_ack ack[ACKS_MAX];
	uint64_t taken_up[HOSTS], taken_down[HOSTS]; // link time of hosts used by acknowledgements
	bool sent[HOSTS], delivered[HOSTS];          // in this slot
	uint64_t dropped, resent;
};

// Returns whether acknowledgements have used so much of a link that no packet can use it in this
// slot.
static bool is_taken(uint64_t *taken, bool has_packet)
{
	if (*taken >= PARTS) {
		*taken -= PARTS;
		return has_packet;
	}
	if (!has_packet)
		*taken = 0;
	return false;
}

static void naive_join(struct naive *n, uint64_t slot)
{
	naive_shuffle(&n->rng, n->wire[slot], n->wires[slot]);
	for (uint32_t i = 0; i < n->wires[slot]; i++) {
		struct naive_packet *p = &n->wire[slot][i];
		uint32_t to = n->dest[p->host], len = n->tail[to] - n->head[to];
		p->marked = len >= n->setup.mark;
		if (len < n->setup.queue)
			n->queue[to][n->tail[to]++] = *p;
		else
			n->dropped++;
	}
}

static void naive_deliver(struct naive *n, uint32_t to, uint64_t slot)
{
	n->delivered[to] = false;
	if (is_taken(&n->taken_down[to], n->head[to] < n->tail[to]) || n->head[to] == n->tail[to])
		return;
	n->delivered[to] = true;
	n->last[slot + 1 + n->setup.delay.link[1]][to] = n->queue[to][n->head[to]++];
	n->lasts[slot + 1 + n->setup.delay.link[1]][to] = true;
}

static void naive_reach(struct naive *n, uint32_t to, uint64_t slot)
{
	struct naive_packet p = n->last[slot][to];

	if (!n->lasts[slot][to] || n->source[p.host].finish)
		return;
	assert_true(n->acks < ACKS_MAX);
	n->ack[n->acks++] = (struct naive_ack){p, 0, slot * PARTS, false};
	naive_receive(&n->source[p.host], p.sequence, slot);
}

static void naive_send(struct naive *n, uint32_t host, uint64_t slot)
{
	struct naive_source *s = &n->source[host];
	uint32_t sequence = naive_next(&n->setup, s, slot);
	uint64_t there = slot + 1 + n->setup.delay.link[1];

	n->sent[host] = false;
	if (is_taken(&n->taken_up[host], sequence != SIZE_MAX_) || sequence == SIZE_MAX_)
		return;
	n->sent[host] = true;
	n->resent += naive_sends(s, sequence, slot);
	n->wire[there][n->wires[there]++] =
		(struct naive_packet){host, sequence, s->sent, 0, false, false};
}

// The acknowledgement crosses a link. If a packet uses the link in this slot, it waits for this
// packet and for `packets` more.
static void cross(struct naive *n, struct naive_ack *a, uint64_t slot, bool busy, uint64_t packets)
{
	if (busy)
		a->time = (slot + 1 + packets) * PARTS;
	a->time += (uint64_t)llround((n->setup.ack_hop + n->setup.delay.link[1]) * PARTS);
	a->links++;
}

static void naive_move(struct naive *n, struct naive_ack *a, uint64_t slot)
{
	uint32_t sender = a->of.host, receiver = n->dest[sender];

	if (a->links == 0 && a->time < (slot + 1) * PARTS) {
		bool more = naive_next(&n->setup, &n->source[receiver], slot) != SIZE_MAX_;
		cross(n, a, slot, n->sent[receiver], more);
		n->taken_up[receiver] += (uint64_t)llround(n->setup.ack_room * PARTS);
	}
	if (a->links == 1 && a->time < (slot + 1) * PARTS) {
		cross(n, a, slot, n->delivered[sender], n->tail[sender] - n->head[sender]);
		n->taken_down[sender] += (uint64_t)llround(n->setup.ack_room * PARTS);
	}
}

static void naive_run(struct naive *n, uint64_t slots)
{
	for (uint64_t slot = 0; slot < slots; slot++) {
		naive_join(n, slot);
		for (uint32_t h = 0; h < HOSTS; h++) {
			naive_deliver(n, h, slot);
			naive_reach(n, h, slot + 1);
		}
		for (uint32_t i = 0; i < n->acks; i++) {
			struct naive_ack *a = &n->ack[i];
			if (a->heard || a->links < 2 || a->time > slot * PARTS)
				continue;
			a->heard = true;
			naive_hear(&n->setup, &n->source[a->of.host], &a->of, slot);
		}
		for (uint32_t h = 0; h < HOSTS; h++)
			naive_send(n, h, slot);
		for (uint32_t i = 0; i < n->acks; i++)
			naive_move(n, &n->ack[i], slot);
	}
}

static struct drb_transfers_setup setup_of(double room)
{
	struct drb_transfers_setup s = transfers_setup(1, HOSTS / 2);

	s.source = DRB_SIM_WINDOW;
	s.mark = 20;
	s.timeout = 300;
	s.ack_room = room;
	return s;
}

// All hosts send: either each to the next host, or all others to the first host. Both models have
// the same waits and drops.
static void compare(const struct drb_transfers_setup *setup, bool to_one, uint64_t *resent)
{
	struct naive *n = calloc(1, sizeof(*n));
	struct drb_transfers *t = new_of(setup);

	n->setup = *setup;
	n->rng = drb_rng_seed(setup->seed, 1);
	for (uint32_t h = 0; h < HOSTS; h++) {
		uint32_t size = 40 + 45 * h;
		n->dest[h] = to_one && h > 0 ? 0 : (h + 3) % HOSTS;
		n->source[h] = naive_begin(size);
		add(t, h, n->dest[h], size);
	}
	naive_run(n, run_out(t));
	for (uint32_t h = 0; h < HOSTS; h++)
		assert_int_equal(t->transfer[h].finish, n->source[h].finish);
	assert_int_equal(t->dropped, n->dropped);
	assert_int_equal(t->resent, n->resent);
	*resent += t->resent;
	drb_transfers_free(t);
	free(n);
}

TEST(hosts_at_one_switch_agree_with_a_plain_model)
{
	static const double rooms[] = {0.01, 0.0585, 0.5, 1}, hops[] = {1, 0.25};
	static const uint32_t queues[] = {4, 30, UINT32_MAX};
	uint64_t resent = 0;

	for (int i = 0; i < 4 * 2 * 3 * 2 * 2; i++) {
		struct drb_transfers_setup s = setup_of(rooms[i % 4]);
		s.ack_hop = hops[i / 4 % 2];
		s.queue = queues[i / 8 % 3];
		s.source = i / 24 % 2 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY;
		s.delay.link[1] = i % 5;
		compare(&s, i / 48 % 2, &resent);
	}
	assert_true(resent > 100);
}

// Time in which two hosts send to each other, or one to the other.
static uint64_t two_hosts(double room, bool both, uint32_t layers)
{
	struct drb_transfers_setup s = setup_of(room);

	drb_tree_init(&s.tree, layers, 4);
	s.mark = UINT32_MAX;
	struct drb_transfers *t = new_of(&s);
	add(t, 0, s.tree.hosts - 1, 4000);
	if (both)
		add(t, s.tree.hosts - 1, 0, 4000);
	uint64_t slots = run_out(t);
	drb_transfers_free(t);
	return slots;
}

// With traffic in both directions a link carries an acknowledgement beside each packet, so a packet
// takes 1 + `room`. With traffic in one direction, packets meet no acknowledgements.
TEST(acknowledgements_take_their_share)
{
	static const double rooms[] = {0.05, 0.25, 1};

	for (uint32_t layers = 1; layers <= 2; layers++) {
		uint64_t none = two_hosts(0, true, layers), alone = two_hosts(0, false, layers);
		for (int i = 0; i < 3; i++) {
			double both = (double)two_hosts(rooms[i], true, layers);
			double expected = (double)none + 4000 * rooms[i];
			print_message("%u layers, room %g: %g of %g slots\n", layers, rooms[i],
				      both, expected);
			assert_true(fabs(both / expected - 1) < 0.02);
			assert_int_equal(two_hosts(rooms[i], false, layers), alone);
		}
	}
}

// On any fabric, with short queues: all packets arrive, and later than with acknowledgements that
// take no link time.
TEST(all_arrives_at_last)
{
	for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
		uint64_t slots[2];
		for (int room = 0; room < 2; room++) {
			struct drb_transfers_setup s = setup_of(room ? 0.5 : 0);
			drb_tree_init(&s.tree, 2, 4);
			s.scheme = (enum drb_scheme)scheme;
			s.queue = 50;
			s.handshake = true;
			struct drb_transfers *t = new_of(&s);
			for (uint32_t h = 0; h < 32; h++)
				add(t, h, (h + 16) % 32, 400);
			slots[room] = run_out(t);
			for (uint32_t i = 0; i < t->count; i++)
				assert_int_equal(t->transfer[i].arrived, 400);
			drb_transfers_free(t);
		}
		assert_true(slots[1] > slots[0] + 100);
	}
}

TEST_MAIN(NULL, NULL)
