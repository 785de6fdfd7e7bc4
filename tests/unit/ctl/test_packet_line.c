// SPDX-License-Identifier: BSD-3-Clause
// Lines of captured packets: names of hosts, addresses of others, and protocols.
#include "fixtures/unit.h"

#include "ctl/capture/packet_line.h"

#define HOSTS 16
#define FRAME_MAX 128
#define H0 "020000000000"
#define H7 "020000000007"
#define MARKED_H7 "022500000007"
#define IPV4(protocol, from, to)                                                                   \
	"0800"                                                                                     \
	"4500003000000000"                                                                         \
	"40" protocol "0000" from to
#define IPV6(protocol, from, to)                                                                   \
	"86dd"                                                                                     \
	"600000000010" protocol "40" from to
#define PORTS_40000_5201 "9c401451"
#define FD00_1 "fd000000000000000000000000000001"
#define FF02_1 "ff020000000000000000000000000001"

static struct drb_addr_plan plan;

static uint32_t frame_of(const char *text, uint8_t frame[FRAME_MAX])
{
	uint32_t count = 0;

	memset(frame, 0, FRAME_MAX);
	for (unsigned octet; sscanf(text + 2 * count, "%2x", &octet) == 1;)
		frame[count++] = (uint8_t)octet;
	return count;
}

static void is_line(const char *frame_text, uint32_t captured, const char *expected)
{
	uint8_t frame[FRAME_MAX];
	char text[PACKET_LINE_MAX];

	const uint32_t length = frame_of(frame_text, frame);
	packet_line(text, frame, captured ? captured : length, &plan);
	assert_string_equal(text, expected);
}

TEST(hosts_are_named)
{
	is_line(H7 H0 IPV4("06", "0a000001", "0a000008") PORTS_40000_5201, 0,
		"h0.40000 > h7.5201 tcp");
	is_line(H0 H7 IPV4("11", "0a000008", "0a000001") PORTS_40000_5201, 0,
		"h7.40000 > h0.5201 udp");
	is_line(H7 H0 IPV4("01", "0a000001", "0a000008") "08000000", 0, "h0 > h7 icmp");
	// The addresses of hosts do not matter, nor does the mark of a detour.
	is_line(MARKED_H7 H0 IPV4("59", "c0a80001", "c0a80008"), 0, "h0 > h7 protocol 89");
	is_line(H7 H0 "8100"
		      "0005" IPV4("06", "0a000001", "0a000008") PORTS_40000_5201,
		0, "h0.40000 > h7.5201 tcp");
}

TEST(other_ends_have_addresses)
{
	is_line("333300000001" H0 IPV6("3a", FD00_1, FF02_1) "86000000", 0, "h0 > ff02::1 icmpv6");
	is_line("020000000010" H0 IPV4("01", "0a000001", "0a000011"), 0, "h0 > 10.0.0.17 icmp");
	is_line("ffffffffffff" H0 "0806"
		"0001",
		0, "h0 > ff:ff:ff:ff:ff:ff arp");
	is_line("0180c200000e"
		"060100000000"
		"88b5"
		"7264",
		0, "06:01:00:00:00:00 > 01:80:c2:00:00:0e hello");
	is_line("0180c2000000" H0 "88cc", 0, "h0 > 01:80:c2:00:00:00 type 88cc");
}

// The line has what is left of a packet that was cut.
TEST(short_captures)
{
	const char *tcp = "ffffffffffff"
			  "060100000000" IPV4("06", "0a000001", "0a000008") PORTS_40000_5201;

	is_line(tcp, 37, "10.0.0.1 > 10.0.0.8 tcp");
	is_line(tcp, 33, "06:01:00:00:00:00 > ff:ff:ff:ff:ff:ff type 0800");
	is_line(tcp, 14, "06:01:00:00:00:00 > ff:ff:ff:ff:ff:ff type 0800");
	is_line(tcp, 13, "");
}

TEST(hosts_have_the_macs_of_their_fabric)
{
	assert_int_equal(drb_addr_set_mac(&plan, "06:aa"), 0);
	is_line("06aa00000007"
		"06aa00000000" IPV4("01", "c0a80001", "c0a80008") "08000000",
		0, "h0 > h7 icmp");
	is_line(H7 H0 "88cc", 0, "02:00:00:00:00:00 > 02:00:00:00:00:07 type 88cc");
}

static int by_default(void **state)
{
	(void)state;
	plan = drb_addr_default(HOSTS);
	return 0;
}

TEST_MAIN(by_default, NULL)
