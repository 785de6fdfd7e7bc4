// SPDX-License-Identifier: BSD-3-Clause
// Detours around dead links and switches: every outcome of every draw, for every pair of hosts. A
// packet that is not on a detour may take any usable uplink, so the results hold for every scheme.
#include "fixtures/unit.h"

#include "core/routing/detour.h"
#include "core/math/random.h"

#include "fixtures/draws.h"

#define SWITCHES_MAX 200
#define PORTS_MAX 6
#define MARKS 128
#define LINKS_MAX 512

enum { UNSEEN, OPEN, DONE };

// The possible outcomes of a packet from one point on.
struct fate {
	uint8_t visit;
	bool lost;       // for some draws
	uint8_t longest; // hops to the host, if it is not lost
};

struct link {
	uint32_t layer, label, port; // lower end, an up-port
};

struct world {
	struct drb_tree t;
	uint32_t first[DRB_LAYERS_MAX + 2]; // number of the first switch of a layer
	struct drb_detour_node at[SWITCHES_MAX];
	struct drb_usable_ports links[SWITCHES_MAX];
	struct link link[LINKS_MAX];
	uint32_t switches, link_count;
	struct draws draws;
	struct fate fate[SWITCHES_MAX][PORTS_MAX][MARKS];
};

static struct world w;

static uint32_t number(uint32_t layer, uint32_t label)
{
	return w.first[layer] + label;
}

static void begin(const uint32_t tree[3])
{
	uint32_t layers = tree[0], arity = tree[1];

	memset(&w, 0, sizeof(w));
	assert_int_equal(drb_tree_init_uplinks(&w.t, layers, arity, tree[2]), 0);
	w.draws = draws_up_to(2 * arity);
	for (uint32_t m = 1; m <= layers; m++) {
		w.first[m] = w.switches;
		for (uint32_t s = 0; s < drb_tree_switches(&w.t, m); s++) {
			w.at[w.switches++] = (struct drb_detour_node){
				.hop = drb_hop_at(&w.t, m, s),
				.layer = m,
				.down_ports = drb_tree_down_ports(&w.t, m),
				.up_ports = drb_tree_up_ports(&w.t, m),
			};
			for (uint32_t u = 0; u < drb_tree_up_ports(&w.t, m); u++)
				w.link[w.link_count++] = (struct link){m, s, u};
		}
	}
	w.first[layers + 1] = w.switches;
	assert_true(w.switches <= SWITCHES_MAX && w.link_count <= LINKS_MAX);
}

static void all_usable(void)
{
	for (uint32_t n = 0; n < w.switches; n++)
		w.links[n] = (struct drb_usable_ports){
			.usable = (UINT64_C(1) << (w.at[n].down_ports + w.at[n].up_ports)) - 1};
}

static void cut(const struct link *l)
{
	struct drb_end peer = drb_tree_up_peer(&w.t, l->layer, l->label, l->port);
	uint32_t low = number(l->layer, l->label);

	w.links[low].usable &= ~(UINT64_C(1) << (w.at[low].down_ports + l->port));
	w.links[number(peer.layer, peer.label)].usable &= ~(UINT64_C(1) << peer.port);
}

static void kill(uint32_t layer, uint32_t label)
{
	for (uint32_t i = 0; i < w.link_count; i++) {
		const struct link *l = &w.link[i];
		struct drb_end peer = drb_tree_up_peer(&w.t, l->layer, l->label, l->port);
		if ((l->layer == layer && l->label == label) ||
		    (peer.layer == layer && peer.label == label))
			cut(l);
	}
}

// Switches learn from the hellos of the switches below which of these have no alternate uplink.
static void learn_no_alternate(void)
{
	for (uint32_t i = 0; i < w.link_count; i++) {
		const struct link *l = &w.link[i];
		struct drb_end peer = drb_tree_up_peer(&w.t, l->layer, l->label, l->port);
		uint32_t low = number(l->layer, l->label);
		if (__builtin_popcountll(w.links[low].usable >> w.at[low].down_ports) < 2)
			w.links[number(peer.layer, peer.label)].no_alternate |= UINT64_C(1)
										<< peer.port;
	}
}

