// SPDX-License-Identifier: BSD-3-Clause
// The forwarding path with real mbufs: the reasons of drops, the replies to hosts, and counters
// that include every packet.
#include "fixtures/unit.h"

#include "common/cli/clock.h"
#include "fixtures/forward_switch.h"
#include "fixtures/solicitation.h"

struct reason {
	enum drb_drop drop;
	uint32_t in, len;
	uint8_t frame[64];
};

// The longest frame that passes has 1500 bytes behind its header and its VLAN tags, two at most.
TEST(long_frames)
{
	static uint8_t frame[1600];

	begin(FABRIC(3, 2, 1, 0), 4);
	make_frame(frame, sizeof(frame), 0, 1);
	assert_int_equal(goes(0, frame, 1514), 1);
	assert_int_equal(goes(0, frame, 1515), UINT32_MAX);
	memcpy(frame + 12, (const uint8_t[]){0x81, 0, 0, 5, 0x12, 0x34}, 6);
	assert_int_equal(goes(0, frame, 1518), 1);
	assert_int_equal(goes(0, frame, 1519), UINT32_MAX);
	memcpy(frame + 12, (const uint8_t[]){0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x12, 0x34}, 10);
	assert_int_equal(goes(0, frame, 1522), 1);
	assert_int_equal(goes(0, frame, 1523), UINT32_MAX);
	assert_int_equal(goes(0, frame, 1600), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_oversize], 4);
	conserved();
	end();
}

// A host that sends IPv4 packets with "do not fragment" also gets a reply. The number of replies is
// limited, and frames with another host's MAC get none.
TEST(long_packets_are_answered)
{
	static uint8_t frame[1600];
	const uint8_t ip[20] = {0x45, 0, 6,  0x22, 0, 1, 0x40, 0, 64, 17,
				0,    0, 10, 0,    0, 1, 10,   0, 0,  12};
	const uint32_t count = 10000;

	begin(FABRIC(3, 2, 1, 0), 1 << 14);
	make_frame(frame, sizeof(frame), 0, 11);
	frame[12] = 8;
	frame[13] = 0;
	memcpy(frame + 14, ip, sizeof(ip));
	// The reply goes back to the port of the frame.
	assert_int_equal(goes(0, frame, sizeof(frame)), 0);
	assert_int_equal(w.decide.routing.too_big_replies, 1);
	assert_int_equal(w.drop[DRB_DROP_oversize], 1);
	conserved();
	assert_int_equal(goes(1, frame, sizeof(frame)), UINT32_MAX); // host 1 is not host 0
	assert_int_equal(goes(2, frame, sizeof(frame)), UINT32_MAX); // from above
	frame[20] = 0;
	assert_int_equal(goes(0, frame, sizeof(frame)), UINT32_MAX);
	frame[20] = 0x40;
	assert_int_equal(w.decide.routing.too_big_replies, 1);
	uint64_t begin_ns = drb_clock_now();
	for (uint32_t i = 0; i < count; i++)
		send_frame(0, frame, sizeof(frame));
	uint64_t earned = (drb_clock_now() - begin_ns) / 100000 + 1;
	assert_true(w.decide.routing.too_big_replies >= 2047 &&
		    w.decide.routing.too_big_replies <= 2048 + earned);
	assert_int_equal(w.drop[DRB_DROP_oversize], count + 4);
	conserved();
	end();
}

static const struct reason reasons[] = {
	{DRB_DROP_bad_frame, 0, 13, {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 0, 8}},
	{DRB_DROP_bad_frame, 0, 1, {0x02}},
	{DRB_DROP_bad_frame,
	 0,
	 20, // an ARP request cut short
	 {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 6, 0, 1}},
	{DRB_DROP_multicast, 0, 60, {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 0}},
	{DRB_DROP_multicast,
	 2, // from above: no requests are expected there
	 42,
	 {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1}},
	{DRB_DROP_unknown_destination, 0, 60, {0x02, 0, 0, 0, 0, 16, 0x02, 0, 0, 0, 0, 0}},
	{DRB_DROP_unknown_destination, 1, 60, {0x06, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_not_below, 2, 60, {0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 5}},
	{DRB_DROP_same_port, 1, 60, {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_spoofed_source, 0, 60, {0x02, 0, 0, 0, 0, 5, 0x02, 0, 0, 0, 0, 1}},
	{DRB_DROP_spoofed_source, 0, 60, {0x02, 0, 0, 0, 0, 5, 0x02, 1, 0, 0, 0, 0}},
	{DRB_DROP_spoofed_neighbour,
	 1, // an ARP request with another host's address
	 42,
	 {255, 255,  255, 255, 255, 255, 0x02, 0,  0, 0, 0, 1, 8, 6, 0, 1, 8, 0,  6, 4, 0,
	  1,   0x02, 0,   0,   0,   0,   0,    10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 9}},
	{DRB_DROP_spoofed_neighbour,
	 1, // h1 tells h5 that it is 10.0.0.1
	 42,
	 {0x02, 0,    0, 0, 0, 5, 0x02, 0,  0, 0, 0, 1,    8, 6, 0, 1, 8, 0,  6, 4, 0,
	  2,    0x02, 0, 0, 0, 0, 1,    10, 0, 0, 1, 0x02, 0, 0, 0, 0, 5, 10, 0, 0, 6}},
	{DRB_DROP_spoofed_ip,
	 1, // an empty packet of 10.0.0.1
	 34,
	 {0x02, 0, 0, 0, 0, 5, 0x02, 0, 0, 0,  0, 1, 8, 0,  0x45, 0, 0,
	  20,   0, 0, 0, 0, 9, 17,   0, 0, 10, 0, 0, 1, 10, 0,    0, 6}},
	{DRB_DROP_unknown_neighbour, 1, 42, {255,  255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0,
					     1,    8,   6,   0,   1,   8,   0,    6, 4, 0, 1,
					     0x02, 0,   0,   0,   0,   1,   10,   0, 0, 2, 0,
					     0,    0,   0,   0,   0,   10,  0,    9, 9}},
};

// Each drop reason, one frame at a time: only its own counter changes.
TEST(every_drop_reason)
{
	uint64_t want[DRB_DROP_COUNT] = {0};

	begin(FABRIC(3, 2, 1, 0), 4);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		assert_int_equal(goes(reasons[i].in, reasons[i].frame, reasons[i].len), UINT32_MAX);
		want[reasons[i].drop]++;
		assert_memory_equal(w.drop, want, sizeof(want));
	}
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.shared.snapshot.port[0].in_discards +
				 w.shared.snapshot.port[1].in_discards +
				 w.shared.snapshot.port[2].in_discards,
			 ARRAY_SIZE(reasons));
	conserved();
	end();
}

