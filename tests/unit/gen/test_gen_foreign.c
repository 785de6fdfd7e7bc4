// SPDX-License-Identifier: BSD-3-Clause
// Foreign frames: headers, checksums, the mapping of addresses onto hosts, and the recognition of
// packets where they arrive.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "core/math/random.h"

#include "gen/captures/address_map.h"
#include "core/packet/checksum.h"
#include "gen/captures/foreign.h"
#include "gen/captures/host_rules.h"
#include "gen/frames/ip_frame.h"
#include "gen/captures/recognise.h"

#define SIZE_MAX_HERE 400

// The parts of a made-up frame.
struct recipe {
	const char *what;
	uint32_t tags;
	bool ipv6;
	uint32_t options; // bytes of IPv4 options or IPv6 destination options, a multiple of 8
	bool fragment;    // a later fragment: no transport header
	uint8_t protocol;
	uint32_t checksum_at; // within the transport header
	bool covered;         // has a checksum that covers the addresses
};

static const struct recipe recipes[] = {
	{"TCP over IPv4", 0, false, 0, false, 6, 16, true},
	{"UDP over IPv4", 0, false, 0, false, 17, 6, true},
	{"TCP, IPv4 options", 0, false, 8, false, 6, 16, true},
	{"UDP, one tag", 1, false, 0, false, 17, 6, true},
	{"TCP, two tags", 2, false, 0, false, 6, 16, true},
	{"ICMP", 0, false, 0, false, 1, 2, false},
	{"later fragment", 0, false, 0, true, 17, 6, false},
	{"SCTP", 0, false, 0, false, 132, 8, false},
	{"DCCP", 0, false, 0, false, 33, 6, true},
	{"TCP over IPv6", 0, true, 0, false, 6, 16, true},
	{"UDP over IPv6", 1, true, 0, false, 17, 6, true},
	{"ICMPv6", 0, true, 0, false, 58, 2, true},
	{"UDP, destination options", 0, true, 16, false, 17, 6, true},
	{"IPv6, later fragment", 0, true, 0, true, 6, 16, false},
};

// Sum of addresses, length and protocol as in RFC 793 and RFC 8200, and of everything from `at` on.
// It is 0xffff if the transport checksum is right.
static uint16_t transport_sum(const uint8_t *frame, uint32_t size, const struct recipe *r,
			      uint32_t ip, uint32_t at)
{
	const uint8_t *addresses = frame + ip + (r->ipv6 ? 8 : 12);
	uint64_t sum = drb_checksum_sum(addresses, r->ipv6 ? 32 : 8) + r->protocol + (size - at);

	return drb_checksum_fold(sum + drb_checksum_sum(frame + at, size - at));
}

static void random_bytes(struct drb_rng *rng, uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)drb_rng_next(rng);
}

// Makes a frame with right checksums. Returns its size and the offsets of its headers.
static uint32_t cook(uint8_t *frame, const struct recipe *r, struct drb_rng *rng, uint32_t *ip,
		     uint32_t *transport)
{
	uint32_t at = 12, payload = 40 + drb_rng_below(rng, 100);

	random_bytes(rng, frame, SIZE_MAX_HERE);
	frame[0] &= 0xfe;
	for (uint32_t i = 0; i < r->tags; i++, at += 4)
		drb_store16(frame + at, i + 1 < r->tags ? 0x88a8 : 0x8100);
	drb_store16(frame + at, r->ipv6 ? 0x86dd : 0x0800);
	*ip = at + 2;
	uint8_t *h = frame + *ip;
	uint8_t next = r->ipv6 && r->fragment ? 44 : r->ipv6 && r->options ? 60 : r->protocol;
	if (r->ipv6) {
		h[0] = 0x60;
		h[6] = next;
		*transport = *ip + 40 + (r->fragment ? 8 : r->options);
		if (r->options)
			h[41] = (uint8_t)(r->options / 8 - 1);
		if (r->fragment)
			drb_store16(h + 42, 185 << 3);
		h[40] = next == r->protocol ? h[40] : r->protocol;
	} else {
		h[0] = (uint8_t)(0x45 + r->options / 4);
		h[9] = r->protocol;
		drb_store16(h + 6, r->fragment ? 185 : 0);
		drb_store16(h + 10, 0);
		*transport = *ip + 20 + r->options;
		drb_store16(h + 10, drb_checksum(h, 20 + r->options));
	}
	uint32_t size = *transport + payload;
	if (r->covered) {
		uint8_t *field = frame + *transport + r->checksum_at;
		drb_store16(field, 0);
		drb_store16(field, (uint16_t)~transport_sum(frame, size, r, *ip, *transport));
	}
	return size;
}

