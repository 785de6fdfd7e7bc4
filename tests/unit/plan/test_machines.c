// SPDX-License-Identifier: BSD-3-Clause
// Fabrics split over machines, compared with all possible splits of small fabrics, link by link;
// and messages about a file of machines.
#include "fixtures/config_files.h"

#include "plan/machines/cables.h"
#include "plan/machines/split.h"

// The machine of each pod and core switch; pods come first.
#define PIECES_MAX 16

// The piece of a node: its pod, or its core switch, numbered after all pods.
static uint32_t piece_of(const struct drb_tree *t, uint32_t layer, uint32_t label)
{
	uint32_t pods = 2 * t->arity;

	if (layer == t->layers)
		return pods + label;
	return label / ((layer == 0 ? t->hosts : drb_tree_switches(t, layer)) / pods);
}

static uint64_t crossing(const struct drb_tree *t, const uint32_t owner[])
{
	struct topo_links walk = {.tree = t};
	struct topo_link link;
	uint64_t links = 0;

	while (topo_links_next(&walk, &link))
		links += owner[piece_of(t, link.lower.layer, link.lower.label)] !=
			 owner[piece_of(t, link.upper.layer, link.upper.label)];
	return links;
}

// The number differs by less than one from the machine's share of the total.
static bool is_fair(const struct machines *m, uint32_t machine, uint64_t has, uint64_t total)
{
	int64_t shares = 0;

	for (uint32_t i = 0; i < m->count; i++)
		shares += m->machine[i].share;
	return llabs((int64_t)has * shares - (int64_t)total * m->machine[machine].share) < shares;
}

static bool all_fair(const struct drb_tree *t, const struct machines *m, const uint32_t owner[])
{
	uint32_t pods = 2 * t->arity, cores = drb_tree_switches(t, t->layers);

	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t has_pods = 0, has_cores = 0;
		for (uint32_t p = 0; p < pods; p++)
			has_pods += owner[p] == i;
		for (uint32_t c = 0; c < cores; c++)
			has_cores += owner[pods + c] == i;
		if (!is_fair(m, i, has_pods, pods) || !is_fair(m, i, has_cores, cores) ||
		    has_pods + has_cores == 0)
			return false;
	}
	return true;
}

static uint64_t fewest(const struct drb_tree *t, const struct machines *m)
{
	uint32_t pieces = 2 * t->arity + drb_tree_switches(t, t->layers), place = 0;
	uint32_t owner[PIECES_MAX] = {0};
	uint64_t best = UINT64_MAX;

	assert_true(pieces <= PIECES_MAX);
	while (place < pieces) {
		if (all_fair(t, m, owner)) {
			uint64_t links = crossing(t, owner);
			best = links < best ? links : best;
		}
		// The next split: counts up like a number.
		for (place = 0; place < pieces && ++owner[place] == m->count; place++)
			owner[place] = 0;
	}
	return best;
}

static void check_split(const struct drb_tree *t, struct machines *m)
{
	uint32_t owner[PIECES_MAX], index;
	struct topo_links walk = {.tree = t};
	struct topo_link link;
	uint64_t links = 0, sum = 0;

	assert_int_equal(machines_split(t, m, &index), 0);
	for (uint32_t m_layer = 1; m_layer <= t->layers; m_layer++) {
		for (uint32_t s = 0; s < drb_tree_switches(t, m_layer); s++) {
			uint32_t machine = machines_of(t, m, m_layer, s);
			if (m_layer == 1 || m_layer == t->layers)
				owner[piece_of(t, m_layer, s)] = machine;
			// Pods are whole.
			assert_int_equal(owner[piece_of(t, m_layer, s)], machine);
		}
	}
	for (uint32_t h = 0; h < t->hosts; h++)
		assert_int_equal(owner[piece_of(t, 0, h)], machines_of(t, m, 0, h));
	assert_true(all_fair(t, m, owner));
	assert_int_equal(crossing(t, owner), fewest(t, m));
	// The reported links are the real ones.
	while (topo_links_next(&walk, &link))
		links += machines_crosses(t, m, &link);
	assert_int_equal(links, crossing(t, owner));
	assert_int_equal(machines_links_total(m), links);
	for (uint32_t i = 0; i < m->count; i++) {
		for (uint32_t j = i + 1; j < m->count; j++)
			sum += machines_links_between(&m->machine[i], &m->machine[j]);
	}
	assert_int_equal(sum, links);
}

