// SPDX-License-Identifier: BSD-3-Clause
// Replies to ARP and neighbour discovery against reference frames written byte by byte. Frames are
// copied to heap blocks of their exact size, so that a sanitizer detects any byte beyond.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "fixtures/solicitation.h"

#include "switch/datapath/arp_nd_proxy.h"

#define HOSTS 16 // F(3,2); host 4 asks for host 10

// RFC 826: host 10.0.0.5 asks for the MAC of 10.0.0.11.
static const uint8_t arp_request[60] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // broadcast
	0x02, 0x00, 0x00, 0x00, 0x00, 0x04, // from host 4
	0x08, 0x06,                         // ARP
	0x00, 0x01, 0x08, 0x00, 6,    4,    // Ethernet, IPv4
	0x00, 0x01,                         // request
	0x02, 0x00, 0x00, 0x00, 0x00, 0x04, // sender
	10,   0,    0,    5,                // sender
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // target, not known
	10,   0,    0,    11,               // target
};

static const uint8_t arp_reply[60] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x04, // to host 4
	0x02, 0x00, 0x00, 0x00, 0x00, 0x0a, // from host 10
	0x08, 0x06,                         // ARP
	0x00, 0x01, 0x08, 0x00, 6,    4,    // Ethernet, IPv4
	0x00, 0x02,                         // reply
	0x02, 0x00, 0x00, 0x00, 0x00, 0x0a, // sender
	10,   0,    0,    11,               // sender
	0x02, 0x00, 0x00, 0x00, 0x00, 0x04, // target
	10,   0,    0,    5,                // target
};

static const uint8_t nd_reply[86] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x04,          // to host 4
	0x02, 0x00, 0x00, 0x00, 0x00, 0x0a,          // from host 10
	0x86, 0xdd,                                  // IPv6
	0x60, 0x00, 0x00, 0x00,                      // version 6
	0x00, 0x20, 58,   255,                       // 32 bytes of ICMPv6, hop limit 255
	0xfd, 0,    0,    0,    0,    0,    0, 0,    // source
	0,    0,    0,    0,    0,    0,    0, 0x0b, //
	0xfd, 0,    0,    0,    0,    0,    0, 0,    // destination
	0,    0,    0,    0,    0,    0,    0, 5,    //
	136,  0,    0x1c, 0x7c, 0x60, 0,    0, 0,    // advertisement, solicited and override
	0xfd, 0,    0,    0,    0,    0,    0, 0,    // target
	0,    0,    0,    0,    0,    0,    0, 0x0b, //
	2,    1,    0x02, 0,    0,    0,    0, 0x0a, // target link-layer address
};

struct asked {
	enum drb_neighbour what;
	uint32_t len;
	uint8_t frame[128];
};

static struct asked ask_as(uint32_t asker, const uint8_t *frame, uint32_t len, uint32_t room)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct asked a = {.len = len};
	uint8_t *copy = malloc(room);

	assert_non_null(copy);
	memcpy(copy, frame, len);
	a.what = drb_neighbour_answer(&plan, asker, copy, &a.len, room);
	assert_true(a.len <= room && a.len <= sizeof(a.frame));
	memcpy(a.frame, copy, a.len);
	// A frame without a reply is unchanged.
	if (a.what != DRB_NEIGHBOUR_ARP && a.what != DRB_NEIGHBOUR_ND) {
		assert_int_equal(a.len, len);
		assert_memory_equal(copy, frame, len);
	}
	free(copy);
	return a;
}

static struct asked ask(const uint8_t *frame, uint32_t len)
{
	return ask_as(4, frame, len, len < 86 ? 86 : len);
}