TEST(checksums_stay_right)
{
	struct drb_addr_plan plan = drb_addr_default(64);
	struct drb_rng rng = drb_rng_seed(2, 0);
	for (uint32_t round = 0; round < 200 * ARRAY_SIZE(recipes); round++) {
		const struct recipe *r = &recipes[round % ARRAY_SIZE(recipes)];
		uint8_t frame[SIZE_MAX_HERE], before[SIZE_MAX_HERE];
		uint32_t ip, transport, src = drb_rng_below(&rng, 64), dst = (src + 1) % 64;
		uint32_t size = cook(frame, r, &rng, &ip, &transport);
		uint32_t end = ip + (r->ipv6 ? 40 : 20 + r->options);
		struct ipframe f;
		memcpy(before, frame, sizeof(before));
		if (ipframe_parse(frame, size, &f) < 0)
			fail_msg("%s: not parsed", r->what);
		assert_int_equal(f.ip, ip);
		assert_int_equal(f.checksum, r->covered ? transport + r->checksum_at : 0);
		assert_int_equal(f.transport, r->fragment ? 0 : transport);
		assert_int_equal(f.protocol, r->fragment ? 0 : r->protocol);
		ipframe_readdress(frame, &f, &plan, src, dst);
		assert_int_equal(drb_addr_of_mac(&plan, frame), dst);
		assert_int_equal(drb_addr_of_mac(&plan, frame + 6), src);
		if (r->ipv6) {
			assert_int_equal(drb_addr_of_ipv6(&plan, frame + ip + 8), src);
			assert_int_equal(drb_addr_of_ipv6(&plan, frame + ip + 24), dst);
		} else {
			assert_int_equal(drb_addr_of_ipv4(&plan, drb_load32(frame + ip + 12)), src);
			assert_int_equal(drb_addr_of_ipv4(&plan, drb_load32(frame + ip + 16)), dst);
			assert_int_equal(drb_checksum(frame + ip, end - ip), 0);
		}
		if (r->covered && transport_sum(frame, size, r, ip, transport) != 0xffff)
			fail_msg("%s: transport checksum is wrong", r->what);
		// All other bytes stay the same.
		if (r->covered)
			memcpy(frame + transport + r->checksum_at,
			       before + transport + r->checksum_at, 2);
		assert_memory_equal(frame + end, before + end, size - end);
		assert_memory_equal(frame + 12, before + 12, ip - 12);
	}
}

TEST(udp_without_checksum_stays_without)
{
	struct drb_addr_plan plan = drb_addr_default(4);
	struct drb_rng rng = drb_rng_seed(6, 0);
	uint32_t ip, transport;
	uint8_t frame[SIZE_MAX_HERE];
	struct ipframe f;
	uint32_t size = cook(frame, &recipes[1], &rng, &ip, &transport);
	drb_store16(frame + transport + 6, 0);
	assert_int_equal(ipframe_parse(frame, size, &f), 0);
	ipframe_readdress(frame, &f, &plan, 1, 2);
	assert_int_equal(drb_load16(frame + transport + 6), 0);
}