TEST(no_split_has_fewer_links)
{
	static const struct {
		uint32_t layers, arity, count, share[4];
	} cases[] = {
		{3, 2, 2, {1, 1}},       {3, 2, 2, {3, 1}},    {3, 2, 2, {5, 2}},
		{3, 2, 3, {1, 1, 1}},    {3, 2, 3, {3, 2, 1}}, {2, 3, 2, {1, 1}},
		{2, 3, 3, {1, 1, 1}},    {2, 3, 3, {4, 2, 1}}, {2, 2, 4, {1, 1, 1, 1}},
		{4, 2, 2, {2, 1}},       {2, 2, 3, {1, 3, 2}}, {2, 3, 3, {7, 7, 2}},
		{2, 2, 4, {5, 3, 3, 2}}, {3, 2, 1, {1}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machines m = {.count = cases[i].count};
		struct drb_tree t;
		assert_int_equal(drb_tree_init(&t, cases[i].layers, cases[i].arity), 0);
		for (uint32_t j = 0; j < m.count; j++)
			m.machine[j].share = cases[i].share[j];
		check_split(&t, &m);
	}
}

// Core switches with the same switches below them form a group. Every group is spread evenly over
// the machines, to within one switch.
TEST(machines_have_core_switches_of_every_group)
{
	struct machines m = {.count = 3};
	struct drb_tree t;
	uint32_t index, has[3][4] = {{0}};

	assert_int_equal(drb_tree_init(&t, 3, 4), 0);
	for (uint32_t i = 0; i < 3; i++)
		m.machine[i].share = 1;
	assert_int_equal(machines_split(&t, &m, &index), 0);
	for (uint32_t c = 0; c < drb_tree_switches(&t, 3); c++)
		has[machines_of(&t, &m, 3, c)][drb_switch_digit(&t, 3, c, 1)]++;
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t g = 0; g < 4; g++)
			assert_in_range(has[i][g], 1, 2);
	}
}

TEST(machines_without_anything_are_named)
{
	struct machines m = {.count = 4};
	struct drb_tree t;
	uint32_t index;

	assert_int_equal(drb_tree_init(&t, 2, 1), 0); // two pods, one core switch
	m.machine[0].share = m.machine[1].share = m.machine[3].share = 100;
	m.machine[2].share = 1;
	assert_int_equal(machines_split(&t, &m, &index), -EDOM);
	assert_int_equal(index, 2);
	assert_int_equal(drb_tree_init(&t, 1, 4), 0);
	assert_int_equal(machines_split(&t, &m, &index), -ENOTSUP);
}

#define SAID_MAX 1024

// Reads the text as a file, and with a fabric its cables, too; captures standard error.
static int load_of(const struct drb_tree *t, const char *text, struct machines *m,
		   char said[SAID_MAX])
{
	uint32_t index;

	write_file(text);
	hear();
	int rc = machines_load(file, m);
	if (rc == 0 && t) {
		assert_int_equal(machines_split(t, m, &index), 0);
		rc = cables_load(file, t, m);
	}
	heard(said, SAID_MAX);
	return rc;
}

