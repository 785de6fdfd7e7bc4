// SPDX-License-Identifier: BSD-3-Clause
// Transfers over the fabric: against the packet model and closed forms, and drops of full queues.
#include "fixtures/packet_run.h"
#include "fixtures/transfers.h"

#include "sim/flows/alone.h"

static struct drb_transfers_setup setup_of(uint32_t layers, uint32_t arity, enum drb_scheme scheme)
{
	struct drb_transfers_setup s = transfers_setup(layers, arity);

	s.scheme = scheme;
	return s;
}

#define SLOTS 150

// Each packet of a traffic is a transfer, and takes the same path and time as in the packet model.
static struct drb_latency times_of_traffic(const struct drb_packet_setup *p)
{
	const struct drb_transfers_setup s = {.tree = p->tree,
					      .scheme = p->scheme,
					      .choices = p->choices,
					      .threshold = p->threshold,
					      .queue = UINT32_MAX,
					      .fail = p->fail,
					      .slow = p->slow,
					      .delay = p->delay,
					      .pace = p->pace,
					      .seed = p->seed,
					      .memory = p->memory};
	struct drb_transfers *t = new_of(&s);
	struct drb_rng rng = drb_rng_seed(p->seed, 0);
	struct drb_traffic traffic;
	uint32_t memory[DRB_TRAFFIC_WORDS(54)] = {0}, dest[54], measured = 0, over = 0;
	size_t finished = 0;
	static uint64_t sample[SLOTS * 54];

	assert_int_equal(
		drb_traffic_init(&traffic,
				 &(struct drb_traffic_setup){&p->tree, p->traffic, p->rho, memory},
				 &rng),
		0);
	for (uint32_t slot = 0; slot < SLOTS || over < measured; slot++) {
		drb_traffic_slot(&traffic, &rng, slot, dest);
		for (uint32_t h = 0; h < p->tree.hosts; h++) {
			if (dest[h] != DRB_NO_LABEL)
				add(t, h, dest[h], 1);
		}
		measured = slot < SLOTS ? t->count : measured;
		assert_int_equal(drb_transfers_step(t), 0);
		over = 0;
		for (uint32_t i = 0; i < measured; i++)
			over += t->transfer[i].finish > 0 || t->transfer[i].dropped;
	}
	for (uint32_t i = 0; i < measured; i++) {
		if (t->transfer[i].finish) // otherwise it found no path
			sample[finished++] = t->transfer[i].finish - t->transfer[i].start;
	}
	drb_transfers_free(t);
	return drb_latency_of(sample, finished);
}

TEST(one_packet_transfers_are_the_packet_model)
{
	static const char *const traffics[] = {"permutation", "random", "fixed"};

	for (int i = 0; i < 3 * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup p = {
			.scheme = (enum drb_scheme)(i / 3),
			.choices = 2,
			.threshold = 1,
			.rho = 0.8,
			.slots = SLOTS,
			.stats = SLOTS,
			.detail = true,
			.fail = {.links = i % 2 ? 5 : 0},
			.slow = {i % 3 == 1 ? 5 : 0, 2},
			.delay = {{0, i % 4, i % 2, 3}, i % 3},
			.pace = {{0, 1, i % 3 == 2 ? 2 : 1, i % 3 == 2 ? 3 : 1}},
			.seed = 11,
			.memory = UINT64_C(64) << 20};
		// A transfer is a flow here, and a pair of hosts in the packet model.
		if (drb_scheme_has(p.scheme, DRB_READS_FLOW))
			continue;
		assert_int_equal(drb_tree_init(&p.tree, 3, 2 + i % 2), 0);
		assert_int_equal(drb_traffic_parse(traffics[i % 3], &p.traffic), 0);
		struct drb_packet_result r = run_packets(&p);
		struct drb_latency is = times_of_traffic(&p), want = r.detail.latency;
		assert_true(is.samples == want.samples && is.samples > 1000);
		assert_true(is.mean == want.mean && is.p50 == want.p50 && is.p99 == want.p99);
		assert_true(is.p999 == want.p999 && is.max == want.max);
	}
}

// More than ten thousand packets are in flight at a time, with entropies and detours.
TEST(dead_links_leave_room_for_many_packets)
{
	struct drb_transfers_setup s = setup_of(3, 8, DRB_SCHEME_ECMP);
	const uint32_t hosts = s.tree.hosts, size = 30;

	s.fail.links = 100;
	s.hosts = DRB_HOSTS_SPRAY;
	s.memory = UINT64_C(256) << 20;
	for (uint32_t m = 1; m <= 3; m++)
		s.delay.link[m] = 3;
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < hosts; h++)
		add(t, h, (h + hosts / 2) % hosts, size);
	for (uint32_t slot = 0; t->over < hosts && slot < 1000; slot++)
		assert_int_equal(drb_transfers_step(t), 0);
	assert_int_equal(t->arrived + t->dropped, (uint64_t)hosts * size);
	assert_true(t->dropped < t->arrived / 1000); // few find no path
	assert_true(t->flying.room > 20000);
	drb_transfers_free(t);
}

