// SPDX-License-Identifier: BSD-3-Clause
// The addresses that host 5 may use as its own: one case for each kind of false address. Frames are
// built here byte by byte, without the code that the rule uses.
#include "fixtures/unit.h"

#include "core/fabric/source_rule.h"
#include "core/math/random.h"

#define OWN_MAC 0x02, 0, 0, 0, 0, 5
#define OTHER_MAC 0x02, 0, 0, 0, 0, 9
#define OWN_IP 10, 0, 0, 6
#define OTHER_IP 10, 0, 0, 10
#define NO_IP 0, 0, 0, 0
#define OWN_IP6 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6
#define OTHER_IP6 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10
#define OWN_LINK_LOCAL 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0, 0, 0xff, 0xfe, 0, 0, 5
#define OTHER_LINK_LOCAL 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0, 0, 0xff, 0xfe, 0, 0, 9
#define NO_IP6 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

// A frame that is being built.
struct frame {
	uint8_t data[1600];
	uint32_t len;
};

static void put(struct frame *f, const uint8_t *octets, size_t count)
{
	memcpy(f->data + f->len, octets, count);
	f->len += (uint32_t)count;
}

#define PUT(f, ...) put(f, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct frame ethernet(bool group)
{
	struct frame f = {.len = 0};

	if (group)
		PUT(&f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, OWN_MAC);
	else
		PUT(&f, OTHER_MAC, OWN_MAC);
	return f;
}

static enum drb_source check(bool ip, const struct frame *f)
{
	const struct drb_addr_plan plan = drb_addr_default(16);
	const struct drb_source_rule rule = drb_source_rule_of(&plan, 5, ip);
	uint8_t *copy = malloc(f->len); // so that a read beyond its end is found
	enum drb_source said;

	assert_non_null(copy);
	memcpy(copy, f->data, f->len);
	said = drb_source_check(&rule, copy, f->len);
	free(copy);
	return said;
}

static struct frame ipv4(bool group, const uint8_t source[4], int tags)
{
	struct frame f = ethernet(group);

	// Priority tags: hosts ignore them.
	for (int i = 0; i < tags; i++)
		PUT(&f, i ? 0x81 : 0x88, i ? 0x00 : 0xa8, 0, 0);
	PUT(&f, 0x08, 0x00, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0);
	put(&f, source, 4);
	PUT(&f, OTHER_IP);
	return f;
}

TEST(ipv4_sources)
{
	static const struct {
		uint8_t source[4];
		bool group;
		enum drb_source want;
	} cases[] = {
		{{OWN_IP}, false, DRB_SOURCE_OK},
		{{OTHER_IP}, false, DRB_SOURCE_IP},
		{{NO_IP}, false, DRB_SOURCE_IP},
		{{169, 254, 1, 1}, false, DRB_SOURCE_IP},
		{{127, 0, 0, 1}, false, DRB_SOURCE_IP},
		{{255, 255, 255, 255}, false, DRB_SOURCE_IP},
		{{NO_IP}, true, DRB_SOURCE_OK},
		{{OTHER_IP}, true, DRB_SOURCE_OK}, // is not forwarded
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int tags = 0; tags <= 2; tags++) {
			struct frame f = ipv4(cases[i].group, cases[i].source, tags);
			assert_int_equal(check(true, &f), cases[i].want);
			assert_int_equal(check(false, &f), DRB_SOURCE_OK);
			for (uint32_t len = 14; len < f.len; len++) {
				struct frame cut = f;
				cut.len = len;
				if (!cases[i].group)
					assert_int_equal(check(true, &cut), DRB_SOURCE_BAD);
			}
		}
	}
	struct frame f = ipv4(false, cases[0].source, 3);
	assert_int_equal(check(true, &f), DRB_SOURCE_BAD);
	f = ipv4(false, cases[0].source, 0);
	f.data[14] = 0x65;
	assert_int_equal(check(true, &f), DRB_SOURCE_OK); // no host reads it as IPv4
}

static struct frame arp(bool group, uint8_t operation, const uint8_t mac[6], const uint8_t ip[4])
{
	struct frame f = ethernet(group);

	PUT(&f, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, operation);
	put(&f, mac, 6);
	put(&f, ip, 4);
	PUT(&f, OTHER_MAC, OTHER_IP);
	return f;
}