static struct fate follow(uint32_t n, uint32_t label, uint32_t in, uint8_t mark, uint32_t dst);

static void follow_to(struct fate *f, uint32_t n, uint32_t label, struct drb_detour_hop to,
		      uint32_t dst)
{
	const struct drb_detour_node *s = &w.at[n];
	struct drb_end end;
	struct fate then;

	assert_true(to.port >= 0 && w.links[n].usable >> to.port & 1);
	assert_true((to.mark & 0xf) * 2 <= DRB_DETOUR_HOPS_MAX);
	if ((uint32_t)to.port >= s->down_ports)
		end = drb_tree_up_peer(&w.t, s->layer, label, (uint32_t)to.port - s->down_ports);
	else
		end = drb_tree_down_peer(&w.t, s->layer, label, (uint32_t)to.port);
	if (end.layer == 0) {
		assert_int_equal(end.label, dst);
		assert_int_equal(to.mark, 0);
		then = (struct fate){.longest = 0};
	} else {
		uint32_t next = number(end.layer, end.label);
		then = follow(next, end.label, end.up ? w.at[next].down_ports + end.port : end.port,
			      to.mark, dst);
	}
	f->lost |= then.lost;
	if (!then.lost && then.longest + 1 > f->longest)
		f->longest = then.longest + 1;
}

static struct fate follow(uint32_t n, uint32_t label, uint32_t in, uint8_t mark, uint32_t dst)
{
	struct fate *f = &w.fate[n][in][mark];

	if (f->visit == DONE)
		return *f;
	assert_int_equal(f->visit, UNSEEN); // there is never a loop
	f->visit = OPEN;
	uint64_t seen[MARKS] = {0};
	for (uint32_t i = 0; i < w.draws.count; i++) {
		uint64_t draw = (uint64_t)w.draws.half[i] << 32;
		struct drb_detour_hop to = drb_detour_next(
			&w.at[n], w.links[n], &(struct drb_detour_packet){dst, in, mark, draw});
		if (to.port < 0) {
			assert_int_not_equal(to.port, DRB_DETOUR_INVALID);
			f->lost = true;
		} else if (!(seen[to.mark] >> to.port & 1)) {
			seen[to.mark] |= UINT64_C(1) << to.port;
			follow_to(f, n, label, to, dst);
		}
	}
	f->visit = DONE;
	return *f;
}

// The results hold for one destination only.
static void forget(void)
{
	memset(w.fate, 0, w.switches * sizeof(w.fate[0]));
}

static struct fate send(uint32_t src, uint32_t dst)
{
	struct drb_end host = drb_tree_host_peer(&w.t, src);

	return follow(number(host.layer, host.label), host.label, host.port, 0, dst);
}

static uint32_t shortest(uint32_t src, uint32_t dst)
{
	return 2 * drb_distance(&w.t, src, dst) - 1;
}

// Marks the switches that usable links connect to the switch of host src.
static void reach(uint32_t src, bool reached[])
{
	struct drb_end host = drb_tree_host_peer(&w.t, src);
	bool more = true;

	memset(reached, 0, SWITCHES_MAX * sizeof(reached[0]));
	reached[number(host.layer, host.label)] = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < w.link_count; i++) {
			const struct link *l = &w.link[i];
			struct drb_end peer = drb_tree_up_peer(&w.t, l->layer, l->label, l->port);
			uint32_t low = number(l->layer, l->label);
			uint32_t high = number(peer.layer, peer.label);
			if (!(w.links[high].usable >> peer.port & 1) ||
			    reached[low] == reached[high])
				continue;
			reached[low] = reached[high] = more = true;
		}
	}
}

static bool connected(const bool reached[], uint32_t dst)
{
	struct drb_end host = drb_tree_host_peer(&w.t, dst);

	return reached[number(host.layer, host.label)];
}