// All links between switches take K slots for a packet, so each packet after the first also takes K
// slots.
TEST(slow_links_bound_it)
{
	static const uint32_t to[] = {1, 2, 15}, size[] = {1, 2, 100}, slots[] = {1, 2, 7};

	for (uint32_t i = 0; i < 27; i++) {
		struct drb_transfers_setup s = setup_of(3, 2, DRB_SCHEME_DMODK);
		uint32_t links = i % 3 * 2, n = size[i / 3 % 3], k = slots[i / 9];
		s.slow = (struct drb_slow){32, k};
		struct drb_transfers *t = new_of(&s);
		add(t, 0, to[i % 3], n);
		run_out(t);
		uint64_t took = t->transfer[0].finish - t->transfer[0].start;
		assert_int_equal(took,
				 n - 1 + 2 * (i % 3 + 1) + (links ? (k - 1) * (links + n - 1) : 0));
		drb_transfers_free(t);
	}
}

TEST(alone_it_takes_its_size_and_its_way)
{
	static const uint32_t to[] = {1, 2, 15}, size[] = {1, 2, 100};

	for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
		for (uint32_t i = 0; i < 9; i++) {
			struct drb_transfers_setup s = setup_of(3, 2, (enum drb_scheme)scheme);
			const uint32_t k = i % 3 + 1, delay[] = {0, 0, 2, 12};
			if (i % 2)
				s.delay = (struct drb_delay){{0, 0, 1, 5}, 0};
			struct drb_transfers *t = new_of(&s);
			for (uint32_t idle = 0; idle < i; idle++)
				assert_int_equal(drb_transfers_step(t), 0);
			add(t, 0, to[i % 3], size[i / 3]);
			run_out(t);
			uint64_t took = t->transfer[0].finish - t->transfer[0].start;
			assert_int_equal(took, size[i / 3] - 1 + 2 * k + i % 2 * delay[k]);
			assert_int_equal(took, drb_transfer_alone(&s, &t->transfer[0]));
			drb_transfers_free(t);
		}
	}
}

// With the same source, the time alone is that of a run with one transfer, at any distance.
TEST(alone_with_the_same_source_it_takes_as_long)
{
	static const uint32_t to[] = {1, 4, 127}, size[] = {1, 20, 300};
	uint32_t longer = 0;

	for (int source = DRB_SIM_OPEN; source <= DRB_SIM_UEC; source++) {
		struct drb_transfers_setup s = setup_of(3, 4, DRB_SCHEME_DRB);
		struct drb_alone alone = {&s, true, NULL};
		s.source = (enum drb_sim_source)source;
		s.handshake = source == DRB_SIM_WINDOW;
		s.delay = (struct drb_delay){{0, 3, 3, 9}, 0};
		for (uint32_t i = 0; i < 18; i++) {
			struct drb_transfers *t = new_of(&s);
			add(t, 0, to[i % 3], size[i / 3 % 3]);
			run_out(t);
			const struct drb_transfer *f = &t->transfer[0];
			assert_int_equal(drb_alone_slots(&alone, f, 100000), f->finish);
			longer += f->finish > drb_transfer_alone(&s, f);
			assert_int_equal(
				drb_alone_slots(&(struct drb_alone){&s, false, NULL}, f, 100000),
				drb_transfer_alone(&s, f));
			drb_transfers_free(t);
		}
		drb_alone_free(&alone);
	}
	assert_true(longer > 0);
}

// Transfers of a host send one packet each in turn: the shorter of two is done after twice its
// size.
TEST(transfers_of_a_host_take_turns)
{
	struct drb_transfers_setup s = setup_of(1, 4, DRB_SCHEME_DRB);
	struct drb_transfers *t = new_of(&s);

	add(t, 0, 1, 30);
	add(t, 0, 2, 10);
	run_out(t);
	// Transfer 1 sends in slots 1, 3, ... 19. Transfer 0 sends in all other slots from 0 on.
	assert_int_equal(t->transfer[1].finish, 19 + 2);
	assert_int_equal(t->transfer[0].finish, 39 + 2);
	drb_transfers_free(t);
}

