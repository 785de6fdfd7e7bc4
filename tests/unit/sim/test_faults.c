// SPDX-License-Identifier: BSD-3-Clause
// Faults in time: when switches learn of them, the losses that they cause, and their file.
#include "fixtures/packet_run.h"
#include "fixtures/transfers.h"

#include "sim/models/links.h"
#include "sim/models/packet_sim.h"

static struct drb_packet_setup packets(uint32_t layers, uint32_t arity, enum drb_scheme scheme)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .threshold = 1,
				     .rho = 0.6,
				     .slots = 200,
				     .stats = 100,
				     .most_slots = 2000,
				     .seed = 5,
				     .memory = UINT64_C(64) << 20};

	assert_int_equal(drb_tree_init(&s.tree, layers, arity), 0);
	assert_int_equal(drb_traffic_parse("random", &s.traffic), 0);
	return s;
}

static struct drb_dead named(const struct drb_tree *t, const char *name)
{
	struct drb_dead dead;

	assert_true(drb_dead_named(t, name, &dead));
	return dead;
}

static const char *const broken[] = {"s1-1.u0", "s2-1.u1", "s3-2.d3", "s1-3", "s2-2", "s3-0"};

// A fault in slot 0 that is known at once equals a fault that exists from the beginning.
TEST(known_at_once_is_dead_from_the_beginning)
{
	for (size_t i = 0; i < ARRAY_SIZE(broken) * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup s = packets(3, 2, (enum drb_scheme)(i % DRB_SCHEME_COUNT));
		const struct drb_fault fault = {
			.kind = DRB_FAULT_CUT,
			.what = named(&s.tree, broken[i / DRB_SCHEME_COUNT])};
		s.fail = (struct drb_fail){.known = &fault.what, .count = 1};
		const struct drb_packet_result from_start = run_packets(&s);
		s.fail = (struct drb_fail){0};
		s.faults = (struct drb_fault_list){.fault = &fault, .count = 1};
		const struct drb_packet_result r = run_packets(&s);
		assert_true(r.latency == from_start.latency && r.tail == from_start.tail);
		assert_true(r.lost == from_start.lost && r.throughput == from_start.throughput);
		assert_int_equal(r.hops, from_start.hops);
		assert_memory_equal(&r.lost_to, &from_start.lost_to, sizeof(r.lost_to));
	}
}

static void all_to_the_next(struct drb_transfers *t, uint32_t size)
{
	const uint32_t hosts = t->setup.tree.hosts;

	for (uint32_t h = 0; h < hosts; h++)
		add(t, h, (h + hosts / 2 + 1) % hosts, size);
}

TEST(transfers_know_at_once_as_well)
{
	for (int source = DRB_SIM_OPEN; source <= DRB_SIM_UEC; source++) {
		struct drb_transfers_setup s = transfers_setup(3, 3);
		const struct drb_fault fault = {.kind = DRB_FAULT_CUT,
						.what = named(&s.tree, "s3-1")};
		struct drb_transfers *t[2];
		s.source = (enum drb_sim_source)source;
		s.timeout = 200;
		s.mark = 20;
		s.scheme = DRB_SCHEME_MICRO;
		for (int k = 0; k < 2; k++) {
			s.fail = (struct drb_fail){.known = k ? NULL : &fault.what, .count = !k};
			s.faults = (struct drb_fault_list){.fault = &fault, .count = (uint32_t)k};
			t[k] = new_of(&s);
			all_to_the_next(t[k], 60);
			run_out(t[k]);
		}
		for (uint32_t i = 0; i < t[0]->count; i++)
			assert_int_equal(t[0]->transfer[i].finish, t[1]->transfer[i].finish);
		assert_int_equal(t[0]->dropped, t[1]->dropped);
		drb_transfers_free(t[0]);
		drb_transfers_free(t[1]);
	}
}

#define FAULTS 40

// Links and switches fail by all kinds of fault and recover.
static void draw(struct drb_rng *rng, const struct drb_tree *t, struct drb_fault fault[FAULTS])
{
	for (uint32_t i = 0; i < FAULTS; i++) {
		struct drb_fault *f = &fault[i];
		*f = (struct drb_fault){.slot = i * 150 / FAULTS,
					.kind = (enum drb_fault_kind)drb_rng_below(rng, 3),
					.what.is_switch = drb_rng_below(rng, 3) == 0,
					.pace = 1 + drb_rng_below(rng, 3)};
		struct drb_end *end = &f->what.end;
		if (f->what.is_switch) {
			end->layer = 1 + drb_rng_below(rng, t->layers);
			end->label = drb_rng_below(rng, 2);
		} else {
			*end = drb_link_numbered(
				t, drb_rng_below(rng, (uint32_t)drb_links_between(t)));
			f->kind = drb_rng_below(rng, 5) ? f->kind : DRB_FAULT_SLOW;
		}
	}
}

