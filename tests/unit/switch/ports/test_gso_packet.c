// SPDX-License-Identifier: BSD-3-Clause
// GSO packets are cut like a second model of the kernel cuts them (segments.h). The live story
// offloads.sh shows that the kernel does the same. Packets have tags, and come in bursts of any
// size. Contradictory GSO packets are not cut, and any bytes are safe.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "fixtures/segments.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/packet_socket/rx_gso.h"
#include "switch/ports/unfinished.h"

#define FRAME_MAX 1592
#define TAG 4

static uint8_t octets[DRB_RX_GSO_ROOM];
static uint8_t *const frame = octets + DRB_TAG_ROOM;

// Makes a frame with `payload` bytes as a kernel passes it, which is longer than a segment can be.
// Returns its bytes.
static uint32_t make_gso(const struct segment_fields *fields, uint32_t payload)
{
	struct segment_fields s = *fields;

	s.payload = 1;
	uint32_t headers = make_segment(frame, &s) - 1;
	for (uint32_t i = 0; i < payload; i++)
		frame[headers + i] = (uint8_t)(i * 31 + i / 251);
	complete(frame, headers + payload);
	leave_unfinished(frame, headers + payload);
	return headers + payload;
}

// Checks that the packet is the piece that the model cuts, behind `tag` bytes of tag.
static void is_piece(struct rte_mbuf *m, const uint8_t *piece, uint32_t length, uint32_t tag)
{
	uint8_t *got = rte_pktmbuf_mtod(m, uint8_t *);

	assert_int_equal(m->nb_segs, 1);
	assert_int_equal(m->data_len, length + tag);
	assert_int_equal(m->pkt_len, length + tag);
	assert_true(drb_is_unfinished(m));
	assert_int_equal(octet2(got + m->l3_len + m->l4_len), pseudo_sum(piece, length));
	drb_finish_checksums(&m, 1);
	assert_false(drb_is_unfinished(m));
	assert_memory_equal(got, piece, 12);
	if (tag)
		assert_memory_equal(got + 12, "\x88\xa8\x23\x45", TAG);
	assert_memory_equal(got + 12 + tag, piece + 12, length - 12);
	rte_pktmbuf_free(m);
}

static void cut_all(const struct segment_fields *fields, uint32_t payload, uint16_t size,
		    bool tagged)
{
	static uint8_t before[DRB_GSO_MAX];
	struct drb_vlan_tag tag = {tagged, 0x88a8, 0x2345};
	struct drb_rx_gso t = {.octets = octets};
	uint32_t length = make_gso(fields, payload), count = (payload + size - 1) / size;
	struct virtio_net_hdr cut = cut_of_gso(frame, size);
	struct rte_mbuf *packets[7];
	uint8_t piece[SEGMENT_MAX];

	memcpy(before, frame, length);
	assert_true(drb_rx_gso_begin(&t, &cut, length, &tag, FRAME_MAX));
	assert_int_equal(t.segments, count);
	for (uint32_t i = 0; i < count;) {
		assert_true(drb_rx_gso_is_open(&t));
		uint32_t n = drb_rx_gso_cut(&t, test_pool, packets, 1 + i % ARRAY_SIZE(packets));
		assert_in_range(n, 1, 1 + i % ARRAY_SIZE(packets));
		for (uint32_t k = 0; k < n; k++, i++) {
			uint32_t octets_of = cut_segment(&cut, before, length, i, piece);
			assert_true(octets_of > 0);
			is_piece(packets[k], piece, octets_of, tagged ? TAG : 0);
		}
	}
	assert_false(drb_rx_gso_is_open(&t));
	assert_int_equal(drb_rx_gso_cut(&t, test_pool, packets, 1), 0);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
}

TEST(gso_packets_are_cut)
{
	struct drb_rng rng = drb_rng_seed(1, 2);

	for (uint32_t turn = 0; turn < 2000; turn++) {
		struct segment_fields s = {.ipv6 = turn & 1,
					   .udp = turn & 2,
					   .options = 4 * drb_rng_below(&rng, 11),
					   .id = (uint16_t)drb_rng_next(&rng),
					   .seq = (uint32_t)drb_rng_next(&rng),
					   .ack = 5,
					   .flags = FLAG_ACK};
		if (drb_rng_below(&rng, 2))
			s.flags |= FLAG_PSH | FLAG_FIN;
		if (drb_rng_below(&rng, 2))
			s.flags |= FLAG_CWR;
		uint16_t size = (uint16_t)(1 + drb_rng_below(&rng, 1448));
		uint32_t most = 65000 / size < 60 ? 65000 / size : 60;
		cut_all(&s, size + drb_rng_below(&rng, most * size - size + 1), size, turn & 4);
	}
	struct segment_fields tiny = {.flags = FLAG_ACK};
	cut_all(&tiny, 3000, 1, false);    // one byte each
	cut_all(&tiny, 65495, 1448, true); // the longest possible
	cut_all(&tiny, 700, 1448, false);  // of one segment
}

#define SHIM 8 // bytes of a VXLAN header
#define INNER_MAX 60000