TEST(what_a_file_says_holds)
{
	struct machines m;
	char said[SAID_MAX];

	assert_int_equal(load_of(NULL,
				 "machines:\n"
				 "  - {name: a, address: 192.0.2.1}\n"
				 "  - {name: b-2, address: 192.0.2.2, share: 3, ssh_user: lab, "
				 "ssh_port: 2222,\n"
				 "     command: sudo drbfabric}\n",
				 &m, said),
			 0);
	assert_string_equal(said, "");
	assert_int_equal(m.count, 2);
	assert_int_equal(m.links, MACHINES_VXLAN);
	assert_string_equal(m.machine[0].ssh_user, "root");
	assert_int_equal(m.machine[0].share, 1);
	assert_string_equal(m.machine[1].name, "b-2");
	assert_string_equal(m.machine[1].address, "192.0.2.2");
	assert_string_equal(m.machine[1].command, "sudo drbfabric");
	assert_int_equal(m.machine[1].ssh_port, 2222);
	assert_int_equal(machines_room(&m), 1450);
	assert_int_equal(load_of(NULL,
				 "underlay_mtu: 9000\nmachines: [{name: a, address: 192.0.2.1}]\n",
				 &m, said),
			 0);
	assert_int_equal(machines_room(&m), 8950);
	assert_int_equal(load_of(NULL, "machines: [{name: a, address: 2001:db8::1}]\n", &m, said),
			 0);
	assert_int_equal(machines_room(&m), 1430);
	assert_int_equal(load_of(NULL,
				 "links: vlan\n"
				 "machines: [{name: a, address: 192.0.2.1, interface: eth1}]\n",
				 &m, said),
			 0);
	assert_int_equal(machines_room(&m), 1500);
}

static void check_mistakes(const struct drb_tree *t, const struct mistake mistakes[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct machines m;
		char said[SAID_MAX], want[SAID_MAX];
		int rc = load_of(t, mistakes[i].text, &m, said);
		snprintf(want, sizeof(want), "%s: %s%s\n", program_invocation_short_name, file,
			 mistakes[i].want);
		assert_string_equal(said, want);
		assert_int_equal(rc, -EINVAL);
		free(m.cables);
	}
}

#define NO_ADDRESS " is not an IP address such as 192.0.2.1, by which others reach the machine"

static const struct mistake mistakes[] = {
	{"machine: []\n", ":1: machine: unknown key (is it machines?)"},
	{"links: vxlan\n", ":1: machines: a list is missing, such as "
			   "[{name: a, address: 192.0.2.1}]"},
	{"machines: []\n", ":1: machines: 0 machines: must be 1 to 64"},
	{"machines: [a]\n", ":1: machines[0]: must have keys, such as "
			    "{name: a, address: 192.0.2.1}"},
	{"machines:\n  - {name: a}\n", ":2: machines[0].address: key is missing"},
	{"machines:\n  - {address: 192.0.2.1}\n", ":2: machines[0].name: key is missing"},
	{"machines:\n  - {name: a, address: here}\n",
	 ":2: machines[0].address: \"here\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: 127.0.0.1}\n",
	 ":2: machines[0].address: \"127.0.0.1\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: 0.0.0.0}\n",
	 ":2: machines[0].address: \"0.0.0.0\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: 224.0.0.1}\n",
	 ":2: machines[0].address: \"224.0.0.1\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: 'fe80::1'}\n",
	 ":2: machines[0].address: \"fe80::1\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: 'ff02::1'}\n",
	 ":2: machines[0].address: \"ff02::1\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: '::1'}\n",
	 ":2: machines[0].address: \"::1\"" NO_ADDRESS},
	{"machines:\n  - {name: a, address: '2001:db8::1'}\n"
	 "  - {name: b, address: '2001:DB8:0::1'}\n",
	 ":3: machines[1].address: 2001:db8::1 is that of a"},
	{"machines:\n  - {name: ../a, address: 192.0.2.1}\n",
	 ":2: machines[0].name: \"../a\" is not at most 24 letters, digits, '_', '.' and "
	 "'-', "
	 "the first a letter or digit"},
	{"machines:\n  - name: a\n    address: 192.0.2.1\n    share: 0\n",
	 ":4: machines[0].share: 0 is not in 1..1000000"},
	{"machines:\n  - name: a\n    name: b\n", ":3: machines[0].name: key is there twice"},
	{"machines:\n  - name: [a]\n",
	 ":2: machines[0].name: must be one value, not a list or keys of its own"},
	{"machines:\n  - {name: a, address: 192.0.2.1}\n  - {name: a, address: "
	 "192.0.2.2}\n",
	 ":3: machines[1].name: machines[0] is called a, too"},
	{"machines:\n  - {name: a, address: 192.0.2.1}\n  - {name: b, address: "
	 "192.0.2.1}\n",
	 ":3: machines[1].address: 192.0.2.1 is that of a"},
	{"machines:\n  - {name: a, address: 192.0.2.1}\n  - {name: b, address: "
	 "2001:db8::1}\n",
	 ":3: machines[1].address: 2001:db8::1 and 192.0.2.1 are not both IPv4 or IPv6"},
	{"links: vlan\nmachines:\n  - {name: a, address: 192.0.2.1}\n",
	 ":3: machines[0].interface: key is missing: links are VLANs of an interface"},
	{"links: vlan\nfirst_id: 4095\nmachines: []\n",
	 ":2: first_id: 4095 is not in 1..4094, the ids of VLANs"},
	{"machines: []\nmachines: []\n", ":2: machines: key is there twice"},
	{"machines:\n  - {name: a, address: 192.0.2.1, interface: eth1 up}\n",
	 ":2: machines[0].interface: \"eth1 up\" is not the name of an interface, 1 to 15 "
	 "letters, digits, '_', '.' and '-'"},
	{"links: wires\n", ":1: links: \"wires\" is none of vxlan, vlan"},
	{"underlay_mtu: 1000\n", ":1: underlay_mtu: 1000 is not in 1350..65535"},
};

