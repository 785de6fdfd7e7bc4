// SPDX-License-Identifier: BSD-3-Clause
// Packets that make up a GSO packet; cutting it gives them back. A second model cuts it
// (segments.h). The live story same-frames.sh shows that the kernel does the same.
#include "fixtures/unit.h"

#include "fixtures/segments.h"
#include "switch/ports/packet_socket/coalesce.h"
#include "switch/ports/unfinished.h"
#include "fixtures/switch_eal.h"

#define COUNT 80

static struct rte_mbuf *packet[COUNT];
static const struct drb_coalesce_rules all = {SEGMENT_MAX, SEGMENT_MAX, true};

static int free_packets(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		rte_pktmbuf_free(packet[i]);
		packet[i] = NULL;
	}
	return 0;
}

static void put_segment(uint32_t i, const struct segment_fields *s)
{
	uint8_t frame[SEGMENT_MAX];
	uint32_t length = make_segment(frame, s);

	rte_pktmbuf_free(packet[i]);
	packet[i] = mbuf_of(frame, length);
	assert_non_null(packet[i]);
}

// Writes `count` segments of one stream; the last one is shorter and has PSH.
static void put_stream(bool ipv6, uint32_t options, uint32_t payload, uint32_t count)
{
	struct segment_fields s = {.ipv6 = ipv6,
				   .options = options,
				   .payload = payload,
				   .id = (uint16_t)(0x10000 - count / 2),
				   .seq = UINT32_MAX - payload * count / 2,
				   .ack = 77,
				   .flags = FLAG_ACK};

	for (uint32_t i = 0; i < count; i++) {
		s.fill = (uint8_t)(i * 37);
		if (i == count - 1) {
			s.payload = (payload + 1) / 2;
			s.flags |= FLAG_PSH;
		}
		put_segment(i, &s);
		s.seq += payload;
		s.id++;
	}
}

// Makes a GSO packet of the first packets as it is sent, and cuts it: the result is these packets.
static void cut_gives_back(uint32_t length)
{
	static uint8_t gso[DRB_COALESCE_OCTETS_MAX];
	struct drb_coalesce_header head;
	uint32_t headers = drb_coalesce_begin(packet, length, &head), octets = headers;
	uint8_t piece[SEGMENT_MAX];

	assert_in_range(headers, 42, DRB_COALESCE_HEADERS_MAX);
	memcpy(gso, head.headers, headers);
	for (uint32_t i = 0; i < length; i++) {
		uint32_t payload = packet[i]->data_len - headers;
		assert_in_range(octets + payload, 0, sizeof(gso));
		memcpy(gso + octets, rte_pktmbuf_mtod_offset(packet[i], uint8_t *, headers),
		       payload);
		octets += payload;
	}
	for (uint32_t i = 0; i < length; i++) {
		uint32_t n = cut_segment(&head.cut, gso, octets, i, piece);
		assert_int_equal(n, packet[i]->data_len);
		if (drb_is_unfinished(packet[i]))
			leave_unfinished(piece, n);
		assert_memory_equal(piece, rte_pktmbuf_mtod(packet[i], uint8_t *), n);
	}
	assert_int_equal(cut_segment(&head.cut, gso, octets, length, piece), 0);
}

TEST_WITH(streams_are_gso_packets, NULL, free_packets)
{
	const uint32_t count[] = {2, 3, 17, 44}, payload[] = {1, 2, 100, 1448},
		       options[] = {0, 12, 40};

	for (uint32_t c = 0; c < ARRAY_SIZE(count); c++) {
		for (uint32_t p = 0; p < ARRAY_SIZE(payload); p++) {
			for (uint32_t o = 0; o < 2 * ARRAY_SIZE(options); o++) {
				put_stream(o % 2, options[o / 2], payload[p], count[c]);
				uint32_t length = drb_coalesce_count(&all, packet, count[c]);
				// A last segment of one byte is not shorter, but it has PSH.
				assert_int_equal(length, count[c]);
				cut_gives_back(length);
				assert_int_equal(drb_coalesce_count(&all, packet, count[c] - 1),
						 count[c] - 1);
				assert_int_equal(drb_coalesce_count(&all, packet, 1), 1);
			}
		}
	}
}

// A GSO packet is at most as long as an IP packet can be.
TEST_WITH(gso_packets_end_at_64_kib, NULL, free_packets)
{
	put_stream(false, 12, 1448, COUNT);
	assert_int_equal(drb_coalesce_count(&all, packet, COUNT), (65535 - 52) / 1448);
	cut_gives_back((65535 - 52) / 1448);
	put_stream(true, 12, 1428, COUNT);
	assert_int_equal(drb_coalesce_count(&all, packet, COUNT), (65535 - 72) / 1428);
	cut_gives_back((65535 - 72) / 1428);
}

// Changes packet i, and corrects its checksums.
static void change(uint32_t i, uint32_t at, uint8_t octet)
{
	uint8_t *frame = rte_pktmbuf_mtod(packet[i], uint8_t *);

	frame[at] ^= octet;
	complete(frame, packet[i]->data_len);
}