struct found {
	uint32_t pairs, apart, late, lost, extra[DRB_DETOUR_HOPS_MAX / 2 + 1];
};

// Sends between all pairs with the present links.
static struct found all_pairs(void)
{
	struct found found = {0};
	static bool reached[1024][SWITCHES_MAX];

	learn_no_alternate();
	assert_true(w.t.hosts <= 1024);
	for (uint32_t src = 0; src < w.t.hosts; src++)
		reach(src, reached[src]);
	for (uint32_t dst = 0; dst < w.t.hosts; dst++) {
		forget();
		for (uint32_t src = 0; src < w.t.hosts; src++) {
			if (src == dst)
				continue;
			struct fate f = send(src, dst);
			found.pairs++;
			if (!connected(reached[src], dst)) {
				assert_int_equal(f.longest, 0);
				found.apart++;
			} else if (f.lost) {
				found.lost++;
			} else {
				uint32_t extra = f.longest - shortest(src, dst);
				assert_true(extra % 2 == 0 && extra <= DRB_DETOUR_HOPS_MAX);
				found.extra[extra / 2]++;
			}
		}
	}
	return found;
}

static const uint32_t f32[] = {3, 2, 2};
// Layers, arity, uplinks of layer 1.
static const uint32_t trees[][3] = {{2, 2, 2}, {2, 3, 3}, {3, 2, 2}, {4, 2, 2},
				    {3, 3, 3}, {2, 3, 2}, {3, 3, 2}};

// A packet to dst is affected if it may descend through the upper end of the link.
static bool affected(const struct link *l, uint32_t src, uint32_t dst)
{
	uint32_t low = number(l->layer, l->label);

	return drb_hop_below(&w.at[low].hop, dst) && drb_distance(&w.t, src, dst) > l->layer;
}

static void one_link(const struct link *l)
{
	all_usable();
	cut(l);
	learn_no_alternate();
	for (uint32_t dst = 0; dst < w.t.hosts; dst++) {
		forget();
		for (uint32_t src = 0; src < w.t.hosts; src++) {
			if (src == dst)
				continue;
			struct fate f = send(src, dst);
			uint32_t extra = affected(l, src, dst) ? 2 : 0;
			assert_false(f.lost);
			assert_int_equal(f.longest, shortest(src, dst) + extra);
		}
	}
}

// A dead link costs affected pairs exactly two more hops, and other pairs none.
TEST(every_link)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		begin(trees[i]);
		for (uint32_t l = 0; l < w.link_count; l++)
			one_link(&w.link[l]);
	}
}

// Hosts of all other layer-1 switches are reached.
TEST(every_switch)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		begin(trees[i]);
		for (uint32_t m = 1; m <= w.t.layers; m++) {
			for (uint32_t s = 0; s < drb_tree_switches(&w.t, m); s++) {
				all_usable();
				kill(m, s);
				struct found f = all_pairs();
				uint32_t d = w.t.arity, cut_off = 2 * d * (w.t.hosts - d);
				assert_int_equal(f.apart, m == 1 ? cut_off : 0);
				assert_int_equal(f.lost, 0);
			}
		}
	}
}

static void show(const char *what, const struct found *f)
{
	print_message("# %s: of %u pairs %u apart, %u may be lost; longest detour 0, 2, 4, 6 hops: "
		      "%u, %u, %u, %u\n",
		      what, f->pairs, f->apart, f->lost, f->extra[0], f->extra[1], f->extra[2],
		      f->extra[3]);
}

static void sum(struct found *to, const struct found *f)
{
	to->pairs += f->pairs;
	to->apart += f->apart;
	to->lost += f->lost;
	for (size_t i = 0; i < ARRAY_SIZE(f->extra); i++)
		to->extra[i] += f->extra[i];
}

static void name_of(const struct link *l, char text[32])
{
	struct drb_end p = drb_tree_up_peer(&w.t, l->layer, l->label, l->port);

	snprintf(text, 32, "s%u-%u.u%u (s%u-%u.d%u)", l->layer, l->label, l->port, p.layer, p.label,
		 p.port);
}