TEST(arp_senders)
{
	static const uint8_t own[6] = {OWN_MAC}, other[6] = {OTHER_MAC};
	static const uint8_t ip[][4] = {{OWN_IP}, {NO_IP}, {OTHER_IP}, {192, 168, 0, 1}};

	for (int group = 0; group < 2; group++) {
		for (uint8_t operation = 0; operation < 12; operation++) {
			for (size_t i = 0; i < ARRAY_SIZE(ip); i++) {
				struct frame f = arp(group, operation, own, ip[i]);
				enum drb_source want = i < 2 ? DRB_SOURCE_OK : DRB_SOURCE_NEIGHBOUR;
				assert_int_equal(check(true, &f), want);
				assert_int_equal(check(false, &f), want);
				f.data[15] = 6; // IEEE 802: Linux accepts it as well
				assert_int_equal(check(true, &f), want);
				f = arp(group, operation, other, ip[i]);
				assert_int_equal(check(true, &f), DRB_SOURCE_NEIGHBOUR);
				f.data[18] = 8; // longer addresses: no host reads it
				assert_int_equal(check(true, &f), DRB_SOURCE_BAD);
				f = arp(group, operation, own, ip[i]);
				f.len--;
				assert_int_equal(check(true, &f), DRB_SOURCE_BAD);
			}
		}
	}
}

// An IPv6 packet; `payload` follows its headers.
static struct frame ipv6(bool group, const uint8_t source[16], uint8_t next,
			 const struct frame *payload)
{
	struct frame f = ethernet(group);

	PUT(&f, 0x86, 0xdd, 0x60, 0, 0, 0, (uint8_t)(payload->len >> 8), (uint8_t)payload->len,
	    next, 255);
	put(&f, source, 16);
	PUT(&f, OTHER_IP6);
	put(&f, payload->data, payload->len);
	return f;
}

TEST(ipv6_sources)
{
	static const struct {
		uint8_t source[16];
		enum drb_source want;
	} cases[] = {
		{{OWN_IP6}, DRB_SOURCE_OK},          {{OWN_LINK_LOCAL}, DRB_SOURCE_OK},
		{{OTHER_IP6}, DRB_SOURCE_IP},        {{NO_IP6}, DRB_SOURCE_IP},
		{{OTHER_LINK_LOCAL}, DRB_SOURCE_IP}, {{0xff, 2, [15] = 1}, DRB_SOURCE_IP},
	};
	struct frame udp = {.len = 0}, echo = {.len = 0};

	PUT(&udp, 0, 1, 0, 2, 0, 8, 0, 0);
	PUT(&echo, 128, 0, 0, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame f = ipv6(false, cases[i].source, 17, &udp);
		assert_int_equal(check(true, &f), cases[i].want);
		assert_int_equal(check(false, &f), DRB_SOURCE_OK);
		f = ipv6(false, cases[i].source, 58, &echo);
		assert_int_equal(check(true, &f), cases[i].want);
		f = ipv6(true, cases[i].source, 17, &udp);
		assert_int_equal(check(true, &f), DRB_SOURCE_OK);
		for (uint32_t len = 14; len < f.len; len++) {
			struct frame cut = f;
			cut.len = len;
			assert_int_equal(check(true, &cut), DRB_SOURCE_BAD);
		}
	}
}

// A neighbour discovery message with at most one link-layer address.
static struct frame nd(uint8_t type, const uint8_t target[16], uint8_t option, const uint8_t mac[6])
{
	struct frame m = {.len = 0};

	PUT(&m, type, 0, 0, 0, 0x60, 0, 0, 0);
	if (type != 133)
		put(&m, target, 16);
	if (option) {
		PUT(&m, option, 1);
		put(&m, mac, 6);
	}
	return m;
}

enum { RS = 133, RA, NS, NA, REDIRECT };

static const struct {
	const char *what;
	uint8_t type, source[16], target[16], option, mac[6];
	enum drb_source want;
} messages[] = {
	{"asks", NS, {OWN_IP6}, {OTHER_IP6}, 1, {OWN_MAC}, DRB_SOURCE_OK},
	{"asks, without a MAC", NS, {OWN_IP6}, {OTHER_IP6}, 0, {0}, DRB_SOURCE_OK},
	{"asks, link-local", NS, {OWN_LINK_LOCAL}, {OTHER_IP6}, 1, {OWN_MAC}, DRB_SOURCE_OK},
	{"asks whether an address is free", NS, {NO_IP6}, {OWN_IP6}, 0, {0}, DRB_SOURCE_OK},
	{"asks as another", NS, {OTHER_IP6}, {OWN_IP6}, 1, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"asks by another's MAC", NS, {OWN_IP6}, {OTHER_IP6}, 1, {OTHER_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"asks as nobody, by another's MAC",
	 NS,
	 {NO_IP6},
	 {OTHER_IP6},
	 1,
	 {OTHER_MAC},
	 DRB_SOURCE_NEIGHBOUR},
	{"answers", NA, {OWN_IP6}, {OWN_IP6}, 2, {OWN_MAC}, DRB_SOURCE_OK},
	{"answers for its link-local address",
	 NA,
	 {OWN_IP6},
	 {OWN_LINK_LOCAL},
	 2,
	 {OWN_MAC},
	 DRB_SOURCE_OK},
	{"answers for another", NA, {OWN_IP6}, {OTHER_IP6}, 2, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"answers as another", NA, {OTHER_IP6}, {OTHER_IP6}, 2, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"answers as nobody", NA, {NO_IP6}, {OWN_IP6}, 2, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"answers with another's MAC",
	 NA,
	 {OWN_IP6},
	 {OWN_IP6},
	 2,
	 {OTHER_MAC},
	 DRB_SOURCE_NEIGHBOUR},
	{"asks for routers", RS, {OWN_LINK_LOCAL}, {0}, 1, {OWN_MAC}, DRB_SOURCE_OK},
	{"asks for routers as another", RS, {OTHER_IP6}, {0}, 1, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"is a router", RA, {OWN_LINK_LOCAL}, {0}, 1, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
	{"redirects", REDIRECT, {OWN_LINK_LOCAL}, {OTHER_IP6}, 2, {OWN_MAC}, DRB_SOURCE_NEIGHBOUR},
};

TEST(neighbour_discovery)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct frame m = nd(messages[i].type, messages[i].target, messages[i].option,
				    messages[i].mac);
		for (int variant = 0; variant < 4; variant++) {
			struct frame f = ipv6(variant & 1, messages[i].source, 58, &m);
			if (check(variant & 2, &f) != messages[i].want)
				fail_msg("%s: %d", messages[i].what, check(variant & 2, &f));
			PUT(&f, 0, 0, 0, 0, 0); // padding is not part of the message
			assert_int_equal(check(variant & 2, &f), messages[i].want);
		}
	}
}

