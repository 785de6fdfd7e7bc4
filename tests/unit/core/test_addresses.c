// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/fabric/addresses.h"
#include "core/math/random.h"
#include "core/fabric/tree.h"

TEST(the_default_plan)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	static const uint8_t mac10[] = {0x02, 0, 0, 0, 0, 10};
	static const uint8_t ipv6_10[16] = {0xfd, [15] = 11};
	uint8_t mac[6], ipv6[16];

	drb_addr_mac(&plan, 10, mac);
	assert_memory_equal(mac, mac10, 6);
	assert_int_equal(drb_addr_ipv4(&plan, 10), 0x0a00000b); // 10.0.0.11
	drb_addr_ipv6(&plan, 10, ipv6);
	assert_memory_equal(ipv6, ipv6_10, 16);
	assert_true(drb_addr_fits(&plan));
}

// A mark in the second byte does not change the label.
TEST(marks_are_looked_through)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	uint8_t mac[6];

	for (uint32_t mark = 0; mark < 256; mark++) {
		drb_addr_mac(&plan, 15, mac);
		mac[1] = (uint8_t)mark;
		assert_true(drb_addr_has_label(&plan, mac));
		assert_int_equal(drb_addr_of_mac(&plan, mac), mark ? DRB_NO_LABEL : 15);
		mac[0] ^= 4;
		assert_false(drb_addr_has_label(&plan, mac));
		drb_addr_mac(&plan, 16, mac);
		mac[1] = (uint8_t)mark;
		assert_false(drb_addr_has_label(&plan, mac));
	}
}

static void check_round_trip(const struct drb_addr_plan *plan, uint32_t host)
{
	uint8_t mac[6], ipv6[16];

	drb_addr_mac(plan, host, mac);
	assert_int_equal(drb_addr_of_mac(plan, mac), host);
	assert_int_equal(drb_addr_of_ipv4(plan, drb_addr_ipv4(plan, host)), host);
	drb_addr_ipv6(plan, host, ipv6);
	assert_int_equal(drb_addr_of_ipv6(plan, ipv6), host);
}

TEST(labels_read_back)
{
	static const char *const plans[][3] = {
		{"02:00", "10.0.0.0/8", "fd00::/64"},
		{"fe:ff", "192.168.0.0/16", "2001:db8:1:2::/64"},
		{"06:a0", "100.64.0.0/10", "fd12:3456:789a:bcde:f012:3456::/96"},
		{"02:00", "172.16.8.0/21", "fd00::8000:0/100"},
	};
	static const uint32_t hosts[] = {1u << 23, 65534, (1u << 22) - 2, 2046};
	struct drb_rng r = drb_rng_seed(30, 0);

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct drb_addr_plan plan = drb_addr_default(hosts[i]);
		assert_int_equal(drb_addr_set_mac(&plan, plans[i][0]), 0);
		assert_int_equal(drb_addr_set_ipv4(&plan, plans[i][1]), 0);
		assert_int_equal(drb_addr_set_ipv6(&plan, plans[i][2]), 0);
		assert_true(drb_addr_fits(&plan));
		const struct drb_addr_texts texts = drb_addr_texts(&plan);
		assert_string_equal(texts.mac, plans[i][0]);
		assert_string_equal(texts.ipv4, plans[i][1]);
		assert_string_equal(texts.ipv6, plans[i][2]);
		check_round_trip(&plan, 0);
		check_round_trip(&plan, hosts[i] - 1);
		for (int n = 0; n < 10000; n++)
			check_round_trip(&plan, drb_rng_below(&r, hosts[i]));
	}
}

// Addresses just outside the range and addresses of other kinds have no label.
TEST(other_addresses_have_no_label)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	uint8_t mac[6], ipv6[16], broadcast[6];

	assert_int_equal(drb_addr_of_ipv4(&plan, 0x0a000000), DRB_NO_LABEL);
	assert_int_equal(drb_addr_of_ipv4(&plan, 0x0a000011), DRB_NO_LABEL);
	assert_int_equal(drb_addr_of_ipv4(&plan, 0x09ffffff), DRB_NO_LABEL);
	assert_int_equal(drb_addr_of_ipv4(&plan, 0), DRB_NO_LABEL);
	assert_int_equal(drb_addr_of_ipv4(&plan, UINT32_MAX), DRB_NO_LABEL);
	drb_addr_mac(&plan, 16, mac);
	assert_int_equal(drb_addr_of_mac(&plan, mac), DRB_NO_LABEL);
	memset(broadcast, 0xff, sizeof(broadcast));
	assert_int_equal(drb_addr_of_mac(&plan, broadcast), DRB_NO_LABEL);
	for (int byte = 0; byte < 2; byte++) {
		drb_addr_mac(&plan, 3, mac);
		mac[byte] ^= 1;
		assert_int_equal(drb_addr_of_mac(&plan, mac), DRB_NO_LABEL);
	}
	assert_int_equal(drb_addr_of_ipv6(&plan, plan.ipv6), DRB_NO_LABEL);
	drb_addr_ipv6(&plan, 16, ipv6);
	assert_int_equal(drb_addr_of_ipv6(&plan, ipv6), DRB_NO_LABEL);
	for (int byte = 0; byte < 15; byte++) {
		drb_addr_ipv6(&plan, 3, ipv6);
		ipv6[byte] ^= 0x10;
		assert_int_equal(drb_addr_of_ipv6(&plan, ipv6), DRB_NO_LABEL);
	}
}