// Bytes of the headers that segments of a GSO packet share, header fields that count up, and flags.
TEST_WITH(other_headers_end_a_gso_packet, NULL, free_packets)
{
	for (uint32_t v = 0; v < 2; v++) {
		uint32_t tcp = v ? 54 : 34;
		for (uint32_t at = 0; at < tcp + 32; at++) {
			bool is_length = v ? at == 18 || at == 19 : at == 16 || at == 17;
			bool is_sum =
				(!v && (at == 24 || at == 25)) || at == tcp + 16 || at == tcp + 17;
			if (is_length || is_sum)
				continue; // these are corrected
			for (uint32_t bit = 0; bit < 8; bit++) {
				put_stream(v, 12, 300, 6);
				// After a change of the data offset or the EtherType, checksums
				// would be corrected in other positions.
				if (at == tcp + 12 || at == 12 || at == 13)
					rte_pktmbuf_mtod(packet[3], uint8_t *)[at] ^=
						(uint8_t)(1u << bit);
				else
					change(3, at, (uint8_t)(1u << bit));
				bool psh = at == tcp + 13 && (1u << bit) == FLAG_PSH;
				assert_int_equal(drb_coalesce_count(&all, packet, 6), psh ? 4 : 3);
				cut_gives_back(psh ? 4 : 3);
			}
		}
	}
}

// Packets that are cut differently or not at all, even if all agree.
TEST_WITH(other_kinds_are_no_gso_packets, NULL, free_packets)
{
	static const struct {
		bool ipv6;
		uint32_t at, octet;
	} kinds[] = {
		{false, 12, 0x80},
		{false, 14, 0x10},
		{false, 14, 0x01},
		{false, 20, 0x20},
		{false, 20, 0x80},
		{false, 20, 0x10},
		{false, 21, 0x01},
		{false, 23, 0x01},

		{false, 47, FLAG_ACK},
		{false, 47, 0x01 /* FIN */},
		{false, 47, 0x02 /* SYN */},
		{false, 47, 0x04 /* RST */},
		{false, 47, 0x20 /* URG */},
		{false, 47, 0x40 /* ECE */},
		{false, 47, 0x80 /* CWR */},
		{true, 12, 0x40},
		{true, 14, 0x20},
		{true, 20, 0x01},
		{true, 67, 0x80},
	};

	for (uint32_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		put_stream(kinds[k].ipv6, 12, 300, 4);
		assert_int_equal(drb_coalesce_count(&all, packet, 4), 4);
		for (uint32_t i = 0; i < 4; i++)
			change(i, kinds[k].at, (uint8_t)kinds[k].octet);
		assert_int_equal(drb_coalesce_count(&all, packet, 4), 1);
	}
}

// A wrong checksum would be corrected.
TEST_WITH(damage_ends_a_gso_packet, NULL, free_packets)
{
	for (uint32_t v = 0; v < 2; v++) {
		for (uint32_t at = v ? 54 : 14; at < 300; at++) {
			put_stream(v, 12, 300, 4);
			rte_pktmbuf_mtod(packet[2], uint8_t *)[at] ^= 0x20;
			assert_int_equal(drb_coalesce_count(&all, packet, 4), 2);
			put_stream(v, 12, 300, 4);
			rte_pktmbuf_mtod(packet[0], uint8_t *)[at] ^= 0x20;
			assert_int_equal(drb_coalesce_count(&all, packet, 4), 1);
		}
	}
}

// A checksum of zero has two forms, and only one is computed.
TEST_WITH(other_zeros_end_a_gso_packet, NULL, free_packets)
{
	for (uint32_t at = 24; at <= 50; at += 26) {
		put_stream(false, 12, 300, 6);
		// A value that is added to two bytes under a checksum is subtracted from the
		// checksum, which makes it zero in packet 3.
		uint32_t sum = octet2(rte_pktmbuf_mtod_offset(packet[3], uint8_t *, at));
		for (uint32_t i = 0; i < 6; i++) {
			uint8_t *frame = rte_pktmbuf_mtod(packet[i], uint8_t *);
			uint8_t *two = frame + (at == 24 ? 26 : 36);
			uint32_t more = octet2(two) + sum;
			put2(two, (more & 0xffff) + (more >> 16));
			complete(frame, packet[i]->data_len);
		}
		uint8_t *zero = rte_pktmbuf_mtod_offset(packet[3], uint8_t *, at);
		assert_int_equal(octet2(zero), 0);
		assert_int_equal(drb_coalesce_count(&all, packet, 6), 6);
		put2(zero, 0xffff);
		assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
	}
}