TEST(a_link_to_a_host_is_shared)
{
	struct drb_transfers_setup s = setup_of(1, 4, DRB_SCHEME_DRB);
	struct drb_transfers *t = new_of(&s);
	uint64_t last = 0;

	for (uint32_t h = 1; h < 8; h++)
		add(t, h, 0, 50);
	run_out(t);
	for (uint32_t i = 0; i < 7; i++)
		last = t->transfer[i].finish > last ? t->transfer[i].finish : last;
	assert_int_equal(last, 7 * 50 - 1 + 2);
	assert_int_equal(t->arrived, 7 * 50);
	drb_transfers_free(t);
}

// Seven senders send to one link: packets that find the queue full are dropped, and fail their
// transfers.
TEST(a_full_queue_drops)
{
	static const uint32_t queues[] = {1, 5, 40, 299, 300};

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++) {
		struct drb_transfers_setup s = setup_of(1, 4, DRB_SCHEME_DRB);
		s.queue = queues[i];
		struct drb_transfers *t = new_of(&s);
		uint32_t len = 0, dropped = 0, broken = 0;
		for (uint32_t h = 1; h < 8; h++)
			add(t, h, 0, 50);
		for (uint32_t slot = 0; slot < 50; slot++) {
			uint32_t room = queues[i] - len, joins = room < 7 ? room : 7;
			dropped += 7 - joins;
			len += joins - 1;
		}
		run_out(t);
		assert_int_equal(t->dropped, dropped);
		assert_int_equal(t->arrived, 350 - dropped);
		for (uint32_t k = 0; k < 7; k++) {
			const struct drb_transfer *f = &t->transfer[k];
			assert_int_equal(f->arrived + f->dropped, 50);
			assert_int_equal(f->finish == 0, f->dropped > 0);
			broken += f->dropped > 0;
		}
		assert_int_equal(broken > 0, dropped > 0);
		struct drb_packet_count c = drb_packet_counted(t->sim);
		assert_int_equal(c.in, c.out + c.lost);
		assert_int_equal(c.inside, 0);
		drb_transfers_free(t);
	}
}

// Every host sends to a random other host. finish: the slots in which the transfers end.
static void run_random(struct drb_transfers *t, uint64_t finish[])
{
	uint32_t hosts = t->setup.tree.hosts;
	struct drb_rng rng = drb_rng_seed(4, 0);

	for (uint32_t h = 0; h < hosts; h++)
		add(t, h, (h + 1 + drb_rng_below(&rng, hosts - 1)) % hosts, 40 + h);
	run_out(t);
	for (uint32_t i = 0; i < hosts; i++)
		finish[i] = t->transfer[i].finish;
}

// A flow counts at each of its uplinks until it ends: least gives each flow its own uplink.
TEST(flows_are_counted_where_they_go)
{
	struct drb_transfers_setup s = setup_of(2, 4, DRB_SCHEME_LEAST);

	s.unit = DRB_SIM_FLOW;
	struct drb_transfers *t = new_of(&s);
	for (uint32_t h = 0; h < 4; h++)
		add(t, h, 4 + 4 * h, 60);
	for (int i = 0; i < 20; i++)
		assert_int_equal(drb_transfers_step(t), 0);
	for (uint32_t u = 0; u < 4; u++)
		assert_int_equal(t->flows[1][u], 1);
	run_out(t);
	for (uint32_t u = 0; u < 4; u++)
		assert_int_equal(t->flows[1][u], 0);
	// No transfer waited.
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(t->transfer[i].finish, 60 - 1 + 4);
	drb_transfers_free(t);
}

// No flow pauses for longer than the longest gap, so flowlets equal flows there. With a gap of 0
// every packet is a flowlet.
TEST(flowlets_lie_between_packets_and_flows)
{
	uint64_t packet[54], flowlet[54], flow[54];

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		struct drb_transfers_setup s = setup_of(3, 3, (enum drb_scheme)i);
		struct drb_transfers *t;
		if (drb_scheme_packets_only(s.scheme)) {
			s.unit = DRB_SIM_FLOWLET;
			assert_int_equal(drb_transfers_new(&t, &s), -EINVAL);
			continue;
		}
		t = new_of(&s);
		run_random(t, packet);
		drb_transfers_free(t);
		s.unit = DRB_SIM_FLOWLET;
		t = new_of(&s);
		run_random(t, flowlet);
		drb_transfers_free(t);
		assert_memory_equal(packet, flowlet, sizeof(packet));
		s.gap = UINT32_MAX;
		t = new_of(&s);
		run_random(t, flow);
		drb_transfers_free(t);
		bool differs = memcmp(packet, flow, sizeof(flow)) != 0;
		// Results agree for schemes that decide only by fields which all packets of a flow
		// share.
		const struct drb_scheme_ops *ops = drb_scheme_ops(s.scheme);
		assert_int_equal(differs,
				 ops->draw != DRB_DRAW_NONE || ops->compares != DRB_COMPARES_NONE);
	}
}

TEST_MAIN(NULL, NULL)