// Every prefix of every frame, in memory of exactly its size: there is no read beyond it, and no
// missing checksum is reported as present.
TEST(truncated_frames_are_safe)
{
	struct drb_addr_plan plan = drb_addr_default(4);
	struct drb_rng rng = drb_rng_seed(4, 0);
	for (uint32_t k = 0; k < ARRAY_SIZE(recipes); k++) {
		uint8_t frame[SIZE_MAX_HERE];
		uint32_t ip, transport, size = cook(frame, &recipes[k], &rng, &ip, &transport);
		uint32_t addresses = ip + (recipes[k].ipv6 ? 40 : 20 + recipes[k].options);
		for (uint32_t captured = 0; captured <= size; captured++) {
			uint8_t *copy = malloc(captured ? captured : 1);
			struct ipframe f;
			assert_non_null(copy);
			memcpy(copy, frame, captured);
			int rc = ipframe_parse(copy, captured, &f);
			assert_int_equal(rc, captured < addresses ? -EBADMSG : 0);
			if (rc == 0) {
				assert_true(f.checksum == 0 || f.checksum + 2 <= captured);
				ipframe_readdress(copy, &f, &plan, 1, 2);
			}
			free(copy);
		}
	}
}

TEST(noise_is_safe)
{
	struct drb_addr_plan plan = drb_addr_default(4);
	struct drb_rng rng = drb_rng_seed(8, 0);
	for (uint32_t round = 0; round < 100000; round++) {
		uint32_t ip, transport, size = 14 + drb_rng_below(&rng, 120);
		uint8_t *frame = malloc(SIZE_MAX_HERE);
		struct ipframe f;
		assert_non_null(frame);
		cook(frame, &recipes[round % ARRAY_SIZE(recipes)], &rng, &ip, &transport);
		for (int flips = 0; flips < 4; flips++)
			frame[12 + drb_rng_below(&rng, 60)] ^= (uint8_t)drb_rng_next(&rng);
		frame = realloc(frame, size);
		assert_non_null(frame);
		if (ipframe_parse(frame, size, &f) == 0)
			ipframe_readdress(frame, &f, &plan, 0, 3);
		free(frame);
	}
}

TEST(other_protocols_are_not_ip)
{
	uint8_t frame[60] = {0};
	struct ipframe f;
	drb_store16(frame + 12, 0x0806);
	assert_int_equal(ipframe_parse(frame, sizeof(frame), &f), -ENOMSG);
	for (int i = 0; i < 4; i++)
		drb_store16(frame + 12 + 4 * i, 0x8100);
	assert_int_equal(ipframe_parse(frame, sizeof(frame), &f), -ENOMSG);
}

static struct ipframe_address address(uint32_t n)
{
	struct ipframe_address a = {.size = n & 1 ? 16 : 4};

	drb_store32(a.bytes, n);
	return a;
}

TEST(partners_are_on_different_hosts)
{
	enum { ADDRESSES = 300, PAIRS = 900, HOSTS = 16 };
	struct drb_rng rng = drb_rng_seed(1, 0);
	uint32_t host[ADDRESSES], used = 0, (*pair)[2] = calloc(PAIRS, sizeof(*pair));
	struct addrmap *m = addrmap_new(HOSTS, 1), *again = addrmap_new(HOSTS, 1);
	struct addrmap *other = addrmap_new(HOSTS, 2);
	uint32_t differ = 0, seen = 0;
	for (uint32_t i = 0; i < PAIRS; i++) {
		pair[i][0] = drb_rng_below(&rng, ADDRESSES);
		pair[i][1] = (pair[i][0] + 1 + drb_rng_below(&rng, 12)) % ADDRESSES;
		struct ipframe_address a = address(pair[i][0]), b = address(pair[i][1]);
		assert_int_equal(addrmap_add(m, &a, &b), 0);
		assert_int_equal(addrmap_add(again, &a, &b), 0);
		assert_int_equal(addrmap_add(other, &a, &b), 0);
	}
	assert_int_equal(addrmap_solve(m), 0);
	assert_int_equal(addrmap_solve(again), 0);
	assert_int_equal(addrmap_solve(other), 0);
	for (uint32_t i = 0; i < PAIRS; i++) {
		struct ipframe_address a = address(pair[i][0]), b = address(pair[i][1]);
		host[pair[i][0]] = addrmap_host(m, &a);
		assert_true(addrmap_host(m, &a) < HOSTS);
		assert_int_not_equal(addrmap_host(m, &a), addrmap_host(m, &b));
		assert_int_equal(addrmap_host(m, &a), addrmap_host(again, &a));
		differ += addrmap_host(m, &a) != addrmap_host(other, &a);
		seen |= 1U << host[pair[i][0]];
	}
	used = (uint32_t)__builtin_popcount(seen);
	assert_int_equal(used, HOSTS);
	assert_true(differ > PAIRS / 2);
	addrmap_free(m);
	addrmap_free(again);
	addrmap_free(other);
	free(pair);
}