static bool same_thing(const struct drb_dead *a, const struct drb_dead *b)
{
	return a->is_switch == b->is_switch && a->end.layer == b->end.layer &&
	       a->end.label == b->end.label && (a->is_switch || a->end.port == b->end.port);
}

// Finds the links and switches that are cut in a slot, each once.
static uint32_t cut_by(const struct drb_fault fault[FAULTS], int64_t slot,
		       struct drb_dead dead[FAULTS])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < FAULTS; i++) {
		bool last = fault[i].slot <= slot && fault[i].kind == DRB_FAULT_CUT;
		for (uint32_t k = i + 1; k < FAULTS && fault[k].slot <= slot; k++)
			last &= fault[k].kind == DRB_FAULT_SLOW ||
				!same_thing(&fault[i].what, &fault[k].what);
		if (last)
			dead[count++] = fault[i].what;
	}
	return count;
}

static void assert_same_knowledge(const struct drb_failures *a, const struct drb_failures *b,
				  const struct drb_tree *t)
{
	for (uint32_t i = 0; i < t->layers * a->stride; i++) {
		const struct drb_usable_ports *x = &a->at[i], *y = &b->at[i];
		assert_int_equal(x->usable, y->usable);
		assert_int_equal(x->no_alternate, y->no_alternate);
		assert_int_equal(!x->routes, !y->routes);
		if (x->routes)
			assert_memory_equal(x->routes, y->routes,
					    drb_tree_switches(t, 1) * sizeof(*x->routes));
	}
}

// In each slot, switches know which links and switches were dead `detect` slots before.
TEST(switches_know_later)
{
	static const uint32_t detect[] = {0, 1, 30};
	struct drb_rng rng = drb_rng_seed(1, 1);

	for (uint32_t run = 0; run < 30; run++) {
		struct drb_packet_setup s = packets(2 + run % 2, 2 + run % 3, DRB_SCHEME_DRB);
		struct drb_fault fault[FAULTS];
		struct drb_packet_sim *sim;
		draw(&rng, &s.tree, fault);
		s.rho = 0;
		s.faults = (struct drb_fault_list){fault, FAULTS, detect[run % 3], {0}};
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (int64_t slot = 0; slot < 200; slot++) {
			struct drb_dead dead[FAULTS];
			struct drb_failures f;
			const struct drb_fail fail = {
				.known = dead,
				.count = cut_by(fault, slot - s.faults.detect, dead)};
			assert_int_equal(drb_packet_step(sim), 0);
			assert_int_equal(drb_failures_make(&f, &s.tree, fail, 1), 0);
			assert_same_knowledge(&f, &sim->failures, &s.tree);
			drb_failures_free(&f);
		}
		drb_packet_free(sim);
	}
}

static void check_queues(const struct drb_packet_sim *sim)
{
	for (uint32_t m = 1; m <= sim->fabric.tree.layers; m++) {
		const struct drb_layer *l = &sim->fabric.layer[m];
		uint64_t up = 0, down = 0;
		for (uint32_t i = 0; i < l->switches * (l->up + l->down); i++)
			*(i % (l->up + l->down) < l->up ? &up : &down) += l->len[i];
		assert_int_equal(up, sim->meter[m].up_now);
		assert_int_equal(down, sim->meter[m].down_now);
	}
}

// Every lost packet is counted with its cause.
TEST(packets_are_delivered_lost_or_inside)
{
	struct drb_rng rng = drb_rng_seed(2, 1);
	struct drb_lost all = {0};

	for (uint32_t run = 0; run < 30; run++) {
		struct drb_packet_setup s =
			packets(3, 2 + run % 3, (enum drb_scheme)(run % DRB_SCHEME_COUNT));
		struct drb_fault fault[FAULTS];
		struct drb_packet_sim *sim;
		draw(&rng, &s.tree, fault);
		s.delay.link[3] = run % 4;
		s.faults = (struct drb_fault_list){fault, FAULTS, run % 2 ? 20 : 0, {2, 50}};
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (uint32_t slot = 0; slot < 300; slot++) {
			assert_int_equal(drb_packet_step(sim), 0);
			const struct drb_packet_count c = drb_packet_counted(sim);
			assert_int_equal(c.in, c.out + c.lost + c.inside);
			check_queues(sim);
		}
		const struct drb_lost *l = &sim->lost_to;
		assert_int_equal(sim->lost, l->no_way + l->on_links + l->in_switches);
		all.no_way += l->no_way;
		all.on_links += l->on_links;
		all.in_switches += l->in_switches;
		drb_packet_free(sim);
	}
	assert_true(all.no_way > 100 && all.on_links > 100 && all.in_switches > 100);
}

