// SPDX-License-Identifier: BSD-3-Clause
// Files that assign addresses of captures to hosts.
#include "fixtures/unit.h"

#include <arpa/inet.h>
#include <unistd.h>

#include "common/cli/log.h"

#include "gen/captures/address_map.h"
#include "gen/captures/host_rules.h"
#include "gen/frames/ip_frame.h"

static struct ipframe_address parsed(const char *text)
{
	struct ipframe_address a = {.size = strchr(text, ':') ? 16 : 4};

	assert_int_equal(inet_pton(a.size == 4 ? AF_INET : AF_INET6, text, a.bytes), 1);
	return a;
}

static int load_rules(struct host_rules *rules, const char *text)
{
	char path[] = "/tmp/drb-map-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int rc = host_rules_load(rules, path);
	unlink(path);
	return rc;
}

TEST(addresses_with_a_host_keep_it)
{
	static const struct {
		const char *address;
		uint32_t host;
	} cases[] = {
		{"10.0.0.1", 0},
		{"10.0.0.16", 15},
		{"fd00::b", 10},
		{"10.0.0.11", 3},
		{"192.168.1.7", 4},
		{"172.16.255.1", 5},
		{"172.32.0.1", DRB_NO_LABEL},
		{"2001:db8::99", 6},
		{"10.0.0.17", DRB_NO_LABEL},
		{"10.0.0.0", DRB_NO_LABEL},
	};
	struct host_rules rules = {.plan = drb_addr_default(16)};
	struct addrmap *m = addrmap_new(16, 1);
	assert_int_equal(
		load_rules(
			&rules,
			"\xef\xbb\xbf# of Windows\r\n\n192.168.1.7 h4\n172.16.0.0/12\th5 # more\n"
			"2001:db8::/32 h6\n10.0.0.11 h3\n"),
		0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ipframe_address a = parsed(cases[i].address), b = parsed("9.9.9.9");
		assert_int_equal(host_rules_host(&rules, &a), cases[i].host);
		assert_int_equal(addrmap_add(m, &b, &a), 0); // the stranger is announced first
	}
	addrmap_keep(m, &rules);
	assert_int_equal(addrmap_solve(m), 0);
	struct ipframe_address stranger = parsed("9.9.9.9");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ipframe_address a = parsed(cases[i].address);
		if (cases[i].host != DRB_NO_LABEL)
			assert_int_equal(addrmap_host(m, &a), cases[i].host);
		assert_int_not_equal(addrmap_host(m, &a), addrmap_host(m, &stranger));
	}
	uint32_t hashed = 0, host;
	while (addrmap_hashed(m, hashed, &host))
		hashed++;
	assert_int_equal(hashed, 4);
	addrmap_free(m);
	host_rules_free(&rules);
}

// The longest matching network counts, whatever the order of lines.
TEST(the_longest_network_counts)
{
	struct host_rules rules = {.plan = drb_addr_default(16)};
	const struct ipframe_address inside = parsed("192.168.7.20"),
				     beside = parsed("192.168.7.21"), other = parsed("9.9.9.9");

	assert_int_equal(load_rules(&rules, "192.168.0.0/16 h1\n192.168.7.20 h2\n0.0.0.0/0 h3\n"
					    "192.168.7.0/24 h4\n::/0 h5\n10.9.0.0/16 h6\n"),
			 0);
	assert_int_equal(host_rules_host(&rules, &inside), 2);
	assert_int_equal(host_rules_host(&rules, &beside), 4);
	assert_int_equal(host_rules_host(&rules, &other), 3);
	host_rules_warn_unused(&rules, "map");
	assert_string_equal(drb_msg_last(),
			    "map:1: no address of the capture is counted to this network, nor to "
			    "those of some lines below");
	host_rules_free(&rules);
	assert_int_equal(load_rules(&rules, "10.9.0.0/16 h1\n10.8.0.0/16 h1"), 0);
	assert_int_equal(host_rules_host(&rules, &inside), DRB_NO_LABEL);
	host_rules_warn_unused(&rules, "map");
	assert_non_null(strstr(drb_msg_last(), "map:1: no address of the capture is counted to "
					       "this network, nor to that of any line"));
	host_rules_free(&rules);
}

TEST(maps_with_mistakes_are_refused)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"192.168.1.7\n", ":1: must be an address"},
		{"10.1.2.3 h1\nhost h4\n", ":2: must be an address"},
		{"1.2.3.4/33 h1", ":1: must be an address"},
		{"::/129 h1", ":1: must be an address"},
		{"1.2.3.4 h1 h2", ":1: must be an address"},
		{"1.2.3.4 h16", "\"h16\" is no host: must be h0 to h15"},
		{"1.2.3.4 s1-0", "\"s1-0\" is no host"},
		{"1.2.3.4,h1", ":1: must be an address"},
		{"10.1.0.0/16 h1\n\n10.1.2.3/16 h2", ":3: this network is in line 1 already"},
		{"fd01::/16 h1\nfd01::7/16 h1", ":2: this network is in line 1 already"},
	};
	struct host_rules rules = {.plan = drb_addr_default(16)};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(load_rules(&rules, cases[i].text), -EINVAL);
		if (!strstr(drb_msg_last(), cases[i].says))
			fail_msg("%s: said %s", cases[i].text, drb_msg_last());
		host_rules_free(&rules);
	}
	assert_int_equal(host_rules_load(&rules, "/nowhere/map"), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "/nowhere/map: No such file"));
}

TEST_MAIN(NULL, NULL)