// Hosts stand for equally many addresses, whatever the seed; for one each while there are enough.
TEST(addresses_spread_over_all_hosts)
{
	enum { HOSTS = 16 };

	for (uint32_t addresses = 2; addresses <= 40; addresses++) {
		struct addrmap *m = addrmap_new(HOSTS, addresses);
		uint32_t of_host[HOSTS] = {0};
		for (uint32_t i = 0; i < addresses; i++) {
			struct ipframe_address a = address(i), b = address((i + 1) % addresses);
			assert_int_equal(addrmap_add(m, &a, &b), 0);
		}
		assert_int_equal(addrmap_solve(m), 0);
		for (uint32_t i = 0; i < addresses; i++) {
			struct ipframe_address a = address(i);
			of_host[addrmap_host(m, &a)]++;
		}
		uint32_t shared = 0;
		for (uint32_t h = 0; h < HOSTS; h++) {
			// A partner can take the last host of a round.
			assert_in_range(of_host[h] + 1, addresses / HOSTS,
					(addresses + HOSTS - 1) / HOSTS + 2);
			shared += of_host[h] > 1 ? of_host[h] : 0;
		}
		assert_int_equal(addrmap_shared(m), shared);
		assert_true(addresses > HOSTS || shared == 0);
		addrmap_free(m);
	}
}

// Three addresses that all talk to each other do not fit two hosts; the mapping still ends.
TEST(impossible_mappings_are_survived)
{
	struct addrmap *m = addrmap_new(2, 1);
	for (uint32_t i = 0; i < 3; i++) {
		struct ipframe_address a = address(i), b = address((i + 1) % 3);
		assert_int_equal(addrmap_add(m, &a, &b), 0);
		assert_int_equal(addrmap_add(m, &a, &a), 0);
	}
	assert_int_equal(addrmap_solve(m), 0);
	uint32_t hosts = 0;
	for (uint32_t i = 0; i < 3; i++) {
		struct ipframe_address a = address(i);
		hosts |= 1U << addrmap_host(m, &a);
	}
	assert_int_equal(hosts, 3);
	addrmap_free(m);
}

static void add_frame(struct trace *t, const struct recipe *r, struct drb_rng *rng, int64_t time)
{
	uint8_t frame[SIZE_MAX_HERE];
	uint32_t ip, transport, size = cook(frame, r, rng, &ip, &transport);

	assert_non_null(trace_add(t, time, frame, size, size));
}

