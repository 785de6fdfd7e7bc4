// SPDX-License-Identifier: BSD-3-Clause
// The transport of Ultra Ethernet. Its constants are compared with those that the reference model
// prints, and its window with a second model in bytes and picoseconds. Completion times are
// checked, too.
#include <math.h>

#include "fixtures/transfers.h"

#include "sim/flows/uec.h"
#include "sim/flows/window.h"

// The fabric of uet-htsim's fat_tree_1024_1os.topo: 200 Gbit/s, 4150 bytes, 1 us a link.
static struct drb_transfers_setup setup_of(uint32_t arity)
{
	struct drb_transfers_setup s = transfers_setup(3, arity);

	s.scheme = DRB_SCHEME_ECMP;
	s.source = DRB_SIM_UEC;
	s.hosts = DRB_HOSTS_SPRAY;
	s.queue = 0;
	s.ack_hop = NAN;
	s.units = (struct drb_uec_units){.payload = 4086, .slot_ns = 166};
	for (uint32_t m = 1; m <= 3; m++)
		s.delay.link[m] = 6;
	return s;
}

// htsim_uec prints: queue 79 packets, marks from 16 to 64, round trip 13.01 us, _maxwnd 117
// packets, min RTO 93.7 us.
TEST(constants_are_those_of_the_reference_model)
{
	struct drb_transfers_setup s = setup_of(8);
	struct drb_uec c = drb_uec_constants(&s.units, &s.tree, &s.delay);

	drb_transfers_set_defaults(&s);
	assert_int_equal(s.queue, 79);
	assert_int_equal(s.mark, 16);
	assert_int_equal(s.mark_most, 64);
	assert_true(fabs(c.round_trip * 0.166 - 13.01) < 0.06);
	assert_true(fabs(s.timeout * 0.166 - 93.7) < 0.3);
	assert_int_equal((int)drb_nscc_new(&c).window, 117);
	assert_int_equal(c.ack_every, 4);
	// Interfaces of 200 Gbit/s behind links of 100 Gbit/s.
	s = setup_of(4);
	s.units = (struct drb_uec_units){4086, 332, 200};
	for (uint32_t m = 1; m <= 3; m++)
		s.delay.link[m] = 3;
	drb_transfers_set_defaults(&s);
	assert_int_equal(s.queue, 79);
}

// NSCC in bytes and picoseconds.
struct plain {
	double bdp, a, T, R, cwnd, max, base, avg, inc, fi_count, adjusted, dec, qa_end;
	double achieved, received, ignore, ignored;
	bool fast, trigger;
};

#define MTU 4150.0
#define MSS 4086.0
#define PS 166e3 // of a slot

static bool plain_adapt(struct plain *p, double now, double delay, bool marked, double in_flight)
{
	bool out = p->ignored < p->ignore && marked;

	if (!out && now > p->qa_end) {
		if (p->qa_end > 0 && (p->trigger || delay > 4 * p->T) && p->achieved < p->max / 8) {
			p->cwnd = fmax(p->achieved, MTU);
			p->ignore = in_flight;
			p->ignored = 0;
			p->trigger = false;
			out = true;
		}
		p->achieved = 0;
		p->qa_end = now + p->base + p->T;
	}
	if (out)
		p->inc = p->received = 0;
	return out;
}