// Puts a GSO packet of `length` bytes into a tunnel, with or without an outer checksum. Returns the
// bytes before it.
static uint32_t wrap(const uint8_t *inner, uint32_t length, bool ipv6, bool sums)
{
	const struct segment_fields around = {.ipv6 = ipv6, .udp = true, .payload = 1, .id = 77};
	const uint32_t header = make_segment(frame, &around) - 1;

	memcpy(frame + header, "\x08\0\0\0\0\0\5\0", SHIM);
	memcpy(frame + header + SHIM, inner, length);
	complete(frame, header + SHIM + length);
	if (!sums)
		put2(frame + header - 2, 0);
	return header + SHIM;
}

// Checks that outer and inner packet are as a kernel would have made them.
static void is_wrapped(struct rte_mbuf *m, const uint8_t *piece, uint32_t length, uint32_t n)
{
	uint8_t *got = rte_pktmbuf_mtod(m, uint8_t *), again[SEGMENT_MAX];
	const uint32_t outer = m->data_len - length, check = at_tcp(got) + 6;

	drb_finish_checksums(&m, 1);
	assert_memory_equal(got + outer, piece, length);
	memcpy(again, got, m->data_len);
	complete(again, m->data_len);
	if (octet2(got + check) == 0)
		put2(again + check, 0);
	assert_memory_equal(got, again, m->data_len);
	if (!is_v6(got))
		assert_int_equal(octet2(got + AT_IP + 4), 77 + n);
	rte_pktmbuf_free(m);
}

// Tunnels of hosts that use VXLAN: the unfinished checksum is that of the inner packet.
TEST(tunnels_are_cut)
{
	static uint8_t inner[INNER_MAX];
	const struct drb_vlan_tag no_tag = {0};

	for (uint32_t kind = 0; kind < 16; kind++) {
		const struct segment_fields s = {
			.ipv6 = kind & 1, .udp = kind & 2, .id = 5, .seq = 9, .flags = FLAG_ACK};
		struct drb_rx_gso t = {.octets = octets};
		uint32_t length = make_gso(&s, 20011), n = 0;
		struct virtio_net_hdr inside = cut_of_gso(frame, 1400), cut = inside;
		struct rte_mbuf *m;
		uint8_t piece[SEGMENT_MAX];

		memcpy(inner, frame, length);
		const uint32_t outer = wrap(inner, length, kind & 4, kind & 8);
		cut.csum_start += outer;
		cut.hdr_len += outer;
		assert_true(drb_rx_gso_begin(&t, &cut, outer + length, &no_tag, FRAME_MAX));
		for (; drb_rx_gso_cut(&t, test_pool, &m, 1) == 1; n++) {
			uint32_t octets_of = cut_segment(&inside, inner, length, n, piece);
			assert_int_equal(m->data_len, outer + octets_of);
			is_wrapped(m, piece, octets_of, n);
		}
		assert_int_equal(n, 15);
		assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
		for (uint32_t wrong = 0; wrong < 600; wrong++) {
			cut.csum_start = (uint16_t)wrong;
			bool right = wrong == outer + inside.csum_start;
			assert_int_equal(
				drb_rx_gso_begin(&t, &cut, outer + length, &no_tag, FRAME_MAX),
				right || (wrong <= at_tcp(frame) && (kind & 2)));
		}
	}
}

static bool begins(struct drb_rx_gso *t, const struct virtio_net_hdr *cut, uint32_t length)
{
	const struct drb_vlan_tag no_tag = {0};

	return drb_rx_gso_begin(t, cut, length, &no_tag, FRAME_MAX);
}

// Contradictions between the virtio header of a GSO packet and the packet itself.
TEST(contradictions_are_not_cut)
{
	struct segment_fields s = {.options = 12, .flags = FLAG_ACK};
	struct drb_rx_gso t = {.octets = octets};

	for (uint32_t kind = 0; kind < 4; kind++) {
		s.ipv6 = kind & 1;
		s.udp = kind & 2;
		uint32_t length = make_gso(&s, 5000);
		const struct virtio_net_hdr right = cut_of_gso(frame, 1448);
		struct virtio_net_hdr cut = right;
		assert_true(begins(&t, &cut, length));
		cut.gso_size = 0;
		assert_false(begins(&t, &cut, length));
		cut.gso_size = 1592; // segments longer than a frame
		assert_false(begins(&t, &cut, length));
		assert_false(drb_rx_gso_is_open(&t));
		for (uint32_t type = 0; type < 256; type++) {
			cut = right;
			cut.gso_type = (uint8_t)type;
			assert_int_equal(begins(&t, &cut, length), (type & 0x7f) == right.gso_type);
		}
		cut = right;
		assert_false(begins(&t, &cut, length - 1));
		assert_false(begins(&t, &cut, length + 1));
		for (uint32_t n = 0; n < 120; n++)
			assert_false(begins(&t, &cut, n));
		uint32_t ip = AT_IP, transport = at_tcp(frame);
		const uint32_t place[] = {12, ip, s.ipv6 ? ip + 6 : ip + 9,
					  s.ipv6 ? ip + 4 : ip + 2, s.udp ? ip : transport + 12};
		for (uint32_t i = 0; i < ARRAY_SIZE(place); i++) {
			frame[place[i]] ^= 0xa0;
			assert_false(begins(&t, &cut, length));
			frame[place[i]] ^= 0xa0;
		}
		if (!s.ipv6) {
			frame[ip + 6] |= 0x20; // a fragment
			assert_false(begins(&t, &cut, length));
		}
	}
}

TEST_MAIN(setup_eal, free_eal)