TEST(full_and_missing_ports)
{
	uint64_t out_discards;

	begin(FABRIC(3, 2, 1, 0) "routing: {scheme: dmodk}\n", 3);
	for (int i = 0; i < 5; i++)
		goes_to(0, 0, 1);
	assert_int_equal(queued(1), 3);
	assert_int_equal(w.drop[DRB_DROP_queue_full], 2);
	conserved();
	out_discards = w.shared.snapshot.port[1].out_discards;
	assert_int_equal(out_discards, 2);
	assert_int_equal(w.shared.snapshot.port[1].queue_max_packets, 3);
	drb_worker_free(&w);
	// The same without a device behind any port.
	assert_int_equal(drb_worker_init(&w, &setup), 0);
	assert_int_equal(goes_to(0, 0, 1), UINT32_MAX);
	assert_int_equal(goes_to(0, 0, 9), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_port_down], 2);
	conserved();
	end();
}

// Host 1 asks by ARP for 10.0.0.12.
static const uint8_t question[42] = {255, 255, 255, 255, 255, 255, 0x02, 0, 0, 0, 0,  1, 8, 6,
				     0,   1,   8,   0,   6,   4,   0,    1, 2, 0, 0,  0, 0, 1,
				     10,  0,   0,   2,   0,   0,   0,    0, 0, 0, 10, 0, 0, 12};

TEST(questions_are_answered)
{
	uint8_t arp[sizeof(question)];

	memcpy(arp, question, sizeof(arp));
	begin(FABRIC(3, 2, 1, 0), 8);
	assert_int_equal(goes(1, arp, sizeof(arp)), 1); // back to its port
	assert_int_equal(w.decide.routing.arp_replies, 1);
	assert_int_equal(w.decide.routing.nd_replies, 0);
	arp[41] = 2; // its own address: duplicate address detection
	assert_int_equal(goes(1, arp, sizeof(arp)), UINT32_MAX);
	assert_int_equal(w.drop[DRB_DROP_multicast], 1);
	conserved();
	end();
	begin(FABRIC(3, 2, 1, 2), 8);
	assert_int_equal(goes(0, nd_request, sizeof(nd_request)), 0);
	assert_int_equal(w.decide.routing.arp_replies, 0);
	assert_int_equal(w.decide.routing.nd_replies, 1);
	conserved();
	end();
}

// A host that asks endlessly gets no more replies; other hosts do.
TEST(questions_are_limited)
{
	uint8_t arp[sizeof(question)];
	const uint32_t count = 10000;

	memcpy(arp, question, sizeof(arp));
	begin(FABRIC(3, 2, 1, 0), 1 << 14);
	uint64_t begin_ns = drb_clock_now();
	for (uint32_t i = 0; i < count; i++)
		send_frame(1, arp, sizeof(arp));
	uint64_t earned = (drb_clock_now() - begin_ns) / 100000 + 1;
	assert_true(w.decide.routing.arp_replies >= 2048 &&
		    w.decide.routing.arp_replies <= 2048 + earned);
	assert_int_equal(w.drop[DRB_DROP_too_many_questions], count - w.decide.routing.arp_replies);
	memcpy(&arp[6], (const uint8_t[]){2, 0, 0, 0, 0, 0}, 6);
	memcpy(&arp[22], &arp[6], 6);
	arp[31] = 1;
	assert_int_equal(goes(0, arp, sizeof(arp)), 0);
	conserved();
	end();
}

// Without the check a host may use any source.
TEST(spoofing_may_be_allowed)
{
	begin(FABRIC(3, 2, 1, 0) "routing: {check_source: off, scheme: dmodk}\n", 8);
	assert_int_equal(goes_to(0, 7, 1), 1);
	assert_int_equal(w.drop[DRB_DROP_spoofed_source], 0);
	end();
}

// A frame in several segments is forwarded by its first segment, and counted whole.
TEST(segments)
{
	uint8_t frame[64];
	struct rte_mbuf *m, *tail;

	begin(FABRIC(3, 2, 1, 0), 8);
	make_frame(frame, sizeof(frame), 0, 1);
	m = mbuf_of(frame, sizeof(frame));
	tail = mbuf_of(frame, sizeof(frame));
	assert_int_equal(rte_pktmbuf_chain(m, tail), 0);
	drb_forward_burst(&w, 0, &m, 1);
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.shared.snapshot.port[1].queue_octets, 128);
	assert_int_equal(w.shared.snapshot.port[0].in_octets, 128);
	end();
}

TEST_MAIN(setup_eal, free_eal)
