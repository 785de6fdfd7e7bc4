// SPDX-License-Identifier: BSD-3-Clause
// The table of live flows against a naive second model: a list that is searched from one end to
// the other.
#include "fixtures/unit.h"

#include <rte_eal.h>

#include "core/math/random.h"

#include "switch/datapath/worker/flow_table.h"
#define EAL_MEMORY_MB "192"
#include "fixtures/flow_table.h"
#include "fixtures/switch_eal.h"

#define UPLINKS 4

struct model_flow {
	uint64_t hash;
	uint32_t seen, uplink;
	bool closing, live;
};

struct model {
	struct model_flow flow[512];
	uint32_t count, idle, grace;
};

static struct model_flow *model_find(struct model *m, uint64_t hash)
{
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->flow[i].live && m->flow[i].hash == hash)
			return &m->flow[i];
	}
	return NULL;
}

static bool model_over(const struct model *m, const struct model_flow *f, uint32_t tick)
{
	return tick - f->seen > (f->closing ? m->grace : m->idle);
}

static uint32_t model_live(const struct model *m, uint32_t tick)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < m->count; i++)
		live += m->flow[i].live && !model_over(m, &m->flow[i], tick);
	return live;
}

static void model_seen(struct model *m, struct model_flow *f, uint8_t flags, uint32_t tick)
{
	(void)m;
	f->seen = tick;
	if (flags & (DRB_TCP_FIN | DRB_TCP_RST))
		f->closing = true;
	if (flags & DRB_TCP_SYN)
		f->closing = false;
}

static void one_packet(struct drb_flow_table *t, struct model *m, uint64_t hash, uint32_t uplink,
		       uint8_t flags, uint32_t tick)
{
	struct model_flow *f = model_find(m, hash);
	int32_t position;

	drb_flow_table_find(t, &hash, 1, &position);
	if (!f) {
		assert_int_equal(position, DRB_FLOW_NONE);
		position = drb_flow_table_add(t, hash, 0, uplink, tick);
		assert_true(position >= 0);
		f = &m->flow[m->count++];
		*f = (struct model_flow){.hash = hash, .uplink = uplink, .live = true};
	} else if (position < 0) {
		// Taken out because it had ended, never before.
		assert_true(model_over(m, f, tick));
		position = drb_flow_table_add(t, hash, 0, uplink, tick);
		assert_true(position >= 0);
		*f = (struct model_flow){.hash = hash, .uplink = uplink, .live = true};
	} else if (drb_flow_ended(t, &t->entry[position], tick)) {
		assert_true(model_over(m, f, tick));
		drb_flow_table_end(t, position);
		drb_flow_table_begin(t, position, uplink, tick);
		*f = (struct model_flow){.hash = hash, .uplink = uplink, .live = true};
	} else {
		assert_false(model_over(m, f, tick));
	}
	drb_flow_table_seen(t, position, flags, tick);
	model_seen(m, f, flags, tick);
	assert_int_equal(t->entry[position].uplink, f->uplink);
}

