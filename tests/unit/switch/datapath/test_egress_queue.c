// SPDX-License-Identifier: BSD-3-Clause
// The egress queue against a naive second model: a list of packets with departures as exact
// fractions of a nanosecond. The departures are computed one by one from the link model's formula.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "switch/datapath/worker/egress_queue.h"

__extension__ typedef __int128 wide;

#define NS_PER_S 1000000000

// Departures in units of 1/rate ns, so that each is an integer.
struct model {
	uint64_t rate; // packets/s or bit/s; 0: not paced
	bool per_packet;
	uint32_t limit, overhead;
	uint64_t catchup, slot;
	uint64_t now, queued; // time of the last change; ns of queueing so far
	uint64_t id[4096], arrival[4096];
	uint32_t size[4096], length;
	wide departure; // of the head; if empty, of the last packet
	uint64_t late, late_slots, lost, events, discards, max, sent;
	uint64_t behind, behind_from; // lateness of packets by lost credit, and the first packet
				      // with it
};

static wide model_serialise(const struct model *m, uint32_t size)
{
	return m->per_packet ? (wide)NS_PER_S : (wide)(size + m->overhead) * 8 * NS_PER_S;
}

static uint64_t model_ns(const struct model *m)
{
	return (uint64_t)(m->departure / m->rate);
}

// A slotted link treats packets that arrive within a slot as if they had arrived at its beginning.
static uint64_t model_slot(const struct model *m, uint64_t now)
{
	return m->slot ? now / m->slot * m->slot : now;
}

static bool model_push(struct model *m, uint64_t id, uint32_t size, uint64_t now)
{
	if (m->length >= m->limit) {
		m->discards++;
		return false;
	}
	if (m->rate && m->length == 0) {
		wide arrival = (wide)model_slot(m, now) * m->rate;
		m->departure = arrival > m->departure ? arrival : m->departure;
		m->departure += model_serialise(m, size);
	}
	m->id[m->length] = id;
	m->arrival[m->length] = m->now = now;
	m->size[m->length++] = size;
	m->max = m->length > m->max ? m->length : m->max;
	return true;
}

// The first `count` packets are late by lost credit, except those that were queued when it was
// lost, which count already. No packet is later than the time that all queued packets take.
static void model_lag(struct model *m, uint32_t count)
{
	wide last = m->departure;

	for (uint32_t i = 1; i < m->length; i++)
		last += model_serialise(m, m->size[i]);
	uint64_t left = (uint64_t)(last / m->rate) - model_ns(m);
	m->behind = m->behind < left ? m->behind : left;
	for (uint32_t i = 0; i < count; i++)
		m->late += m->sent + i >= m->behind_from ? m->behind : 0;
}

static void model_lose(struct model *m, uint64_t now)
{
	if (!m->rate || m->length == 0 || model_ns(m) + m->catchup >= now)
		return;
	uint64_t lost = model_slot(m, now - m->catchup) - model_ns(m);
	if (lost == 0)
		return;
	m->lost += lost;
	m->events++;
	model_lag(m, m->length);
	m->late += m->length * lost;
	m->behind += lost;
	m->behind_from = m->sent + m->length;
	m->departure += (wide)lost * m->rate;
}

static uint32_t model_due(const struct model *m, uint64_t now)
{
	wide t = m->departure;
	uint32_t n = 0;

	if (!m->rate)
		return m->length;
	while (n < m->length && t / m->rate <= now) {
		n++;
		if (n < m->length)
			t += model_serialise(m, m->size[n]);
	}
	return n;
}

static void model_pop(struct model *m, uint64_t now)
{
	if (m->rate)
		m->late += now - model_ns(m);
	if (m->slot && now - model_ns(m) >= m->slot)
		m->late_slots++;
	m->now = now;
	m->queued += now - m->arrival[0];
	m->sent++;
	m->length--;
	for (uint32_t i = 0; i < m->length; i++) {
		m->id[i] = m->id[i + 1];
		m->size[i] = m->size[i + 1];
		m->arrival[i] = m->arrival[i + 1];
	}
	if (m->rate && m->length > 0)
		m->departure += model_serialise(m, m->size[0]);
	if (m->length == 0)
		m->behind = 0; // later packets find the link idle
}

static bool push(struct drb_egress *q, void *packet, uint32_t size, uint64_t now)
{
	return drb_egress_push(q, packet, size, now);
}

static void agree(const struct model *m, const struct drb_egress *q)
{
	assert_int_equal(drb_egress_length(q), m->length);
	assert_int_equal(q->head, m->sent);
	uint64_t octets = 0, queued = m->queued;
	for (uint32_t i = 0; i < m->length; i++) {
		octets += m->size[i];
		queued += m->now - m->arrival[i];
	}
	assert_int_equal(q->octets, octets);
	assert_int_equal(drb_egress_queue_ns(q, m->now), m->rate ? queued : 0);
	assert_int_equal(q->discards, m->discards);
	assert_int_equal(drb_egress_max(q), m->max);
	assert_int_equal(q->late.ns, m->late);
	assert_int_equal(q->late.slots, m->late_slots);
	assert_int_equal(q->lost_credit_ns, m->lost);
	assert_int_equal(q->lost_credit_events, m->events);
	if (m->length == 0)
		assert_int_equal(drb_egress_next_ns(q), UINT64_MAX);
	else
		assert_int_equal(drb_egress_next_ns(q), m->rate ? model_ns(m) : 0);
}