static void plain_ack(struct plain *p, const struct drb_nscc_ack *ack)
{
	const double now = ack->now * PS, bytes = ack->newly * MTU,
		     in_flight = ack->under_way * MTU;
	const double rtt = ack->round_trip * PS;
	const bool marked = ack->marked;

	p->achieved += bytes;
	p->received += bytes;
	p->ignored += bytes;
	double delay = p->avg;
	if (rtt >= 0) {
		if (rtt < p->base) {
			p->base = rtt;
			p->max = 1.5 * rtt * 1e-12 * 25e9;
		}
		delay = rtt - p->base;
		double sample = !marked && delay > p->T ? p->base / 4 : delay;
		p->avg = 0.0125 * sample + 0.9875 * p->avg;
	}
	if (plain_adapt(p, now, delay, marked, in_flight))
		return;
	if (!marked && delay >= p->T) {
		p->inc += 5 * MSS * p->a * bytes;
	} else if (!marked) {
		bool low = delay < 1e6;
		p->fi_count = low ? p->fi_count + bytes : 0;
		p->fast = low && (p->fast || p->fi_count > p->cwnd);
		if (p->fast)
			p->cwnd += bytes * 0.25 * p->a;
		else
			p->inc += 4 * MSS * p->a * (p->T / 12e6) / p->T * bytes * (p->T - delay);
	} else if (delay >= p->T) {
		p->fast = false;
		p->fi_count = 0;
		if (p->avg > p->T && now - p->dec > p->base) {
			p->cwnd *= fmax(1 - 0.8 * (p->avg - p->T) / p->avg, 0.5);
			p->dec = now;
		}
	}
	p->cwnd = fmin(fmax(p->cwnd, MTU), p->max);
	if (p->received > 8 * MTU || now - p->adjusted > p->R) {
		p->cwnd += p->inc / p->cwnd;
		if (now - p->adjusted >= p->R) {
			p->cwnd += 0.15 * MSS * p->a;
			p->adjusted = now;
		}
		p->inc = p->received = 0;
	}
	p->cwnd = fmin(fmax(p->cwnd, MTU), p->max);
}

static void plain_nack(struct plain *p, double now, double in_flight)
{
	p->ignored += MTU;
	p->avg = 0.0125 * p->R + 0.9875 * p->avg;
	p->trigger = true;
	if (!plain_adapt(p, now, 0, true, in_flight))
		p->cwnd = fmin(fmax(p->cwnd - MTU, MTU), p->max);
}

// Periods with little and with much delay, marks and trimmed packets, for 20 random connections.
TEST(the_window_agrees_with_a_plain_one_in_bytes)
{
	const struct drb_transfers_setup s = setup_of(8);
	const struct drb_uec c = drb_uec_constants(&s.units, &s.tree, &s.delay);

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct drb_rng rng = drb_rng_seed(seed, 0);
		struct drb_nscc n = drb_nscc_new(&c);
		struct plain p = {.R = c.round_trip * PS, .T = 0.75 * c.round_trip * PS};
		p.base = p.R;
		p.bdp = p.R * 1e-12 * 25e9;
		p.a = p.bdp / 150000;
		p.cwnd = p.max = 1.5 * p.bdp;
		double low = 1e9, slot = 0, spell = 0;
		for (int i = 0; i < 3000; i++) {
			if (i % 100 == 0)
				spell = drb_rng_unit(&rng) * drb_rng_unit(&rng) * 400;
			slot += drb_rng_below(&rng, 8);
			const double wait = floor(drb_rng_unit(&rng) * spell);
			struct drb_nscc_ack ack = {.now = slot,
						   .round_trip =
							   drb_rng_below(&rng, 9) ? 74 + wait : -1,
						   .newly = drb_rng_below(&rng, 5),
						   .under_way = drb_rng_below(&rng, 100),
						   .marked = drb_rng_unit(&rng) * 200 < wait};
			if (spell > 100 && drb_rng_below(&rng, 4) == 0) {
				ack.round_trip = -1;
				drb_nscc_trimmed(&n, &c, &ack);
				plain_nack(&p, slot * PS, ack.under_way * MTU);
			} else {
				drb_nscc_acknowledged(&n, &c, &ack);
				plain_ack(&p, &ack);
			}
			low = n.window < low ? n.window : low;
			assert_true(fabs(n.window * MTU / p.cwnd - 1) < 1e-3);
		}
		assert_true(low < 0.9 * n.most);
	}
}