// Extension headers that hide a message, and messages that are cut short.
TEST(hidden_messages)
{
	static const uint8_t own[16] = {OWN_IP6}, other[16] = {OTHER_IP6}, mac[6] = {OWN_MAC};
	static const uint8_t kinds[] = {0, 43, 60};
	const struct frame lie = nd(NA, other, 2, mac), truth = nd(NA, own, 2, mac);

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (int headers = 1; headers <= 10; headers++) {
			enum drb_source of_lie = DRB_SOURCE_NEIGHBOUR, of_truth = DRB_SOURCE_OK;
			struct frame a = {.len = 0}, b;
			for (int h = 0; h < headers; h++)
				PUT(&a, h + 1 < headers ? kinds[k] : 58, 0, 1, 4, 0, 0, 0, 0);
			b = a;
			put(&a, lie.data, lie.len);
			put(&b, truth.data, truth.len);
			a = ipv6(false, own, kinds[k], &a);
			b = ipv6(false, own, kinds[k], &b);
			if (headers > 8)
				of_lie = of_truth = DRB_SOURCE_BAD;
			assert_int_equal(check(true, &a), of_lie);
			assert_int_equal(check(true, &b), of_truth);
		}
	}
	// An authentication header counts its length differently. Only the first fragment has a
	// message to check.
	struct frame a = {.len = 0};
	PUT(&a, 58, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	put(&a, lie.data, lie.len);
	a = ipv6(false, own, 51, &a);
	assert_int_equal(check(true, &a), DRB_SOURCE_NEIGHBOUR);
	for (int offset = 0; offset < 2; offset++) {
		a.len = 0;
		PUT(&a, 58, 0, 0, (uint8_t)(offset << 3 | 1), 0, 0, 0, 1);
		put(&a, truth.data, truth.len);
		a = ipv6(false, own, 44, &a);
		assert_int_equal(check(true, &a), offset ? DRB_SOURCE_OK : DRB_SOURCE_NEIGHBOUR);
	}
	// Options: of length zero, longer than the message, too many.
	for (int options = 0; options < 20; options++) {
		struct frame m = nd(NA, own, 0, mac);
		for (int i = 0; i < options; i++)
			PUT(&m, 14, 1, 1, 2, 3, 4, 5, 6);
		a = ipv6(false, own, 58, &m);
		assert_int_equal(check(true, &a), options > 16 ? DRB_SOURCE_BAD : DRB_SOURCE_OK);
		m.data[m.len - 7] = options % 2 ? 0 : 2;
		a = ipv6(false, own, 58, &m);
		if (options > 0)
			assert_int_equal(check(true, &a), DRB_SOURCE_BAD);
	}
}

// Only switches may send the EtherType of hellos, whatever the destination. The next switch's hello
// socket accepts such frames, also behind a tag, which the kernel removes.
TEST(hellos)
{
	for (int variant = 0; variant < 12; variant++) {
		const int tags = variant / 4;
		struct frame f = ethernet(variant & 1);
		for (int i = 0; i < tags; i++)
			PUT(&f, i ? 0x81 : 0x88, i ? 0x00 : 0xa8, 0, 7);
		PUT(&f, 0x88, 0xb5, 1, 2, 3, 4);
		assert_int_equal(check(variant & 2, &f), DRB_SOURCE_HELLO);
		f.data[f.len - 5] = 0xb6;
		assert_int_equal(check(variant & 2, &f), DRB_SOURCE_OK);
	}
}

TEST_MAIN(NULL, NULL)