// One iteration: due packets leave, as many as the driver takes.
static void serve(struct model *m, struct drb_egress *q, struct drb_rng *r, uint64_t now,
		  uint32_t burst, bool refuses)
{
	model_lose(m, now);
	for (;;) {
		uint32_t want = model_due(m, now), due = drb_egress_due(q, now, burst), taken;
		want = want < burst ? want : burst;
		assert_int_equal(due, want);
		if (due == 0)
			return;
		void **front = drb_egress_front(q, &due);
		assert_in_range(due, 1, want);
		taken = refuses ? drb_rng_below(r, due + 1) : due;
		uint64_t octets = 0;
		if (m->rate && taken > 0)
			model_lag(m, taken);
		for (uint32_t i = 0; i < taken; i++) {
			octets += m->size[0];
			assert_int_equal((uint64_t)(uintptr_t)front[i], m->id[0]);
			model_pop(m, now);
		}
		drb_egress_pop(q, taken, octets, now);
		agree(m, q);
		if (taken < due)
			return;
	}
}

struct run {
	uint64_t rate;
	bool per_packet, refuses;
	uint32_t limit, overhead, burst;
	uint64_t catchup, pause; // pause: longest time between two iterations
	uint32_t arrivals;       // most per iteration
	uint32_t slots;
};

static struct drb_egress queue_of(const struct run *c)
{
	const struct drb_link_model link = {
		{(double)c->rate, c->per_packet}, c->slots, c->overhead, c->catchup};
	struct drb_egress q;

	assert_int_equal(drb_egress_init(&q, c->limit, &link), 0);
	q.passed = -100000u; // as if 4 GiB were about to have passed
	return q;
}

static void random_run(const struct run *c, uint64_t seed)
{
	struct drb_egress q = queue_of(c);
	struct drb_rng r = drb_rng_seed(seed, 0);
	static struct model m;
	uint64_t now = UINT64_C(5000000000000), id = 1;

	m = (struct model){.rate = c->rate,
			   .per_packet = c->per_packet,
			   .limit = c->limit,
			   .overhead = c->overhead,
			   .catchup = c->catchup,
			   .slot = c->slots ? NS_PER_S / c->rate / c->slots : 0};
	for (uint32_t step = 0; step < 20000; step++) {
		now += drb_rng_below(&r, (uint32_t)c->pause + 1);
		serve(&m, &q, &r, now, c->burst, c->refuses);
		for (uint32_t n = drb_rng_below(&r, c->arrivals + 1); n > 0; n--, id++) {
			uint32_t size = 60 + drb_rng_below(&r, 1455);
			bool taken = push(&q, (void *)(uintptr_t)id, size, now);
			assert_int_equal(taken, model_push(&m, id, size, now));
		}
		agree(&m, &q);
	}
	drb_egress_free(&q);
}

