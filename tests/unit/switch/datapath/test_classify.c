// SPDX-License-Identifier: BSD-3-Clause
// Ordinary frames of a host are checked by classification alone, and obey the rule of sources
// without drb_source_check(). Frames that drb_source_check() accepts later are forwarded alike.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "fixtures/forward_switch.h"

enum { IPV4 = 4, IPV6 = 6 };

// A UDP packet of h0 to another host by either IP version, with some VLAN tags. Its source is h0's
// own address or another's.
static uint32_t udp_frame(uint8_t *frame, uint32_t to, int version, uint32_t tags, bool own)
{
	struct drb_addr_plan plan = drb_addr_default(UINT32_MAX);
	uint8_t *at = frame + DRB_ETHER_TYPE;

	make_frame(frame, 128, 0, to);
	memset(at, 0, 128 - DRB_ETHER_TYPE);
	for (uint32_t i = 0; i < tags; i++, at += 4)
		drb_store16(at, DRB_ETHERTYPE_VLAN);
	drb_store16(at, version == IPV4 ? DRB_ETHERTYPE_IPV4 : DRB_ETHERTYPE_IPV6);
	at += 2;
	at[0] = (uint8_t)(version << 4 | (version == IPV4 ? 5 : 0));
	if (version == IPV4) {
		drb_store16(at + DRB_IPV4_LENGTH, 40);
		drb_store32(at + DRB_IPV4_SRC, drb_addr_ipv4(&plan, own ? 0 : 3));
	} else {
		drb_store16(at + DRB_IPV6_PAYLOAD, 8);
		at[DRB_IPV6_NEXT] = 17;
		drb_addr_ipv6(&plan, own ? 0 : 3, at + DRB_IPV6_SRC);
	}
	return 100;
}

// Packets with the host's own address take the same path, whatever their tags and version. Packets
// with another address are dropped for it. Each is counted once.
TEST(every_kind_goes_its_way)
{
	uint8_t frame[128];
	uint64_t good = 0, bad = 0;

	begin(FABRIC(3, 2, 1, 0) "routing: {scheme: dmodk}\n", 64);
	for (uint32_t to = 1; to < 16; to++)
		for (uint32_t tags = 0; tags < 3; tags++)
			for (int version = IPV4; version <= IPV6; version += 2) {
				uint32_t len = udp_frame(frame, to, version, tags, true);
				assert_int_equal(goes(0, frame, len), to == 1 ? 1 : 2 + to % 2);
				good++;
				len = udp_frame(frame, to, version, tags, false);
				assert_int_equal(goes(0, frame, len), UINT32_MAX);
				bad++;
			}
	assert_int_equal(w.drop[DRB_DROP_spoofed_ip], bad);
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.shared.snapshot.port[0].in_packets, good + bad);
	assert_int_equal(w.shared.snapshot.port[0].in_octets, 100 * (good + bad));
	conserved();
	end();
}

// A second statement of the rule of sources and of the form of ordinary packets.
static bool is_plain(const struct drb_source_rule *rule, const uint8_t *frame, uint32_t len)
{
	static const uint8_t fabric[5] = {2}, own[6] = {2};

	if (len < 34 || len > drb_frame_max(1500) || memcmp(frame, fabric, 5) != 0 || frame[5] > 15)
		return false;
	if (memcmp(frame + 6, own, 6) != 0 || frame[12] != 8 || frame[13] != 0)
		return false;
	return !rule->ip || memcmp(frame + 26, (const uint8_t[]){10, 0, 0, 1}, 4) == 0;
}

TEST(plain_is_what_the_rule_finds_right)
{
	static const char *const switches[] = {
		FABRIC(3, 2, 1, 0) "routing: {check_source: mac}\n",
		FABRIC(3, 2, 1, 0),
	};
	struct drb_rng rng = drb_rng_seed(1, 0);
	uint32_t plain = 0, others = 0;

	for (int ip = 0; ip < 2; ip++) {
		begin(switches[ip], 64);
		const struct drb_worker_port *port = &w.port[0];
		for (uint32_t i = 0; i < 200000; i++) {
			uint64_t r = drb_rng_next(&rng);
			struct rte_mbuf *m = rte_pktmbuf_alloc(test_pool);
			uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
			uint32_t len = udp_frame(frame, r & 15, r & 16 ? IPV4 : IPV6, 0, r & 32);
			frame[r >> 8 & 31] ^= (uint8_t)(r >> 16) & (uint8_t)(r >> 24);
			len = r & 64 ? len : (uint32_t)(r >> 32) % 64;
			m->data_len = (uint16_t)len;
			m->pkt_len = len;
			uint32_t class = drb_classify(&port->classifier, m);
			assert_int_equal(class != DRB_CLASS_EXCEPTION,
					 is_plain(&port->source, frame, len));
			if (class != DRB_CLASS_EXCEPTION) {
				assert_int_equal(drb_source_check(&port->source, frame, len),
						 DRB_SOURCE_OK);
				assert_int_equal(drb_classify(&port->checked, m), class);
				plain++;
			} else {
				others++;
			}
			rte_pktmbuf_free(m);
		}
		end();
	}
	assert_true(plain > 10000 && others > 10000);
}

TEST_MAIN(setup_eal, free_eal)