// With windows all packets arrive in the end, however many were lost.
TEST(windows_send_again_what_faults_took)
{
	static const char text[] = "20 cut s2-0.u0 s1-1.u1\n40 kill s2-3\n60 gray s3-0\n"
				   "300 mend s2-0.u0 s1-1.u1\n300 start s2-3 s3-0\n";

	for (int source = DRB_SIM_WINDOW; source <= DRB_SIM_UEC; source++) {
		struct drb_transfers_setup s = transfers_setup(3, 2);
		const struct drb_faults_scale scale = {&s.tree, 0};
		char why[DRB_FAULTS_WHY_MAX], copy[sizeof(text)];
		memcpy(copy, text, sizeof(text));
		FILE *in = fmemopen(copy, sizeof(text) - 1, "r");
		assert_int_equal(drb_faults_read("f", in, &scale, &s.faults, why), 0);
		fclose(in);
		s.faults.detect = 30;
		s.source = (enum drb_sim_source)source;
		s.timeout = 100;
		s.mark = 20;
		struct drb_transfers *t = new_of(&s);
		all_to_the_next(t, 200);
		run_out(t);
		const struct drb_lost *l = &t->sim->lost_to;
		assert_true(l->on_links > 0 && l->in_switches > 0);
		assert_int_equal(t->dropped, l->no_way + l->on_links + l->in_switches);
		assert_true(t->resent >= t->dropped);
		drb_transfers_free(t);
		free((void *)(uintptr_t)s.faults.fault);
	}
}

static int read_text(const char *text, double slot_ns, struct drb_fault_list *list,
		     char why[DRB_FAULTS_WHY_MAX])
{
	struct drb_tree t;
	const struct drb_faults_scale scale = {&t, slot_ns};
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_int_equal(drb_tree_init(&t, 3, 2), 0);
	int rc = drb_faults_read("list", in, &scale, list, why);
	fclose(in);
	return rc;
}

TEST(files_are_read_in_the_order_of_time)
{
	struct drb_fault_list list = {0};
	char why[DRB_FAULTS_WHY_MAX];

	assert_int_equal(read_text("# all\n20us mend s3-1.d2\n7 slow s1-0.u1 9 # slower\n"
				   "7 gray s2-1 s1-2.u0\n\n0 kill s1-3\n",
				   100, &list, why),
			 0);
	static const struct drb_fault expected[] = {
		{0, DRB_FAULT_CUT, {{1, 3, 0, false}, true}, 0, 4},
		{7, DRB_FAULT_SLOW, {{1, 0, 1, true}, false}, 9, 1},
		{7, DRB_FAULT_GRAY, {{2, 1, 0, false}, true}, 0, 2},
		{7, DRB_FAULT_GRAY, {{1, 2, 0, true}, false}, 0, 3},
		{200, DRB_FAULT_MEND, {{2, 5, 0, true}, false}, 0, 0},
	};
	assert_int_equal(list.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct drb_fault *f = &list.fault[i], *e = &expected[i];
		assert_int_equal(f->slot, e->slot);
		assert_int_equal(f->kind, e->kind);
		assert_int_equal(f->pace, e->pace);
		assert_int_equal(f->place, e->place);
		assert_true(f->what.is_switch == e->what.is_switch);
		if (i < 4)
			assert_true(same_thing(&f->what, &e->what));
	}
	assert_true(list.fault[4].what.end.layer == 2 && list.fault[4].what.end.up);
	free((void *)(uintptr_t)list.fault);
}

TEST(mistakes_are_named)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"5 cut\n", "list:1: cut: a name is missing"},
		{"\n5 burn s2-1\n", "list:2: must be TIME VERB NAME..."},
		{"5\n", "list:1: must be TIME VERB NAME..."},
		{"-5 kill s2-1\n", "list:1: '-5' is no time"},
		{"1000000001 kill s2-1\n", "is no time: must be slots up to 1000000000"},
		{"5us kill s2-1\n", "list:1: '5us': this model has no --slot"},
		{"5 kill s2-8\n", "list:1: kill: 's2-8' is no switch of F(3,2), such as s3-0"},
		{"5 kill s2-1.u0\n", "is no switch"},
		{"5 cut s2-1\n",
		 "cut: 's2-1' is no link between switches of F(3,2), such as s2-0.u0"},
		{"5 cut s1-0.d0\n", "is no link between switches"},
		{"5 mend h0\n", "is no link between switches"},
		{"5 gray x\n", "gray: 'x' is no link between switches and no switch"},
		{"5 slow s2-0.u0\n", "slow: must be slow LINK SLOTS"},
		{"5 slow s2-0.u0 0\n", "slow: must be slow LINK SLOTS"},
		{"5 slow s2-0.u0 3 4\n", "slow: must be slow LINK SLOTS"},
		{"# nothing\n", "list:1: has no fault"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_fault_list list = {0};
		char why[DRB_FAULTS_WHY_MAX] = "";
		assert_int_equal(read_text(cases[i].text, 0, &list, why), -EINVAL);
		if (!strstr(why, cases[i].why))
			fail_msg("'%s': %s", cases[i].text, why);
		assert_null(list.fault);
	}
}

TEST_MAIN(NULL, NULL)