// Rates at which a byte or packet takes a whole number of 2^-32 ns: the model's integer ns agree
// exactly in all cases.
TEST(random_against_model)
{
	static const struct run runs[] = {
		{500, true, false, 512, 24, 32, 2000000, 3000000, 3, 0},
		{500, true, true, 16, 24, 32, 2000000, 9000000, 8, 0},
		{500, true, true, 7, 0, 2, 0, 3000000, 4, 0},
		{10000000, false, false, 512, 24, 32, 2000000, 1500000, 3, 0},
		{10000000, false, true, 100, 24, 32, 2000000, 4000000, 9, 0},
		{10000000, false, true, 1, 0, 32, 0, 900000, 2, 0},
		{1000000000, false, true, 64, 24, 8, 10000, 30000, 9, 0},
		{500, true, false, 512, 24, 32, 2000000, 3000000, 3, 1},
		{500, true, true, 16, 24, 32, 2000000, 9000000, 8, 1},
		{1000, true, true, 7, 0, 2, 0, 3000000, 4, 1},
		{1000000, true, true, 20, 0, 8, 500, 3000, 4, 1},
		{1000000, true, true, 20, 0, 8, 5000, 9000, 4, 1},
		{250, true, false, 512, 24, 32, 2000000, 3000000, 1, 2},
		{500, true, true, 7, 0, 2, 0, 3000000, 2, 4},
		{100000, true, true, 20, 0, 8, 5000, 90000, 4, 10},
		{8, false, false, 3, 24, 32, 2000000, 4000000000, 2, 0},
		{0, false, false, 512, 24, 32, 2000000, 1000, 40, 0},
		{0, false, true, 5, 24, 32, 2000000, 1000, 9, 0},
		{0, false, true, 3000, 24, 32, 2000000, 1000, 60, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		random_run(&runs[i], i + 1);
}

// departure = max(arrival, previous departure) + size / rate, over millions of packets, at rates
// without an exact binary fraction. The final difference is below a nanosecond.
TEST(formula_without_drift)
{
	static const struct run runs[] = {
		{3000000, false, false, 64, 24, 1, UINT64_C(10000000000), 0, 0, 0},
		{9999991, false, false, 64, 24, 1, UINT64_C(10000000000), 0, 0, 0},
		{7, true, false, 64, 24, 1, UINT64_C(10000000000), 0, 0, 0},
		{3333, true, false, 64, 24, 1, UINT64_C(10000000000), 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		const struct run *c = &runs[i];
		struct drb_egress q = queue_of(c);
		struct drb_rng r = drb_rng_seed(99, i);
		struct model m = {
			.rate = c->rate, .per_packet = c->per_packet, .overhead = c->overhead};
		uint64_t now = 1000;
		for (uint32_t n = 0; n < 2000000; n++) {
			uint32_t size = 60 + drb_rng_below(&r, 1455);
			wide arrival = (wide)now * c->rate;
			assert_true(push(&q, &q, size, now));
			m.departure = arrival > m.departure ? arrival : m.departure;
			m.departure += model_serialise(&m, size);
			int64_t apart = (int64_t)(q.departure.ns - model_ns(&m));
			assert_in_range(apart + 1, 0, 2);
			assert_int_equal(drb_egress_due(&q, q.departure.ns - 1, 1), 0);
			assert_int_equal(drb_egress_due(&q, q.departure.ns, 1), 1);
			drb_egress_pop(&q, 1, size, q.departure.ns);
			// The next packet arrives at that instant, just before it in the paced
			// stream's time, or after a pause.
			now = q.departure.ns + (n % 1000 == 999 ? drb_rng_below(&r, 5000) : 0);
			now -= n % 3 == 0 && now > 1000;
		}
		assert_int_equal(q.late.ns, 0);
		drb_egress_free(&q);
	}
}

static uint32_t size_of_packet(const void *packet)
{
	return 60 + (uint32_t)((uintptr_t)packet % 1000);
}

// The limit and link of a queue change all the time: packets stay in order, none is lost, and the
// head leaves no later than the present link allows.
TEST(changes)
{
	static const struct drb_rate rates[] = {
		{0, false}, {1e3, true}, {1e6, true}, {1e6, false}, {1e10, false}};
	struct drb_rng r = drb_rng_seed(6, 6);
	uint64_t now = 1, in = 0, out = 0, octets = 0, discards = 0;
	struct drb_rate rate = rates[0];
	struct drb_egress q;

	struct drb_link_model link = {rate, false, 24, 1000};
	assert_int_equal(drb_egress_init(&q, 5, &link), 0);
	for (int step = 0; step < 200000; step++) {
		uint32_t length = drb_egress_length(&q), due;
		now += drb_rng_below(&r, 20000);
		for (uint32_t n = drb_rng_below(&r, 4); n > 0; n--) {
			void *packet = (void *)(uintptr_t)(in + 1);
			uint32_t size = size_of_packet(packet);
			bool fits = drb_egress_length(&q) < q.limit;
			assert_int_equal(drb_egress_push(&q, packet, size, now), fits);
			in += fits;
			octets += fits ? size : 0;
			discards += !fits;
		}
		due = drb_egress_due(&q, now, 1 + drb_rng_below(&r, 8));
		void **front = drb_egress_front(&q, &due);
		uint64_t left = 0;
		for (uint32_t i = 0; i < due; i++) {
			assert_int_equal((uintptr_t)front[i], ++out);
			left += size_of_packet(front[i]);
		}
		drb_egress_pop(&q, due, left, now);
		octets -= left;
		if (drb_rng_below(&r, 200) == 0) { // the queued packets are cleared
			drb_egress_clear(&q, now);
			out = in;
			octets = 0;
			assert_true(q.departure.ns <= now);
		}
		if (drb_rng_below(&r, 10) == 0) {
			struct drb_egress_ring ring = {0};
			uint32_t limit = 1 + drb_rng_below(&r, 100);
			length = drb_egress_length(&q);
			rate = rates[drb_rng_below(&r, ARRAY_SIZE(rates))];
			assert_int_equal(
				drb_egress_ring_for(&q, limit, &rate, size_of_packet, &ring), 0);
			link.rate = rate;
			link.slots = rate.per_packet ? drb_rng_below(&r, 4) : 0;
			drb_egress_change(&q, limit, &link, now, &ring);
			drb_egress_ring_free(&ring);
			assert_int_equal(drb_egress_length(&q), length);
			if (length > 0 && rate.value > 0) {
				struct drb_instant latest = {.ns = now};
				drb_egress_serialise(&q, &latest, 1,
						     size_of_packet((void *)(uintptr_t)(out + 1)));
				assert_true(drb_egress_next_ns(&q) <= latest.ns);
			}
		}
		assert_true(drb_egress_queue_ns(&q, now) <= in * now);
		assert_int_equal(in - out, drb_egress_length(&q));
		assert_int_equal(q.octets, octets);
		assert_int_equal(q.discards, discards);
	}
	assert_true(out > 50000 && discards > 1000);
	drb_egress_free(&q);
}

TEST_MAIN(NULL, NULL)
