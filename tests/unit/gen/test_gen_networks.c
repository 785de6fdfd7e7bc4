// SPDX-License-Identifier: BSD-3-Clause
// The network of a fabric, derived from the address of a host.
#include "fixtures/unit.h"

#include <arpa/inet.h>

#include "gen/replay/host_networks.h"

static void mask_of(uint32_t length, uint8_t mask[16])
{
	for (uint32_t i = 0; i < 16; i++)
		mask[i] = length >= 8 * (i + 1) ? 0xff
			  : length <= 8 * i     ? 0
						: (uint8_t)(0xff << (8 - length % 8));
}

TEST(networks_follow_from_addresses)
{
	static const struct {
		int family;
		const char *address;
		uint32_t length, host;
		const char *network; // NULL: not of this host
	} cases[] = {
		{AF_INET, "10.0.0.1", 8, 0, "10.0.0.0/8"},
		{AF_INET, "192.168.1.0", 16, 255, "192.168.0.0/16"},
		{AF_INET, "172.16.0.35", 27, 2, "172.16.0.32/27"},
		{AF_INET, "10.0.0.2", 8, 0, NULL},
		{AF_INET, "10.1.0.1", 8, 0, NULL},
		{AF_INET6, "fd00::1", 64, 0, "fd00::/64"},
		{AF_INET6, "2001:db8:aaaa::100", 64, 255, "2001:db8:aaaa::/64"},
		{AF_INET6, "fd00::1:1", 112, 0, "fd00::1:0/112"},
		{AF_INET6, "fd00::1:0:0:1", 64, 0, NULL},
		{AF_INET6, "fd00:0:0:1::1", 48, 0, NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t address[16] = {0}, mask[16];
		char text[HOST_NETWORK_TEXT] = "";
		assert_int_equal(inet_pton(cases[i].family, cases[i].address, address), 1);
		mask_of(cases[i].length, mask);
		assert_int_equal(host_network_of(address, mask, cases[i].family == AF_INET ? 4 : 16,
						 cases[i].host, text),
				 cases[i].network != NULL);
		assert_string_equal(text, cases[i].network ? cases[i].network : "");
	}
}

TEST_MAIN(NULL, NULL)