// Without other traffic, the source learns of the end when the acknowledgement of the last packet
// arrives.
static uint64_t slots_at(double gbit)
{
	struct drb_transfers_setup s = setup_of(2);

	s.units.nic = gbit;
	struct drb_transfers *t = new_of(&s);
	add(t, 0, 15, 400);
	run_out(t);
	const uint64_t took = t->transfer[0].finish;
	drb_transfers_free(t);
	return took;
}

// Links carry 200 Gbit/s. An interface that is a little slower delays a packet now and then.
TEST(slow_interfaces_send_at_their_rate)
{
	const uint64_t link = slots_at(0);

	assert_int_equal(slots_at(200), link);
	assert_in_range(slots_at(197), link + 4, link + 12);
	assert_in_range(slots_at(100), link + 380, link + 440);
	assert_in_range(slots_at(50), link + 1170, link + 1240);
}

// Interfaces of 400 Gbit/s behind links of 200: what a long transfer has waiting for the link does
// not delay those that begin later. They take turns, so three last three times as long as one.
TEST(transfers_take_turns_at_the_link)
{
	struct drb_transfers_setup s = setup_of(2);

	s.units.nic = 400;
	struct drb_transfers *t = new_of(&s);
	add(t, 0, 15, 400);
	for (uint32_t slot = 0; slot < 30; slot++)
		assert_int_equal(drb_transfers_step(t), 0);
	for (uint32_t i = 0; i < 2; i++)
		add(t, 0, 12 + i, 10);
	run_out(t);
	const uint64_t path =
		drb_transfer_alone(&s, &(struct drb_transfer){.dest = 12, .size = 1}) +
		drb_transfer_answer(&t->setup, &t->transfer[1]);
	for (uint32_t i = 1; i < 3; i++)
		assert_in_range(t->transfer[i].finish - t->transfer[i].start, path + 27, path + 33);
	assert_true(t->transfer[0].finish > 400);
	drb_transfers_free(t);
}

TEST(a_transfer_ends_when_its_source_hears_of_the_last_packet)
{
	const struct drb_transfers_setup s = setup_of(3);

	for (uint32_t to = 1; to < s.tree.hosts; to += 5) {
		struct drb_transfers *t = new_of(&s);
		const uint32_t k = drb_distance(&s.tree, 0, to);
		add(t, 0, to, 5);
		run_out(t);
		const uint64_t way = drb_delay_of_way(&s.delay, k);
		const uint64_t finish = t->transfer[0].finish;
		assert_true(finish >= 4 + 2 * k + 2 * way && finish <= 6 + 2 * k + 2 * way);
		assert_int_equal(t->resent + t->dropped + t->marked, 0);
		drb_transfers_free(t);
	}
}

// All hosts send to host 0, so that queues are full. Each trimmed packet is sent again once,
// without a timeout. The link of host 0 is idle for less than 3 % of the time. This holds for any
// host rule and interface speed.
TEST(what_is_trimmed_is_sent_again)
{
	for (int i = 0; i < 6; i++) {
		struct drb_transfers_setup s = setup_of(3);
		s.hosts = i % 3 == 0   ? DRB_HOSTS_FLOW
			  : i % 3 == 1 ? DRB_HOSTS_SPRAY
				       : DRB_HOSTS_REPS;
		s.units.nic = i < 3 ? 0 : 400;
		struct drb_transfers *t = new_of(&s);
		for (uint32_t h = 1; h < s.tree.hosts; h++)
			add(t, h, 0, 150);
		const uint64_t slots = run_out(t);
		assert_true(t->dropped > 100 && t->marked > 100);
		// Behind a fast interface, packets sent before the first reply wait long, and may
		// time out.
		assert_true(t->resent >= t->dropped);
		assert_true(t->resent - t->dropped <= (i < 3 ? 0 : t->dropped / 100));
		assert_true((double)slots < 1.03 * 150 * (s.tree.hosts - 1) + 200);
		drb_transfers_free(t);
	}
}

TEST_MAIN(NULL, NULL)