TEST(every_two_links)
{
	struct found all = {0};

	begin(f32);
	for (uint32_t a = 0; a < w.link_count; a++) {
		for (uint32_t b = a + 1; b < w.link_count; b++) {
			all_usable();
			cut(&w.link[a]);
			cut(&w.link[b]);
			struct found f = all_pairs();
			sum(&all, &f);
			if (f.lost) {
				char one[32], two[32];
				name_of(&w.link[a], one);
				name_of(&w.link[b], two);
				print_message("# %s and %s: %u\n", one, two, f.lost);
			}
		}
	}
	show("two dead links", &all);
	assert_int_equal(all.lost, 0);
}

static struct drb_detour_node at(uint32_t layer, uint32_t label)
{
	return w.at[number(layer, label)];
}

static int32_t port_of(const struct drb_detour_node *node, struct drb_usable_ports links,
		       struct drb_detour_packet packet)
{
	return drb_detour_next(node, links, &packet).port;
}

// Packets that no switch would send.
TEST(nonsense)
{
	struct drb_usable_ports links = {.usable = 0xf};
	struct drb_detour_node low, middle;

	begin(f32);
	low = at(1, 0);
	middle = at(2, 0);
	for (uint32_t draw = 0; draw < 4; draw++) {
		uint64_t bits = (uint64_t)draw << 62;
		// Impossible packets: from above for a host that is not below, and from below with
		// the mark of a detour that descends.
		assert_int_equal(port_of(&low, links, (struct drb_detour_packet){9, 2, 0, bits}),
				 DRB_DETOUR_INVALID);
		assert_int_equal(port_of(&low, links, (struct drb_detour_packet){9, 2, 1, bits}),
				 DRB_DETOUR_INVALID);
		assert_int_equal(port_of(&low, links, (struct drb_detour_packet){9, 0, 0x11, bits}),
				 DRB_DETOUR_INVALID);
		// At the hop limit, and beyond it.
		links.usable = 0x3;
		assert_int_equal(
			port_of(&middle, links, (struct drb_detour_packet){9, 0, 0x03, bits}),
			DRB_DETOUR_NO_ROUTE);
		links.usable = 0xf;
		assert_int_equal(
			port_of(&middle, links, (struct drb_detour_packet){9, 0, 0x04, bits}),
			DRB_DETOUR_INVALID);
		assert_int_equal(
			port_of(&middle, links, (struct drb_detour_packet){9, 0, 0x80, bits}),
			DRB_DETOUR_INVALID);
		// The port of the destination host.
		links.usable = 0xe;
		assert_int_equal(port_of(&low, links, (struct drb_detour_packet){0, 1, 0, bits}),
				 DRB_DETOUR_HOST_DOWN);
		links.usable = 0xf;
	}
	// Any mark at any switch and port gives a usable port or a reason.
	struct drb_rng r = drb_rng_seed(6, 2);
	for (uint32_t n = 0; n < 200000; n++) {
		const struct drb_detour_node *s = &w.at[drb_rng_below(&r, w.switches)];
		uint32_t ports = s->down_ports + s->up_ports;
		links.usable = drb_rng_next(&r) & ((UINT64_C(1) << ports) - 1);
		links.no_alternate = drb_rng_next(&r) & 0xf;
		const struct drb_detour_packet any = {.dest = drb_rng_below(&r, 16),
						      .in = drb_rng_below(&r, ports),
						      .mark = (uint8_t)drb_rng_next(&r),
						      .draw = drb_rng_next(&r)};
		struct drb_detour_hop to = drb_detour_next(s, links, &any);
		assert_true(to.port >= 0 ? links.usable >> to.port & 1
					 : to.port >= DRB_DETOUR_INVALID);
		assert_true(to.mark < MARKS && (to.mark & 0xf) * 2 <= DRB_DETOUR_HOPS_MAX);
	}
}

TEST_MAIN(NULL, NULL)