TEST(mistakes_are_named_by_line_and_key)
{
	check_mistakes(NULL, mistakes, ARRAY_SIZE(mistakes));
}

#define TWO "machines: [{name: a, address: 192.0.2.1}, {name: b, address: 192.0.2.2}]\ncables:\n"
#define VLANS                                                                                      \
	"links: vlan\nfirst_id: 100\nmachines: [{name: a, address: 192.0.2.1, interface: eth1},\n" \
	"  {name: b, address: 192.0.2.2, interface: eth1}]\ncables:\n"

// F(3,2) over two machines: machine a has pods 0 and 1 and the core switches 0 and 1.
TEST(cables_are_found_by_their_links)
{
	struct topo_links walk = {0};
	struct topo_link link;
	struct machines m;
	struct drb_tree t;
	char said[SAID_MAX];
	uint32_t found = 0;

	assert_int_equal(drb_tree_init(&t, 3, 2), 0);
	assert_int_equal(load_of(&t,
				 TWO "  - {ends: {s3-3.d0: eth7, s2-1.u1: eth6}, vlan: 7}\n"
				     "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}}\n",
				 &m, said),
			 0);
	walk.tree = &t;
	while (topo_links_next(&walk, &link)) {
		const struct cable *cable = cables_find(&m, &link);
		if (!cable)
			continue;
		found++;
		assert_int_equal(link.lower.layer, 2);
		assert_int_equal(link.lower.port, 1);
		assert_int_equal(cable->vlan, link.lower.label == 1 ? 7 : 0);
		assert_int_equal(link.upper.label, link.lower.label + 2);
		assert_string_equal(cable->interface[0], link.lower.label == 1 ? "eth6" : "eth1");
		assert_string_equal(cable->interface[1], link.lower.label == 1 ? "eth7" : "eth1");
	}
	assert_int_equal(found, 2);
	free(m.cables);
	// One interface carries many VLANs. The VLANs assigned to other links end at 107.
	assert_int_equal(load_of(&t,
				 VLANS "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}, vlan: 5}\n"
				       "  - {ends: {s2-1.u1: eth1, s3-3.d0: eth1}, vlan: 108}\n",
				 &m, said),
			 0);
	assert_int_equal(m.cables_count, 2);
	free(m.cables);
}

