// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/addresses.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct drb_addr_plan drb_addr_default(uint32_t hosts)
{
	return (struct drb_addr_plan){
		.mac = {0x02, 0x00},
		.ipv4 = UINT32_C(10) << 24,
		.ipv4_len = 8,
		.ipv6 = {0xfd},
		.ipv6_len = 64,
		.hosts = hosts,
	};
}

// Splits "address/length" into the address, written to buf, and *len. -EINVAL if there is no valid
// length.
static int split_prefix(const char *text, char *buf, size_t size, unsigned long max, uint32_t *len)
{
	const char *slash = strchr(text, '/');
	char *end;

	if (!slash || (size_t)(slash - text) >= size || slash[1] < '0' || slash[1] > '9')
		return -EINVAL;
	memcpy(buf, text, (size_t)(slash - text));
	buf[slash - text] = '\0';
	unsigned long n = strtoul(slash + 1, &end, 10);
	if (*end || n > max)
		return -EINVAL;
	*len = (uint32_t)n;
	return 0;
}

// True if no bit of addr is set after the first len bits.
static bool is_network(const uint8_t *addr, uint32_t bytes, uint32_t len)
{
	for (uint32_t bit = len; bit < 8 * bytes; bit++) {
		if (addr[bit / 8] & (0x80 >> bit % 8))
			return false;
	}
	return true;
}

// Networks whose addresses no host can have, or none can reach.
static bool ipv4_is_special(uint32_t network)
{
	return network >> 24 == 0 || network >> 24 == 127 || network >> 16 == 0xa9fe ||
	       network >> 28 == 0xe || network >> 8 == 0xffffff;
}

static bool ipv6_is_special(const struct in6_addr *network)
{
	static const uint8_t zeros[10] = {0}; // ::1, and IPv4 addresses in IPv6

	return IN6_IS_ADDR_MULTICAST(network) || IN6_IS_ADDR_LINKLOCAL(network) ||
	       memcmp(network, zeros, sizeof(zeros)) == 0;
}

int drb_addr_set_ipv4(struct drb_addr_plan *plan, const char *text)
{
	char buf[INET_ADDRSTRLEN];
	struct in_addr addr;
	uint32_t len;

	if (split_prefix(text, buf, sizeof(buf), 32, &len) < 0 ||
	    inet_pton(AF_INET, buf, &addr) != 1 || !is_network((const uint8_t *)&addr, 4, len) ||
	    ipv4_is_special(ntohl(addr.s_addr)))
		return -EINVAL;
	plan->ipv4 = ntohl(addr.s_addr);
	plan->ipv4_len = len;
	return 0;
}

int drb_addr_set_ipv6(struct drb_addr_plan *plan, const char *text)
{
	char buf[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	uint32_t len;

	if (split_prefix(text, buf, sizeof(buf), 128, &len) < 0 ||
	    inet_pton(AF_INET6, buf, &addr) != 1 || !is_network(addr.s6_addr, 16, len) ||
	    ipv6_is_special(&addr))
		return -EINVAL;
	memcpy(plan->ipv6, addr.s6_addr, 16);
	plan->ipv6_len = len;
	return 0;
}

// Reads two hexadecimal digits. sscanf would accept blanks and signs, too.
static bool read_byte(const char *text, uint8_t *value)
{
	if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
		return false;
	*value = (uint8_t)strtoul((const char[]){text[0], text[1], '\0'}, NULL, 16);
	return true;
}

int drb_addr_set_mac(struct drb_addr_plan *plan, const char *text)
{
	uint8_t a, b;

	if (strlen(text) != 5 || text[2] != ':' || !read_byte(text, &a) ||
	    !read_byte(text + 3, &b) || (a & 1))
		return -EINVAL;
	plan->mac[0] = a;
	plan->mac[1] = b;
	return 0;
}

struct drb_addr_texts drb_addr_texts(const struct drb_addr_plan *plan)
{
	const uint32_t four = htonl(plan->ipv4);
	char address[INET6_ADDRSTRLEN];
	struct drb_addr_texts to;

	snprintf(to.mac, sizeof(to.mac), "%02x:%02x", plan->mac[0], plan->mac[1]);
	inet_ntop(AF_INET, &four, address, sizeof(address));
	snprintf(to.ipv4, sizeof(to.ipv4), "%.15s/%u", address, plan->ipv4_len % 100);
	inet_ntop(AF_INET6, plan->ipv6, address, sizeof(address));
	snprintf(to.ipv6, sizeof(to.ipv6), "%s/%u", address, plan->ipv6_len % 1000);
	return to;
}

// Labels 0..hosts-1 use the addresses 1..hosts of the prefix. The last address of the prefix stays
// free because it is the IPv4 broadcast address.
static bool prefix_holds(uint32_t host_bits, uint32_t hosts)
{
	return host_bits > 32 || (UINT64_C(1) << host_bits) >= (uint64_t)hosts + 2;
}

bool drb_addr_fits(const struct drb_addr_plan *plan)
{
	return prefix_holds(32 - plan->ipv4_len, plan->hosts) &&
	       prefix_holds(128 - plan->ipv6_len, plan->hosts);
}

// The label is added to the low 32 bits of the network address. The sum never carries beyond these
// bits because drb_addr_fits() keeps labels inside the prefix.
static uint32_t low32(const uint8_t addr[16])
{
	return (uint32_t)addr[12] << 24 | (uint32_t)addr[13] << 16 | (uint32_t)addr[14] << 8 |
	       addr[15];
}

void drb_addr_ipv6(const struct drb_addr_plan *plan, uint32_t host, uint8_t addr[16])
{
	uint32_t low = low32(plan->ipv6) + host + 1;

	memcpy(addr, plan->ipv6, 12);
	addr[12] = (uint8_t)(low >> 24);
	addr[13] = (uint8_t)(low >> 16);
	addr[14] = (uint8_t)(low >> 8);
	addr[15] = (uint8_t)low;
}

uint32_t drb_addr_of_ipv6(const struct drb_addr_plan *plan, const uint8_t addr[16])
{
	uint32_t host = low32(addr) - low32(plan->ipv6) - 1;

	return memcmp(addr, plan->ipv6, 12) == 0 && host < plan->hosts ? host : DRB_NO_LABEL;
}