TEST(plans_must_hold_every_host)
{
	static const struct {
		const char *ipv4, *ipv6;
		uint32_t hosts;
		bool fits;
	} cases[] = {
		{"10.0.0.0/8", "fd00::/64", 1u << 23, true},
		{"10.0.0.0/8", "fd00::/64", (1u << 24) - 2, true}, // the last address is broadcast
		{"10.0.0.0/8", "fd00::/64", (1u << 24) - 1, false},
		{"128.0.0.0/1", "fd00::/64", DRB_HOSTS_MAX, true},
		{"10.0.0.0/24", "fd00::/64", 254, true},
		{"10.0.0.0/24", "fd00::/64", 255, false},
		{"10.0.0.0/30", "fd00::/64", 2, true},
		{"10.0.0.0/31", "fd00::/64", 2, false},
		{"10.0.0.1/32", "fd00::/64", 2, false},
		{"10.0.0.0/8", "fd00::/120", 254, true},
		{"10.0.0.0/8", "fd00::/120", 256, false},
		{"10.0.0.0/8", "fd00::1/128", 2, false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_addr_plan plan = drb_addr_default(cases[i].hosts);
		assert_int_equal(drb_addr_set_ipv4(&plan, cases[i].ipv4), 0);
		assert_int_equal(drb_addr_set_ipv6(&plan, cases[i].ipv6), 0);
		assert_int_equal(drb_addr_fits(&plan), cases[i].fits);
	}
}

// Networks beside the special ones, with which a rule of too many bits would do away.
TEST(unusual_networks_are_taken)
{
	static const char *const networks[] = {"126.0.0.0/8",    "128.0.0.0/8",    "1.0.0.0/8",
					       "169.253.0.0/16", "169.255.0.0/16", "223.255.0.0/16",
					       "240.0.0.0/8",    "fec0::/64",      "fe00::/64",
					       "64:ff9b::/96",   "fc00::/64",      "2002::/64"};
	struct drb_addr_plan plan = drb_addr_default(16);

	for (size_t i = 0; i < ARRAY_SIZE(networks); i++)
		assert_int_equal(drb_addr_set_ipv4(&plan, networks[i]) &&
					 drb_addr_set_ipv6(&plan, networks[i]),
				 0);
}

TEST(malformed_bases_are_refused)
{
	static const char *const ipv4[] = {
		"",
		"10.0.0.0",
		"10.0.0.0/",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/8x",
		"10.0.0.1/8",
		"10.0.0/8",
		"10.0.0.256/8",
		"/8",
		"10.0.0.0/ 8",
		" 10.0.0.0/8",
		"10.0.0.0/8/8",
		"fd00::/64",
		"010.0.0.0/8",
		"10.0.0.0/+8",
		"10.0.0.0/99999999999999999999",
		"1000000000000000000000000000/8",
	};
	static const char *const ipv6[] = {
		"",           "fd00::",     "fd00::/", "fd00::/129", "fd00::1/64",     "fd00:::/64",
		"fd00::g/64", "10.0.0.0/8", "::/0x40", "fd00::/64 ", "fd00::%eth0/64",
	};
	static const char *const mac[] = {
		"",      "02",    "02:",   "2:0",   "02:0",  "02:000", "02-00",    "01:00",
		"g0:00", " 2:00", "+2:00", "-2:00", "02: 0", "0x:00",  "02:00:00", "02:00 ",
	};
	// Nothing is wrong with their form, but hosts cannot talk from them.
	static const char *const special[] = {
		"224.0.0.0/8",         "239.1.0.0/16", "127.0.0.0/8",   "127.5.0.0/16",
		"169.254.0.0/16",      "0.0.0.0/8",    "0.0.0.0/0",     "255.255.255.0/24",
		"169.254.64.0/18",     "224.0.0.0/4",  "fe80::/64",     "fe80::/10",
		"febf:1::/64",         "ff02::/64",    "ff0e:1:2::/96", "::/64",
		"::ffff:10.0.0.0/104", "::/0",
	};
	struct drb_addr_plan plan = drb_addr_default(16), before = plan;

	for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
		assert_int_equal(drb_addr_set_ipv4(&plan, special[i]), -EINVAL);
		assert_int_equal(drb_addr_set_ipv6(&plan, special[i]), -EINVAL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ipv4); i++)
		assert_int_equal(drb_addr_set_ipv4(&plan, ipv4[i]), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(ipv6); i++)
		assert_int_equal(drb_addr_set_ipv6(&plan, ipv6[i]), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(mac); i++)
		assert_int_equal(drb_addr_set_mac(&plan, mac[i]), -EINVAL);
	assert_memory_equal(&plan, &before, sizeof(plan));
}

TEST_MAIN(NULL, NULL)