// The sum of RFC 1071 over an IPv6 frame's pseudo header and payload: ffff if it is right.
static uint32_t icmpv6_sum(const uint8_t *frame)
{
	uint32_t len = (uint32_t)frame[18] << 8 | frame[19], sum = len + frame[20];

	for (uint32_t i = 22; i < 54; i++)
		sum += i % 2 ? frame[i] : (uint32_t)frame[i] << 8;
	for (uint32_t i = 54; i < 54 + len; i++)
		sum += i % 2 ? frame[i] : (uint32_t)frame[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void fix_checksum(uint8_t *frame)
{
	frame[56] = frame[57] = 0;
	uint32_t sum = ~icmpv6_sum(frame);
	frame[56] = (uint8_t)(sum >> 8);
	frame[57] = (uint8_t)sum;
}

TEST(checksums_are_right)
{
	assert_int_equal(icmpv6_sum(nd_request), 0xffff);
	assert_int_equal(icmpv6_sum(nd_reply), 0xffff);
}

TEST(arp_is_answered)
{
	struct asked a = ask(arp_request, sizeof(arp_request));

	assert_int_equal(a.what, DRB_NEIGHBOUR_ARP);
	assert_int_equal(a.len, sizeof(arp_reply));
	assert_memory_equal(a.frame, arp_reply, sizeof(arp_reply));
	// Unpadded, as some virtual interfaces pass it, in a buffer without spare bytes.
	a = ask_as(4, arp_request, 42, 42);
	assert_int_equal(a.what, DRB_NEIGHBOUR_ARP);
	assert_int_equal(a.len, 42);
	assert_memory_equal(a.frame, arp_reply, 42);
}

TEST(nd_is_answered)
{
	struct asked a = ask(nd_request, sizeof(nd_request));

	assert_int_equal(a.what, DRB_NEIGHBOUR_ND);
	assert_int_equal(a.len, sizeof(nd_reply));
	assert_memory_equal(a.frame, nd_reply, sizeof(nd_reply));
}

// A solicitation without the option (24 bytes): the reply is longer than the request.
TEST(nd_grows)
{
	uint8_t frame[78];
	struct asked a;

	memcpy(frame, nd_request, sizeof(frame));
	frame[19] = 24;
	fix_checksum(frame);
	a = ask_as(4, frame, sizeof(frame), 86);
	assert_int_equal(a.what, DRB_NEIGHBOUR_ND);
	assert_int_equal(a.len, sizeof(nd_reply));
	assert_memory_equal(a.frame, nd_reply, sizeof(nd_reply));
	for (uint32_t room = sizeof(frame); room < 86; room++)
		assert_int_equal(ask_as(4, frame, sizeof(frame), room).what, DRB_NEIGHBOUR_BAD);
}

// Further options, a flow label and Ethernet padding do not change the reply.
TEST(nd_with_more)
{
	uint8_t frame[114] = {0};

	memcpy(frame, nd_request, sizeof(nd_request));
	frame[15] = 0x0a;
	frame[19] = 48;
	frame[86] = 14; // nonce, 16 bytes
	frame[87] = 2;
	for (uint32_t i = 88; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	fix_checksum(frame);
	struct asked a = ask(frame, sizeof(frame));
	assert_int_equal(a.what, DRB_NEIGHBOUR_ND);
	assert_int_equal(a.len, sizeof(nd_reply));
	assert_int_equal(icmpv6_sum(a.frame), 0xffff);
	a.frame[15] = 0; // the flow label is returned
	assert_memory_equal(a.frame, nd_reply, sizeof(nd_reply));
}

struct change {
	const char *what;
	uint32_t at;
	uint8_t value;
	bool fix; // with the checksum corrected
	enum drb_neighbour answer;
};

static void check_changes(const struct change *c, size_t count, const uint8_t *frame, uint32_t len)
{
	uint8_t copy[128];

	for (size_t i = 0; i < count; i++) {
		memcpy(copy, frame, len);
		copy[c[i].at] = c[i].value;
		if (c[i].fix)
			fix_checksum(copy);
		enum drb_neighbour got = ask(copy, len).what;
		if (got != c[i].answer)
			fail_msg("%s: got %d, want %d", c[i].what, got, c[i].answer);
	}
}

TEST(arp_variants)
{
	static const struct change changes[] = {
		{"hardware type 6", 15, 6, false, DRB_NEIGHBOUR_OTHER},
		{"hardware type high byte", 14, 1, false, DRB_NEIGHBOUR_OTHER},
		{"protocol type", 16, 0x86, false, DRB_NEIGHBOUR_OTHER},
		{"hardware length 8", 18, 8, false, DRB_NEIGHBOUR_OTHER},
		{"protocol length 16", 19, 16, false, DRB_NEIGHBOUR_OTHER},
		{"a reply", 21, 2, false, DRB_NEIGHBOUR_OTHER},
		{"reverse ARP", 21, 3, false, DRB_NEIGHBOUR_OTHER},
		{"sender is another host", 27, 5, false, DRB_NEIGHBOUR_SPOOFED},
		{"sender is no host", 22, 6, false, DRB_NEIGHBOUR_SPOOFED},
		{"own address", 41, 5, false, DRB_NEIGHBOUR_OTHER},
		{"network address", 41, 0, false, DRB_NEIGHBOUR_UNKNOWN},
		{"last host", 41, 16, false, DRB_NEIGHBOUR_ARP},
		{"one beyond the last host", 41, 17, false, DRB_NEIGHBOUR_UNKNOWN},
		{"another network", 38, 11, false, DRB_NEIGHBOUR_UNKNOWN},
		{"EtherType", 13, 0x07, false, DRB_NEIGHBOUR_OTHER},
	};

	check_changes(changes, ARRAY_SIZE(changes), arp_request, sizeof(arp_request));
	// A host probes whether the address of another host is free.
	uint8_t probe[sizeof(arp_request)];
	memcpy(probe, arp_request, sizeof(probe));
	memset(probe + 28, 0, 4);
	assert_int_equal(ask(probe, sizeof(probe)).what, DRB_NEIGHBOUR_OTHER);
}

TEST(nd_variants)
{
	static const struct change changes[] = {
		{"wrong checksum", 57, 0x00, false, DRB_NEIGHBOUR_BAD},
		{"came over a router", 21, 254, false, DRB_NEIGHBOUR_BAD},
		{"code 1", 55, 1, true, DRB_NEIGHBOUR_BAD},
		{"advertisement", 54, 136, true, DRB_NEIGHBOUR_OTHER},
		{"router solicitation", 54, 133, true, DRB_NEIGHBOUR_OTHER},
		{"UDP", 20, 17, false, DRB_NEIGHBOUR_OTHER},
		{"payload longer than the frame", 19, 33, false, DRB_NEIGHBOUR_BAD},
		{"payload much longer", 18, 0xff, false, DRB_NEIGHBOUR_BAD},
		{"payload without target", 19, 23, true, DRB_NEIGHBOUR_BAD},
		{"no payload", 19, 0, false, DRB_NEIGHBOUR_BAD},
		{"own address", 77, 5, true, DRB_NEIGHBOUR_OTHER},
		{"network address", 77, 0, true, DRB_NEIGHBOUR_UNKNOWN},
		{"last host", 77, 16, true, DRB_NEIGHBOUR_ND},
		{"one beyond the last host", 77, 17, true, DRB_NEIGHBOUR_UNKNOWN},
		{"link-local target", 62, 0xfe, true, DRB_NEIGHBOUR_UNKNOWN},
		{"another network", 63, 1, true, DRB_NEIGHBOUR_UNKNOWN},
	};

	check_changes(changes, ARRAY_SIZE(changes), nd_request, sizeof(nd_request));
}

// Duplicate address detection: the source is unspecified. The request is for the address' owner,
// not for the switch.
TEST(dad_is_left_alone)
{
	uint8_t frame[78];

	memcpy(frame, nd_request, sizeof(frame));
	memset(frame + 22, 0, 16);
	frame[19] = 24;
	fix_checksum(frame);
	assert_int_equal(ask(frame, sizeof(frame)).what, DRB_NEIGHBOUR_OTHER);
}

// Cut at every length: no reply depends on missing bytes, and no byte beyond the end is read.
TEST(truncated_at_every_length)
{
	for (uint32_t len = 14; len < sizeof(nd_request); len++) {
		struct asked a = ask_as(4, nd_request, len, len);
		assert_int_equal(a.what, len < 54   ? DRB_NEIGHBOUR_BAD
					 : len < 55 ? DRB_NEIGHBOUR_OTHER
						    : DRB_NEIGHBOUR_BAD);
	}
	for (uint32_t len = 14; len < 42; len++)
		assert_int_equal(ask_as(4, arp_request, len, len).what, DRB_NEIGHBOUR_BAD);
	for (uint32_t len = 42; len <= 60; len++)
		assert_int_equal(ask_as(4, arp_request, len, len).what, DRB_NEIGHBOUR_ARP);
}

// Every pair of hosts in both protocols: the reply names the owner and goes back to the host that
// asked.
TEST(every_pair)
{
	struct drb_addr_plan plan = drb_addr_default(HOSTS);

	for (uint32_t a = 0; a < HOSTS; a++) {
		for (uint32_t b = 0; b < HOSTS; b++) {
			uint8_t arp[60], nd[86];
			memcpy(arp, arp_request, sizeof(arp));
			memcpy(nd, nd_request, sizeof(nd));
			arp[11] = arp[27] = nd[11] = (uint8_t)a;
			arp[31] = nd[37] = (uint8_t)(a + 1);
			arp[41] = nd[77] = (uint8_t)(b + 1);
			fix_checksum(nd);
			struct asked x = ask_as(a, arp, sizeof(arp), sizeof(arp));
			struct asked y = ask_as(a, nd, sizeof(nd), sizeof(nd));
			if (a == b) {
				assert_int_equal(x.what, DRB_NEIGHBOUR_OTHER);
				assert_int_equal(y.what, DRB_NEIGHBOUR_OTHER);
				continue;
			}
			assert_int_equal(x.what, DRB_NEIGHBOUR_ARP);
			assert_int_equal(y.what, DRB_NEIGHBOUR_ND);
			assert_int_equal(icmpv6_sum(y.frame), 0xffff);
			assert_int_equal(drb_addr_of_mac(&plan, x.frame), a);
			assert_int_equal(drb_addr_of_mac(&plan, y.frame), a);
			assert_int_equal(drb_addr_of_mac(&plan, x.frame + 6), b);
			assert_int_equal(drb_addr_of_mac(&plan, x.frame + 22), b);
			assert_int_equal(drb_addr_of_mac(&plan, y.frame + 80), b);
		}
	}
}

TEST_MAIN(NULL, NULL)