static const struct mistake mistakes_of_cables[] = {
	{TWO "  eth1\n",
	 ":2: cables: must be a list, such as [{ends: {s2-0.u1: eth1, s3-2.d0: eth1}}]"},
	{TWO "  - eth1\n",
	 ":3: cables[0]: must have keys, such as {ends: {s2-0.u1: eth1, s3-2.d0: eth1}}"},
	{TWO "  - {vlan: 5}\n", ":3: cables[0].ends: must be two ends and their "
				"interfaces, such as {s2-0.u1: eth1, s3-2.d0: eth1}"},
	{TWO "  - {ends: {s2-0.u1: eth1}}\n",
	 ":3: cables[0].ends: must be two ends and their interfaces, such as {s2-0.u1: "
	 "eth1, s3-2.d0: eth1}"},
	{TWO "  - {ends: {}, ends: {}}\n", ":3: cables[0].ends: key is there twice"},
	{TWO "  - {port: eth1}\n", ":3: cables[0].port: unknown key"},
	{TWO "  - ends: {s2-0.u1: eth1,\n      s3-4.d0: eth1}\n",
	 ":4: cables[0].ends: \"s3-4.d0\" is no port of a switch of F(3,2)"},
	{TWO "  - {ends: {s2-0.u2: eth1, s3-2.d0: eth1}}\n",
	 ":3: cables[0].ends: \"s2-0.u2\" is no port of a switch of F(3,2)"},
	{TWO "  - {ends: {h0.eth0: eth1, s1-0.d0: eth1}}\n",
	 ":3: cables[0].ends: \"h0.eth0\" is no port of a switch of F(3,2)"},
	{TWO "  - {ends: {s3-2.d0: eth7, s2-1.u1: eth6}}\n",
	 ":3: cables[0].ends: s3-2.d0 leads to s2-0.u1, not to s2-1.u1"},
	{TWO "  - {ends: {s2-0.u1: eth1, s2-0.u1: eth1}}\n",
	 ":3: cables[0].ends: s2-0.u1 leads to s3-2.d0, not to s2-0.u1"},
	{TWO "  - {ends: {s2-0.u0: eth1, s3-0.d0: eth2}}\n",
	 ":3: cables[0].ends: s2-0.u0 and s3-0.d0 are both on a: a cable leads to another "
	 "machine"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: enp0s31f6np1234x}}\n",
	 ":3: cables[0].ends: \"enp0s31f6np1234x\" is not the name of an interface, 1 to "
	 "15 letters, digits, '_', '.' and '-'"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: [eth1]}}\n",
	 ":3: cables[0].ends: \"?\" is not the name of an interface, 1 to 15 letters, "
	 "digits, '_', '.' and '-'"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}, vlan: 4095}\n",
	 ":3: cables[0].vlan: 4095 is not in 1..4094"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}}\n  - {ends: {s3-2.d0: eth2, "
	     "s2-0.u1: eth2}}\n",
	 ":4: cables[1].ends: s2-0.u1 is an end of cables[0], too"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}}\n  - {ends: {s2-1.u1: eth2, "
	     "s3-3.d0: eth1}}\n",
	 ":4: cables[1].ends: eth1 of b is taken by cables[0]"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}, vlan: 5}\n  - {ends: {s2-4.u0: "
	     "eth2, s3-0.d2: eth1}}\n",
	 ":4: cables[1].ends: eth1 of a is taken by cables[0]"},
	{TWO "  - {ends: {s2-0.u1: eth1, s3-2.d0: eth1}, vlan: 5}\n  - ends: {s2-1.u1: "
	     "eth2, s3-3.d0: eth1}\n    vlan: 5\n",
	 ":5: cables[1].vlan: VLAN 5 of eth1 of b is taken by cables[0]"},
	{VLANS "  - {ends: {s2-0.u1: eth2, s3-2.d0: eth1}}\n",
	 ":6: cables[0].ends: eth1 is the interface of b whose VLANs other links are"},
	{VLANS "  - {ends: {s2-0.u1: eth2, s3-2.d0: eth1}, vlan: 107}\n",
	 ":6: cables[0].vlan: VLAN 107 of eth1 of b is among those of other links, from "
	 "first_id 100 on"},
};

TEST(mistakes_of_cables_are_named)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 3, 2), 0);
	check_mistakes(&t, mistakes_of_cables, ARRAY_SIZE(mistakes_of_cables));
}

TEST_MAIN(make_dir, remove_dir)
