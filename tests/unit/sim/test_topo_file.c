// SPDX-License-Identifier: BSD-3-Clause
// Topology files of uet-htsim: valid files are read, and errors are named.
#include "fixtures/unit.h"

#include "sim/flows/topo.h"

static int read_text(const char *text, struct drb_topo *topo, char why[DRB_TOPO_WHY_MAX])
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc = drb_topo_read("f", in, topo, why);

	fclose(in);
	return rc;
}

#define TIER(n, down, up, speed, link, node)                                                       \
	"Tier " #n "\nDownlink_speed_Gbps " #speed "\nRadix_Down " #down "\nRadix_Up " #up         \
	"\nDownlink_Latency_ns " #link "\nSwitch_Latency_ns " #node "\nBundle 1\n"

TEST(full_fat_trees_are_read)
{
	struct drb_topo topo;
	char why[DRB_TOPO_WHY_MAX];

	assert_int_equal(read_text("# three tiers\nnodes 128\r\nTIERS 3\nPodsize 16\n\n" TIER(
					   0, 4, 2, 100, 100, 0) TIER(1, 4, 4, 200, 1000, 300)
					   TIER(2, 8, 0, 400, 2000, 500),
				   &topo, why),
			 0);
	assert_int_equal(topo.layers, 3);
	assert_int_equal(topo.arity, 4);
	assert_int_equal(topo.uplinks, 2);
	assert_true(topo.gbit[1] == 100 && topo.gbit[2] == 200 && topo.gbit[3] == 400);
	// Two layers: 100 + 0 + 1000 + 300 + 1000 + 0 + 100. Three layers: 100 + 1000 + 300 + 2000
	// + 500 and back.
	assert_true(2 * (topo.latency_ns[1] + topo.latency_ns[2]) == 2500);
	assert_true(2 * (topo.latency_ns[1] + topo.latency_ns[2] + topo.latency_ns[3]) ==
		    2 * 3100 + 2 * 300 + 500);
	assert_int_equal(read_text("Nodes 8\nTiers 2\n" TIER(0, 2, 2, 100, 0, 0)
					   TIER(1, 4, 0, 100, 0, 0),
				   &topo, why),
			 0);
	assert_int_equal(topo.layers, 2);
	// Half of the bandwidth goes on: two links of 100 Gbit/s for two hosts of 200.
	assert_int_equal(
		read_text("Nodes 8\nTiers 2\n" TIER(
				  0, 2, 2, 200, 0,
				  0) "Oversubscribed 2 # by speed\n" TIER(1, 4, 0, 100, 0, 0),
			  &topo, why),
		0);
}

TEST(others_are_refused_by_name)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"Nodes 8\nTiers 2\nColour red\n", "f:3: 'Colour' is not read"},
		{"Tier x\n", "f:1: Tier must be"},
		{"Radix_Up 3\n", "f:1: Radix_Up must stand behind a Tier"},
		{"Tier 0\nRadix_Up -1\n", "f:2: Radix_Up must be a number"},
		{"Nodes 8\n", "Tiers must be 2 to"},
		{"Nodes 8\nTiers 2\n", "Tier 0 needs Radix_Down"},
		{"Nodes 32\nTiers 2\n" TIER(0, 8, 2, 100, 0, 0) TIER(1, 4, 0, 100, 0, 0),
		 "Nodes 32: F(2,8) of these tiers has 128 hosts"},
		{"Nodes 8\nTiers 2\n" TIER(0, 2, 2, 100, 0, 0) TIER(1, 2, 0, 100, 0, 0),
		 "Tier 1: Radix_Down must be 4 in F(2,2)"},
		{"Nodes 8\nTiers 2\n" TIER(0, 2, 2, 100, 0, 0) TIER(1, 4, 0, 0, 0, 0),
		 "Tier 1 needs Downlink_speed_Gbps"},
		{"Nodes 16\nTiers 3\n" TIER(0, 2, 2, 100, 0, 0) TIER(1, 2, 1, 100, 0, 0)
			 TIER(2, 4, 0, 100, 0, 0),
		 "Tier 1: Radix_Up must be 2"},
		{"Nodes 8\nTiers 2\n" TIER(
			 0, 2, 2, 100, 0,
			 0) "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nBundle 2\n",
		 "Tier 1: Bundle 2"},
		{"Nodes 8\nTiers 2\n" TIER(0, 2, 4, 100, 0, 0) TIER(1, 4, 0, 100, 0, 0),
		 "make no fat-tree"},
		{"Nodes 8\nNodes 8\n", "f:2: Nodes is given twice"},
		{"Tier 0\nRadix_Up 2.5\n", "f:2: Radix_Up must be a whole number"},
		{"Tier 0\nDownlink_speed_Gbps 100 200\n", "f:2: Downlink_speed_Gbps has one value"},
		{"Nodes 8\nTiers 2\n" TIER(0, 2, 2, 100, 0, 0) "Oversubscribed 7\n" TIER(1, 4, 0,
											 100, 0, 0),
		 "Tier 0: Oversubscribed is 1 by Radix and speeds"},
		{"Nodes 8\nTiers 2\n" TIER(0, 2, 2, 100, 0, 0) TIER(1, 4, 0, 100, 0, 0)
			 TIER(2, 4, 0, 100, 0, 0),
		 "Tier 2: there are Tiers 2"},
		{"Nodes 16\nTiers 3\nPodsize 8\n" TIER(0, 2, 2, 100, 0, 0) TIER(1, 2, 2, 100, 0, 0)
			 TIER(2, 4, 0, 100, 0, 0),
		 "Podsize 8: a pod of F(3,2) has 4 hosts"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_topo topo;
		char why[DRB_TOPO_WHY_MAX] = "";
		assert_int_equal(read_text(cases[i].text, &topo, why), -EINVAL);
		if (!strstr(why, cases[i].why))
			fail_msg("case %zu: %s", i, why);
	}
}

TEST_MAIN(NULL, NULL)