TEST(traces_are_mapped)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	struct drb_rng rng = drb_rng_seed(9, 0);
	struct foreign_traffic traffic;
	struct trace t = {0};
	uint8_t noise[1600] = {0};
	add_frame(&t, &recipes[0], &rng, 5000);
	add_frame(&t, &recipes[9], &rng, 4000);
	assert_non_null(trace_add(&t, 1, noise, 60, 60)); // no IP
	drb_store16(noise + 12, 0x0800);
	assert_non_null(trace_add(&t, 2, noise, 60, 60)); // malformed
	noise[14] = 0x45;
	assert_non_null(trace_add(&t, 3, noise, 60, 60));    // from 0.0.0.0 to itself
	assert_non_null(trace_add(&t, 4, noise, 60, 20000)); // far too long
	drb_store16(noise + 28, 1);
	assert_non_null(trace_add(&t, 6000, noise, 60, 1515)); // longer than the MTU
	char text[FOREIGN_SKIPPED_TEXT];
	assert_int_equal(foreign_map(&t, &(struct host_rules){.plan = plan}, 1, &traffic), 0);
	foreign_fit(&t, 1500, &traffic.skipped);
	assert_int_equal(traffic.skipped.not_ip, 1);
	assert_int_equal(traffic.skipped.malformed, 1);
	assert_int_equal(traffic.skipped.same_host, 1);
	assert_int_equal(traffic.skipped.oversize, 2);
	assert_int_equal(foreign_skipped_count(&traffic.skipped), 5);
	foreign_skipped_text(&traffic.skipped, text);
	assert_non_null(strstr(text, "1 are not IP, 1 are too short"));
	assert_null(strstr(text, "multicast"));
	assert_int_equal(t.count, 2);
	assert_int_equal(t.packet[0].time_ns, 0);
	assert_int_equal(t.packet[1].time_ns, 1000);
	for (size_t i = 0; i < t.count; i++)
		assert_int_equal(drb_addr_of_mac(&plan, t.packet[i].frame + 6), t.packet[i].host);
	foreign_free(&traffic);
	trace_free(&t);
}

// A capture has no prefix lengths, so IP does not tell a broadcast to a network.
TEST(group_addresses_of_ethernet_are_not_sent)
{
	static const uint8_t destinations[][6] = {
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0x01, 0x00, 0x5e, 0x00, 0x00, 0xfb},
		{0x33, 0x33, 0x00, 0x00, 0x00, 0x01},
		{0x03, 0xbf, 0x0a, 0x01, 0x02, 0x03},
	};
	struct drb_rng rng = drb_rng_seed(11, 0);

	for (uint32_t i = 0; i < ARRAY_SIZE(destinations) * ARRAY_SIZE(recipes); i++) {
		const struct host_rules rules = {.plan = drb_addr_default(16)};
		struct foreign_traffic traffic;
		struct trace t = {0};
		add_frame(&t, &recipes[i % ARRAY_SIZE(recipes)], &rng, 0);
		memcpy(t.packet[0].frame, destinations[i / ARRAY_SIZE(recipes)], 6);
		assert_int_equal(foreign_map(&t, &rules, 1, &traffic), 0);
		assert_int_equal(traffic.skipped.multicast, 1);
		assert_int_equal(t.count, 0);
		foreign_free(&traffic);
		trace_free(&t);
	}
}

