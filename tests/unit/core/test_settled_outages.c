// SPDX-License-Identifier: BSD-3-Clause
// Outages that switches know once their hellos report nothing new, and the paths of packets then.
// Each switch knows only what its neighbours report. Whatever is dead or drained, hellos settle,
// and packets arrive between all racks that a path connects. A breadth-first search over the links
// finds which racks are connected.
#include "fixtures/unit.h"

#include "fixtures/outage_fabric.h"

// Sends `each` packets between all pairs of connected racks.
static void send_all(uint32_t each)
{
	for (uint32_t from = 0; from < w.racks; from++) {
		search(from);
		for (uint32_t i = 0; i < w.racks * each; i++) {
			const uint32_t rack = i / each;
			if (rack == from || w.node[rack].seen == NOBODY)
				continue;
			const uint32_t hops = travel(from, rack);
			w.packets++;
			w.lost += hops == NOBODY;
			w.longest = hops != NOBODY && hops > w.longest ? hops : w.longest;
		}
	}
}

// Numbers of faults to draw, by kind.
struct faults {
	uint32_t dead, drained, links, spare;
};

static void draw(const struct faults *f)
{
	const uint32_t upper = w.switches - w.racks, core = first_of(w.t.layers);

	mend_all();
	for (uint32_t i = 0; i < f->dead + f->drained; i++)
		take_switch(w.racks + drb_rng_below(&w.r, upper), i >= f->dead);
	for (uint32_t i = 0; i < f->links + f->spare; i++) {
		const uint32_t n = drb_rng_below(&w.r, core);
		take_link(n, drb_rng_below(&w.r, w.node[n].hops.up_ports), i >= f->links);
	}
}

static void nothing_lost(const struct faults *f, uint32_t each)
{
	w.lost = 0;
	send_all(each);
	if (w.lost > 0)
		fail_msg("F(3,%u), %u dead, %u drained, %u links dead, %u spare: lost %u packets",
			 w.t.arity, f->dead, f->drained, f->links, f->spare, w.lost);
}

static void all_arrive(const struct faults *f)
{
	settle();
	assert_int_equal(count(knows_more), 0);
	nothing_lost(f, 3);
}

static void say(const char *what)
{
	print_message("# F(3,%u), %s: %u packets, longest way %u links; %u outages at most, known "
		      "after %u hellos\n",
		      w.t.arity, what, w.packets, w.longest, w.most, w.rounds);
}

static uint32_t times(uint32_t n)
{
	return getenv("DRB_LONG") ? 20 * n : n;
}

TEST(anything_in_small_fabrics)
{
	for (uint32_t arity = 2; arity <= 4; arity += 2) {
		begin(3, arity);
		const uint32_t most = w.switches / 2;
		for (uint32_t n = 0; n < times(arity == 2 ? 300 : 15); n++) {
			const struct faults f = {
				drb_rng_below(&w.r, most), drb_rng_below(&w.r, most),
				drb_rng_below(&w.r, most), drb_rng_below(&w.r, most)};
			draw(&f);
			all_arrive(&f);
		}
		say("anything");
		end();
	}
}

TEST(many_in_a_large_one)
{
	static const struct faults all[] = {{.drained = 60},
					    {.dead = 80},
					    {.dead = 60, .drained = 190},
					    {.dead = 20, .drained = 20, .links = 50, .spare = 50}};

	begin(3, 8);
	for (uint32_t n = 0; n < times(ARRAY_SIZE(all)); n++) {
		draw(&all[n % ARRAY_SIZE(all)]);
		all_arrive(&all[n % ARRAY_SIZE(all)]);
	}
	say("many");
	end();
}

// Leaves only a tree of the links, as deep as possible.
static void leave_tree(uint32_t n, bool kept[SWITCHES_MAX][PORTS_MAX], bool seen[SWITCHES_MAX])
{
	const uint32_t first = drb_rng_below(&w.r, w.node[n].ports);

	seen[n] = true;
	for (uint32_t i = 0; i < w.node[n].ports; i++) {
		const uint32_t port = (first + i) % w.node[n].ports, peer = w.node[n].peer[port];
		if (peer == NOBODY || seen[peer])
			continue;
		kept[n][port] = kept[peer][w.node[n].peer_port[port]] = true;
		leave_tree(peer, kept, seen);
	}
}

// The longest of the shortest paths between any two switches.
static uint32_t width(void)
{
	uint32_t most = 0;

	for (uint32_t from = 0; from < w.switches; from++) {
		search(from);
		for (uint32_t n = 0; n < w.switches; n++) {
			const uint32_t far = w.node[n].seen;
			most = far != NOBODY && far > most ? far : most;
		}
	}
	return most;
}

// Whatever links are left, hellos settle. If no path is longer than outages are reported, every
// packet arrives.
TEST(hardly_anything_is_left)
{
	static const struct faults none;
	uint32_t wide = 0, tried = 0;

	for (uint32_t n = 0; n < times(60); n++) {
		bool kept[SWITCHES_MAX][PORTS_MAX] = {0}, seen[SWITCHES_MAX] = {0};
		begin(3, 2 + n % 3 / 2);
		draw(&none);
		w.r = drb_rng_seed(16, n);
		leave_tree(drb_rng_below(&w.r, w.switches), kept, seen);
		for (uint32_t s = 0; s < first_of(3); s++) {
			const uint32_t downs = w.node[s].hops.down_ports;
			for (uint32_t u = 0; u < w.node[s].hops.up_ports; u++) {
				if (!kept[s][downs + u] && drb_rng_below(&w.r, 10) < 10 - n % 8)
					take_link(s, u, false);
			}
		}
		settle();
		tried++;
		if (width() > drb_outage_distance_max(&w.t))
			wide++;
		else
			nothing_lost(&none, 3);
		end();
	}
	print_message("# trees with some more links: %u, of these %u too wide\n", tried, wide);
	assert_true(wide > 0 && wide < tried / 2);
}

// All switches know that some outages are left out, and continue to know it. Once most outages are
// mended, the switches know all that remain; once all are mended, they know none. Drained links
// lose nothing meanwhile.
TEST(more_than_fit)
{
	static const struct faults all[] = {{.spare = 600}, {.links = 300}, {.links = 20}, {0}};

	begin(3, 6);
	for (uint32_t i = 0; i < ARRAY_SIZE(all); i++) {
		draw(&all[i]);
		select_ports();
		for (uint32_t round = 0; round < 40; round++) {
			say_hello();
			assert_true(i > 1 || round < 15 || count(knows_more) == w.switches);
		}
		assert_int_equal(count(knows_more), i > 1 ? 0 : w.switches);
		assert_int_equal(count(knows_any), i > 2 ? 0 : w.switches);
		find_routes();
		w.lost = w.packets = 0;
		send_all(2);
		print_message("# %u spare, %u dead links: %u of %u packets lost\n", all[i].spare,
			      all[i].links, w.lost, w.packets);
		assert_true(w.lost == 0 || i == 1);
	}
	end();
}

TEST_MAIN(NULL, NULL)