TEST_WITH(odd_sizes_end_a_gso_packet, NULL, free_packets)
{
	put_stream(false, 12, 300, 6);
	put_stream(false, 12, 200, 3); // the fourth is longer, and out of sequence
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
	put_stream(false, 12, 300, 6);
	rte_pktmbuf_append(packet[3], 1); // padding
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
	put_stream(false, 12, 300, 6);
	rte_pktmbuf_trim(packet[3], 1);
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
	put_stream(false, 12, 300, 6);
	packet[3]->data_len = packet[3]->pkt_len = 13;
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
	packet[0]->data_len = packet[0]->pkt_len = 0;
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 1);
}

// Only the last segment has PSH or a shorter payload.
TEST_WITH(a_last_segment_ends_a_gso_packet, NULL, free_packets)
{
	struct segment_fields s = {.payload = 500, .flags = FLAG_ACK};

	for (uint32_t i = 0; i < 6; i++) {
		s.payload = i == 3 ? 499 : 500;
		put_segment(i, &s);
		s.seq += s.payload;
		s.id++;
	}
	assert_int_equal(drb_coalesce_count(&all, packet, 6), 4);
	assert_int_equal(drb_coalesce_count(&all, packet + 4, 2), 2);
	s.flags = FLAG_ACK | FLAG_PSH;
	put_segment(4, &s);
	s.seq += s.payload;
	s.id++;
	put_segment(5, &s);
	assert_int_equal(drb_coalesce_count(&all, packet + 4, 2), 1);
}

// UDP packets of one size and a shorter last one.
static void put_packets(bool ipv6, uint32_t payload, uint32_t count)
{
	struct segment_fields s = {.ipv6 = ipv6,
				   .udp = true,
				   .payload = payload,
				   .id = (uint16_t)(0x10000 - count / 2)};

	for (uint32_t i = 0; i < count; i++, s.id++) {
		s.fill = (uint8_t)(i * 37);
		s.payload = i == count - 1 ? (payload + 1) / 2 : payload;
		put_segment(i, &s);
	}
}

TEST_WITH(udp_packets_are_gso_packets, NULL, free_packets)
{
	const struct drb_coalesce_rules no_udp = {SEGMENT_MAX, SEGMENT_MAX, false};

	for (uint32_t v = 0; v < 2; v++) {
		put_packets(v, 700, 20);
		assert_int_equal(drb_coalesce_count(&all, packet, 20), 20);
		cut_gives_back(20);
		assert_int_equal(drb_coalesce_count(&no_udp, packet, 20), 1);
		put_packets(v, 100, 80);
		assert_int_equal(drb_coalesce_count(&all, packet, 80), DRB_COALESCE_UDP_MAX);
		cut_gives_back(DRB_COALESCE_UDP_MAX);
		// Another port, another size, a wrong checksum, and no checksum.
		for (uint32_t kind = 0; kind < 4; kind++) {
			put_packets(v, 300, 6);
			uint8_t *frame = rte_pktmbuf_mtod(packet[3], uint8_t *);
			uint8_t *udp = frame + at_tcp(frame);
			if (kind == 0)
				change(3, at_tcp(frame) + 1, 1);
			else if (kind == 1)
				put2(udp + 4, 307);
			else if (kind == 2)
				udp[100] ^= 1;
			else
				put2(udp + 6, 0);
			assert_int_equal(drb_coalesce_count(&all, packet, 6), 3);
			cut_gives_back(3);
		}
	}
}

static void leave(uint32_t i)
{
	uint8_t *frame = rte_pktmbuf_mtod(packet[i], uint8_t *);

	leave_unfinished(frame, packet[i]->data_len);
	drb_mark_unfinished(packet[i], at_tcp(frame), check_field(frame));
}

// Packets with unfinished checksums make GSO packets of their own, also if the others may be in
// none.
TEST_WITH(unfinished_packets_are_gso_packets, NULL, free_packets)
{
	const struct drb_coalesce_rules only = {0, SEGMENT_MAX, true},
					none = {SEGMENT_MAX, 0, true};

	for (uint32_t kind = 0; kind < 4; kind++) {
		if (kind < 2)
			put_stream(kind, 12, 1000, 10);
		else
			put_packets(kind - 2, 1000, 10);
		for (uint32_t i = 0; i < 6; i++)
			leave(i);
		assert_int_equal(drb_coalesce_count(&all, packet, 10), 6);
		cut_gives_back(6);
		assert_int_equal(drb_coalesce_count(&all, packet + 6, 4), 4);
		assert_int_equal(drb_coalesce_count(&only, packet, 10), 6);
		assert_int_equal(drb_coalesce_count(&only, packet + 6, 4), 1);
		assert_int_equal(drb_coalesce_count(&none, packet, 10), 1);
		// The partial checksum is wrong, or in another position.
		uint8_t *frame = rte_pktmbuf_mtod(packet[4], uint8_t *);
		frame[at_tcp(frame) + check_field(frame)] ^= 1;
		assert_int_equal(drb_coalesce_count(&all, packet, 10), 4);
		leave(4);
		packet[2]->l3_len += 8;
		assert_int_equal(drb_coalesce_count(&all, packet, 10), 2);
	}
}

TEST_MAIN(setup_eal, free_eal)