TEST(same_as_a_list)
{
	static const uint8_t flags[] = {0, 0, 0, 0, 0, 0, DRB_TCP_SYN, DRB_TCP_FIN, DRB_TCP_RST};

	for (uint64_t seed = 0; seed < 8; seed++) {
		struct drb_rng r = drb_rng_seed(seed, 1);
		uint64_t idle = 20 * MS, grace = seed & 1 ? 2 * MS : 50 * MS;
		static struct model m;
		struct drb_flow_table t;
		// The count of ticks wraps meanwhile.
		uint64_t now = (UINT64_C(1) << 42) - 100 * MS;

		m = (struct model){.idle = drb_flow_tick(idle), .grace = drb_flow_tick(grace)};
		init(&t, 1000, 1, idle, grace);
		for (uint32_t i = 0; i < 40000; i++) {
			uint64_t hash = drb_mix64(drb_rng_below(&r, 400));
			now += drb_rng_below(&r, 200) * US;
			if (drb_rng_below(&r, 2000) == 0)
				now += 60 * MS;
			drb_flow_table_age(&t, now);
			one_packet(&t, &m, hash, drb_rng_below(&r, UPLINKS),
				   flags[drb_rng_below(&r, ARRAY_SIZE(flags))], drb_flow_tick(now));
			assert_true(t.live >= model_live(&m, drb_flow_tick(now)));
			if (i % 1000 == 0)
				check_loads(&t);
		}
		assert_true(t.idled > 100);
		assert_true(t.closed > 100);
		// Everything that has ended is found within some steps, and nothing else.
		uint64_t before = t.live;
		age_all(&t, &now);
		assert_true(before > 0 && t.live <= before);
		assert_true(t.live >= model_live(&m, drb_flow_tick(now)));
		now += 60 * MS;
		age_all(&t, &now);
		assert_int_equal(t.live, 0);
		assert_int_equal(drb_flow_table_next_ns(&t), UINT64_MAX);
		check_loads(&t);
		drb_flow_table_free(&t);
	}
}

// A million flows and not one more; each keeps its uplink; ageing takes all out, little by little.
TEST(a_million_flows)
{
	const uint32_t count = 1000000;
	struct drb_flow_table t;
	uint64_t now = 5 * MS, calls = 0;

	init(&t, count, 1, 30000 * MS, 1000 * MS);
	for (uint32_t i = 0; i < count; i++) {
		int32_t p =
			drb_flow_table_add(&t, drb_mix64(i), 0, i % UPLINKS, drb_flow_tick(now));
		assert_true(p >= 0);
	}
	assert_int_equal(t.live, count);
	assert_int_equal(drb_flow_table_add(&t, drb_mix64(count), 0, 0, drb_flow_tick(now)),
			 DRB_FLOW_NONE);
	for (uint32_t i = 0; i < count; i += DRB_FLOW_BULK) {
		uint64_t hash[DRB_FLOW_BULK];
		int32_t position[DRB_FLOW_BULK];
		for (uint32_t k = 0; k < DRB_FLOW_BULK; k++)
			hash[k] = drb_mix64(i + k);
		drb_flow_table_find(&t, hash, DRB_FLOW_BULK, position);
		for (uint32_t k = 0; k < DRB_FLOW_BULK; k++) {
			if (i + k >= count)
				continue;
			assert_true(position[k] >= 0);
			assert_int_equal(t.entry[position[k]].uplink, (i + k) % UPLINKS);
		}
	}
	now += 31000 * MS;
	while (t.live > 0) {
		uint32_t before = t.live;
		drb_flow_table_age(&t, now);
		assert_true(before - t.live <= 256 + 64); // bounded work per call
		if (now < t.due_ns)
			now = t.due_ns;
		assert_true(++calls < 100000);
	}
	check_loads(&t);
	assert_int_equal(t.idled, count);
	// There is room again.
	assert_true(drb_flow_table_add(&t, 7, 0, 0, drb_flow_tick(now)) >= 0);
	drb_flow_table_free(&t);
}

TEST(small_tables)
{
	for (uint32_t max = 1; max < 200; max += max < 20 ? 1 : 13) {
		struct drb_flow_table t;
		uint64_t now = 0;
		init(&t, max, 1, MS, MS);
		for (int round = 0; round < 3; round++) {
			for (uint32_t i = 0; i < max; i++)
				assert_true(drb_flow_table_add(&t, drb_mix64(i), 0, 0,
							       drb_flow_tick(now)) >= 0);
			assert_int_equal(drb_flow_table_add(&t, 1, 0, 0, drb_flow_tick(now)),
					 DRB_FLOW_NONE);
			now += 2 * MS;
			age_all(&t, &now);
			assert_int_equal(t.live, 0);
		}
		drb_flow_table_free(&t);
	}
}

TEST_MAIN(setup_eal, free_eal)