// Full packets with tags are not what segmentation makes, so its cure would not help.
TEST(tags_beyond_the_mtu_have_a_reason_of_their_own)
{
	static const struct {
		const char *what;
		uint16_t types[3];
		uint32_t mtu, payload;
		uint64_t tags, oversize;
	} cases[] = {
		{"no tag", {0x0800}, 1500, 1500, 0, 0},
		{"no tag, segments", {0x0800}, 1500, 1501, 0, 1},
		{"802.1Q", {0x8100, 0x0800}, 1500, 1500, 0, 0},
		{"802.1Q, segments", {0x8100, 0x86dd}, 1500, 1501, 0, 1},
		{"802.1ad", {0x88a8, 0x0800}, 1500, 1500, 1, 0},
		{"802.1ad, jumbo", {0x88a8, 0x86dd}, 9000, 9000, 1, 0},
		{"802.1ad over 802.1Q", {0x88a8, 0x8100, 0x86dd}, 1500, 1500, 1, 0},
		{"802.1ad over 802.1Q, the cure", {0x88a8, 0x8100, 0x86dd}, 1508, 1500, 0, 0},
		{"802.1Q twice", {0x8100, 0x8100, 0x0800}, 1500, 1497, 1, 0},
		{"802.1Q twice, fits", {0x8100, 0x8100, 0x0800}, 1500, 1496, 0, 0},
		{"802.1Q twice, segments", {0x8100, 0x8100, 0x0800}, 1500, 2900, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct foreign_skipped skipped = {0};
		struct trace t = {0};
		uint8_t frame[100] = {0};
		uint32_t at = 12;
		for (const uint16_t *type = cases[i].types; type < cases[i].types + 3 && *type;
		     type++) {
			drb_store16(frame + at, *type);
			at += *type == 0x0800 || *type == 0x86dd ? 2 : 4;
		}
		frame[at] = drb_load16(frame + at - 2) == 0x0800 ? 0x45 : 0x60;
		assert_non_null(trace_add(&t, 0, frame, sizeof(frame), at + cases[i].payload));
		foreign_fit(&t, cases[i].mtu, &skipped);
		if (skipped.tags != cases[i].tags || skipped.oversize != cases[i].oversize)
			fail_msg("%s", cases[i].what);
		trace_free(&t);
	}
}

TEST(arrivals_are_told_apart)
{
	enum { PACKETS = 500, HOSTS = 4 };
	struct drb_addr_plan plan = drb_addr_default(HOSTS);
	struct drb_rng rng = drb_rng_seed(10, 0);
	struct foreign_traffic traffic;
	struct recognised host[HOSTS], want[HOSTS] = {0};
	struct trace t = {0};
	struct tally tally;
	uint8_t stranger[60] = {0};
	for (uint32_t i = 0; i < PACKETS; i++)
		add_frame(&t, &recipes[i % ARRAY_SIZE(recipes)], &rng, i);
	assert_int_equal(foreign_map(&t, &(struct host_rules){.plan = plan}, 1, &traffic), 0);
	struct recogniser *r = recogniser_new(&t, &plan, t.count);
	assert_non_null(r);
	for (size_t i = 0; i < t.count; i++) {
		struct trace_packet *p = &t.packet[i];
		uint32_t dst = drb_addr_of_mac(&plan, p->frame), fate = drb_rng_below(&rng, 6);
		uint32_t copies = fate == 0 ? 0 : fate == 1 ? 3 : 1;
		uint32_t at = fate == 2 ? (dst + 1) % HOSTS : dst;
		p->sent = 1 + (fate == 3); // sent twice, arrives twice
		copies += fate == 3;
		for (uint32_t c = 0; c < copies; c++)
			recogniser_frame(r,
					 &(struct arrival){.host = at,
							   .captured = p->size < TRACE_PRINT_BYTES
									       ? p->size
									       : TRACE_PRINT_BYTES,
							   .size = p->size,
							   .frame = p->frame});
		want[p->host].sent += p->sent;
		want[dst].expected += p->sent;
		want[at].received += copies;
		want[at].misdelivered += fate == 2;
		want[dst].missing += fate == 0 || fate == 2;
		want[dst].duplicated += fate == 1 ? 2 : 0;
	}
	recogniser_frame(r, &(struct arrival){.host = 2,
					      .captured = sizeof(stranger),
					      .size = sizeof(stranger),
					      .frame = stranger});
	want[2].strangers = 1;
	recogniser_result(r, host, &traffic.flows, &tally);
	assert_memory_equal(host, want, sizeof(want));
	assert_int_equal(tally.received + want[0].missing + want[1].missing + want[2].missing +
				 want[3].missing,
			 want[0].sent + want[1].sent + want[2].sent + want[3].sent +
				 tally.duplicated + tally.misdelivered);
	for (size_t i = 0; i < traffic.flows.count; i++) {
		const struct flow *f = &traffic.flows.at[i];
		tally.delivered -= f->sent - f->lost;
		tally.duplicated -= f->duplicated;
	}
	assert_true(tally.delivered == 0 && tally.duplicated == 0);
	recogniser_free(r);
	foreign_free(&traffic);
	trace_free(&t);
}

TEST_MAIN(NULL, NULL)
