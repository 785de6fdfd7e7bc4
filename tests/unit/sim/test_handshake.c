// SPDX-License-Identifier: BSD-3-Clause
// Handshakes of transfers: closed forms on an idle fabric and behind known queues. Full queues lose
// packets and SYNs, with and without handshakes. test_window.c compares handshakes with a second
// model.
#include "fixtures/transfers.h"

#include "core/fabric/next_hop.h"

#define TIMEOUT 200

static struct drb_transfers_setup setup_of(uint32_t layers, uint32_t arity)
{
	struct drb_transfers_setup s = transfers_setup(layers, arity);

	s.handshake = true;
	s.mark = UINT32_MAX;
	s.timeout = TIMEOUT;
	return s;
}

static void step_until(struct drb_transfers *t, uint64_t slot)
{
	while (drb_transfers_slot(t) < slot)
		assert_int_equal(drb_transfers_step(t), 0);
}

// Slots that one transfer takes on an idle fabric.
static uint64_t time_alone(const struct drb_transfers_setup *s, uint32_t to, uint32_t size)
{
	struct drb_transfers *t = new_of(s);

	step_until(t, 5);
	add(t, 0, to, size);
	run_out(t);
	uint64_t time = t->transfer[0].finish - t->transfer[0].start;
	drb_transfers_free(t);
	return time;
}

// A handshake makes a transfer end a round trip later, whatever the distance, the source, the unit
// and the scheme.
TEST(alone_it_takes_a_round_trip)
{
	static const uint32_t to[] = {1, 2, 15}; // at distance 1, 2, 3 of F(3,2)
	static const double hop[] = {1, 0.9, 0.25, 0.0585, 0.1, 0};

	for (int i = 0; i < DRB_SCHEME_COUNT * 3 * 3 * 6; i++) {
		struct drb_transfers_setup s = setup_of(3, 2);
		uint32_t k = 1 + i / 3 % 3;
		s.scheme = (enum drb_scheme)(i / 54);
		s.source = (enum drb_sim_source)(i % 3);
		s.unit = drb_scheme_packets_only(s.scheme) ? DRB_SIM_PACKET
							   : (enum drb_sim_unit)(i / 9 % 3);
		s.ack_hop = hop[i / 9 % 6];
		for (uint32_t m = 1; m <= 3; m++)
			s.delay.link[m] = i % 2 * m;
		uint64_t with = time_alone(&s, to[k - 1], 30);
		s.handshake = false;
		// Rounding of products such as 12 * 0.1 must not add a slot.
		double links = ceil(4 * k * s.ack_hop - 1e-9) + 2 * (double)(i % 2 * k * (k + 1));
		assert_int_equal(with - time_alone(&s, to[k - 1], 30),
				 links > 0 ? (uint64_t)links : 1);
	}
}

// At its host a SYN waits until each transfer that may send has sent a packet; a SYN-ACK waits
// alike.
TEST(it_waits_for_its_turn)
{
	struct drb_transfers_setup s = setup_of(1, 4);

	for (int answer = 0; answer < 2; answer++) {
		struct drb_transfers *t = new_of(&s);
		for (uint32_t h = 1; h <= 3; h++)
			add(t, 0, h, 100);
		step_until(t, 24);
		uint32_t i = answer ? add(t, 4, 0, 1) : add(t, 0, 4, 1);
		run_out(t);
		// One packet is on the link, and three more are sent before it.
		assert_int_equal(t->transfer[i].connected, 24 + 4 + 1 + 3);
		drb_transfers_free(t);
	}
}

// A flow uses the uplinks of its SYN, where the SYN counts as a flow.
TEST(a_flow_begins_with_its_syn)
{
	struct drb_transfers_setup s = setup_of(2, 4);

	s.scheme = DRB_SCHEME_LEAST;
	s.unit = DRB_SIM_FLOW;
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < 4; h++)
		add(t, h, 4 + 4 * h, 60);
	step_until(t, 3);
	for (uint32_t u = 0; u < 4; u++)
		assert_int_equal(t->flows[1][u], 1);
	run_out(t);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(t->transfer[i].finish, 8 + 60 - 1 + 4);
	for (uint32_t i = 0; i < 8 * 4; i++)
		assert_int_equal(t->flows[1][i], 0);
	drb_transfers_free(t);
}

// Short queues, every scheme, unit and window, with and without handshakes. All transfers are
// established and finish, and each packet and each SYN is counted once.
static uint64_t all_arrive(struct drb_transfers_setup s)
{
	struct drb_transfers *t = new_of(&s);

	for (uint32_t h = 1; h < 32; h++) {
		step_until(t, s.handshake ? 7 * h : 0);
		add(t, h, 0, 60);
		add(t, h, (h + 7) % 32 == h ? 0 : (h + 7) % 32, 60);
	}
	run_out(t);
	assert_true(t->dropped > 0 && t->resent >= t->dropped);
	assert_int_equal(t->syns.sent, t->syns.answered + t->syns.lost);
	assert_int_equal(t->syns.answered, s.handshake ? t->count : 0);
	struct drb_packet_count c = drb_packet_counted(t->sim);
	assert_int_equal(c.in, c.out + c.lost + c.inside);
	assert_int_equal(c.in, 60 * t->count + t->resent);
	for (uint32_t k = 0; k < t->count; k++) {
		const struct drb_transfer *f = &t->transfer[k];
		assert_int_equal(f->connected > f->start, s.handshake);
		assert_true(f->arrived == f->size && f->sent == f->size);
		assert_true(f->finish - f->connected >= drb_transfer_alone(&s, f));
	}
	const uint64_t lost = t->syns.lost;
	drb_transfers_free(t);
	return lost;
}

TEST(all_arrive_at_last)
{
	uint64_t lost = 0;

	for (int i = 0; i < 2 * 2 * 3 * DRB_SCHEME_COUNT; i++) {
		struct drb_transfers_setup s = setup_of(2, 4);
		s.handshake = i % 2;
		s.source = i / 2 % 2 ? DRB_SIM_WINDOW : DRB_SIM_SPRAY;
		s.unit = (enum drb_sim_unit)(i / 4 % 3);
		s.scheme = (enum drb_scheme)(i / 12);
		s.queue = 6;
		s.mark = 20;
		s.ack_hop = s.handshake ? 0.0585 : 1;
		if (s.unit == DRB_SIM_PACKET || !drb_scheme_packets_only(s.scheme))
			lost += all_arrive(s);
	}
	assert_true(lost > 100);
}

TEST_MAIN(NULL, NULL)
