// SPDX-License-Identifier: BSD-3-Clause
// Packets that are passed to a socket arrive whole, once and in order, or stay with the caller; no
// buffer is lost. A socket pair stands for the packet socket, because it takes the same calls.
#include "fixtures/unit.h"

#include <sys/socket.h>

#include "core/math/random.h"

#include "fixtures/segments.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/packet_socket/coalesce.h"
#include "fixtures/switch_eal.h"

#define COUNT 300

static int pair[2];
static struct rte_mbuf *packet[COUNT];
static struct drb_tx_socket out;
static struct drb_send_result outcome;

static int make(void **state)
{
	(void)state;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		return -1;
	out = (struct drb_tx_socket){.fd = pair[0]};
	for (uint32_t i = 0; i < COUNT; i++) {
		uint8_t frame[64 + COUNT];
		memset(frame, (int)i, sizeof(frame));
		packet[i] = mbuf_of(frame, 64 + i);
		if (!packet[i])
			return -1;
	}
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	close(pair[0]);
	return close(pair[1]);
}

// Reads packets first..end as they were sent; there are no others.
static void arrived(uint32_t first, uint32_t end)
{
	uint8_t got[2048], want[64 + COUNT];

	for (uint32_t i = first; i < end; i++) {
		memset(want, (int)i, sizeof(want));
		assert_int_equal(recv(pair[1], got, sizeof(got), MSG_DONTWAIT), 64 + i);
		assert_memory_equal(got, want, 64 + i);
	}
	assert_int_equal(recv(pair[1], got, sizeof(got), MSG_DONTWAIT), -1);
}

TEST_WITH(bursts_arrive, make, unmake)
{
	const uint32_t burst[] = {1, 2, 63, 64, 65, 64 + COUNT - 259};
	uint32_t sent = 0;

	for (uint32_t b = 0; b < ARRAY_SIZE(burst); b++) {
		assert_int_equal(drb_tx_socket_send(&out, packet + sent, burst[b], &outcome),
				 burst[b]);
		assert_int_equal(outcome.lost, 0);
		arrived(sent, sent + burst[b]);
		sent += burst[b];
	}
	assert_int_equal(sent, COUNT);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
}

// A full socket takes the packets that fit; the others follow when it has space again.
TEST_WITH(full_sockets_refuse, make, unmake)
{
	int room = 16384;
	uint32_t sent = 0, turns = 0;

	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
	while (sent < COUNT) {
		uint32_t n = drb_tx_socket_send(&out, packet + sent, COUNT - sent, &outcome);
		assert_in_range(n, 1, COUNT - sent);
		assert_int_equal(rte_mempool_in_use_count(test_pool), COUNT - sent - n);
		assert_int_equal(out.full, sent + n < COUNT);
		if (sent + n < COUNT)
			assert_int_equal(drb_tx_socket_send(&out, packet + sent + n, 1, &outcome),
					 0);
		arrived(sent, sent + n);
		sent += n;
		turns++;
	}
	assert_true(turns > 2);
}

// Packets that cannot be sent at all are counted and do not block others.
TEST_WITH(dead_sockets_take_all, make, unmake)
{
	close(pair[1]);
	assert_int_equal(drb_tx_socket_send(&out, packet, COUNT, &outcome), COUNT);
	assert_int_equal(outcome.lost, COUNT);
	assert_int_equal(outcome.lost_octets, 64 * COUNT + COUNT * (COUNT - 1) / 2);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
	pair[1] = dup(pair[0]);
}

// Random interleaved streams of two hosts as they are sent, with some packets changed.
static uint32_t make_streams(struct drb_rng *rng, uint8_t frame[COUNT][SEGMENT_MAX],
			     uint32_t length[COUNT])
{
	struct segment_fields stream[2] = {
		{.options = 12, .payload = 1 + drb_rng_below(rng, 1448), .flags = FLAG_ACK},
		{.ipv6 = true, .payload = 1 + drb_rng_below(rng, 1428), .flags = FLAG_ACK}};
	uint32_t count = 1 + drb_rng_below(rng, COUNT), now = 0;

	for (uint32_t i = 0; i < count; i++) {
		now ^= drb_rng_below(rng, 8) == 0;
		struct segment_fields *s = &stream[now];
		struct segment_fields one = *s;
		if (drb_rng_below(rng, 16) == 0)
			one.payload = drb_rng_below(rng, s->payload + 1);
		if (drb_rng_below(rng, 16) == 0)
			one.flags |= FLAG_PSH;
		one.fill = (uint8_t)i;
		length[i] = make_segment(frame[i], &one);
		s->seq += one.payload;
		s->id++;
		if (drb_rng_below(rng, 16) == 0)
			frame[i][drb_rng_below(rng, length[i])] ^=
				(uint8_t)(1u << drb_rng_below(rng, 8));
	}
	return count;
}

// The arriving packets, after cutting, are frames 0..count as sent, and no others. Returns how many
// were in GSO packets.
static uint32_t arrived_cut(uint8_t frame[COUNT][SEGMENT_MAX], const uint32_t length[COUNT],
			    uint32_t count)
{
	static uint8_t got[sizeof(struct virtio_net_hdr) + DRB_COALESCE_OCTETS_MAX];
	const uint8_t *octets = got + sizeof(struct virtio_net_hdr);
	const struct virtio_net_hdr zero = {0};
	struct virtio_net_hdr cut;
	uint32_t i = 0, in_gso = 0;
	ssize_t n;

	while ((n = recv(pair[1], got, sizeof(got), MSG_DONTWAIT)) > 0) {
		uint8_t piece[SEGMENT_MAX];
		uint32_t size, pieces = 0;
		n -= (ssize_t)sizeof(cut);
		memcpy(&cut, got, sizeof(cut));
		if (memcmp(&cut, &zero, sizeof(cut)) == 0) {
			assert_int_equal(n, length[i]);
			assert_memory_equal(octets, frame[i], length[i]);
			i++;
			continue;
		}
		while ((size = cut_segment(&cut, octets, (uint32_t)n, pieces, piece)) > 0) {
			assert_true(i < count);
			assert_int_equal(size, length[i]);
			assert_memory_equal(piece, frame[i], size);
			i++;
			pieces++;
		}
		assert_true(pieces > 1);
		in_gso += pieces;
	}
	assert_int_equal(i, count);
	return in_gso;
}

TEST_WITH(gso_packets_arrive, make, unmake)
{
	static uint8_t frame[COUNT][SEGMENT_MAX];
	struct drb_rng rng = drb_rng_seed(1, 1);
	uint32_t length[COUNT], all = 0, in_gso = 0;
	int room = 1 << 24;

	assert_int_equal(
		setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) == 0 ||
			setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)) == 0,
		1);
	rte_pktmbuf_free_bulk(packet, COUNT);
	out.headed = out.coalesces = true;
	out.rules.finished_max = SEGMENT_MAX;
	for (uint32_t turn = 0; turn < 300; turn++) {
		uint32_t count = make_streams(&rng, frame, length), sent = 0, coalesced = 0,
			 got = 0;
		bool none = turn % 8 == 0; // as after offloads were turned on
		out.rules.finished_max = none ? 0 : SEGMENT_MAX;
		for (uint32_t i = 0; i < count; i++)
			packet[i] = mbuf_of(frame[i], length[i]);
		while (sent < count) {
			uint32_t n =
				drb_tx_socket_send(&out, packet + sent, count - sent, &outcome);
			assert_in_range(n, 1, count - sent);
			assert_int_equal(outcome.lost, 0);
			coalesced += outcome.gso_packets;
			got += arrived_cut(frame + sent, length + sent, n);
			sent += n;
		}
		assert_int_equal(coalesced, got);
		assert_true(!none || coalesced == 0);
		assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
		in_gso += coalesced;
		all += count;
	}
	assert_in_range(in_gso, all / 4, all);
}

// A packet that the interface would refuse alone is in no GSO packet.
TEST_WITH(long_frames_go_alone, make, unmake)
{
	struct segment_fields s = {.payload = 1000, .flags = FLAG_ACK};
	uint8_t frame[SEGMENT_MAX];

	rte_pktmbuf_free_bulk(packet, COUNT);
	out.headed = out.coalesces = true;
	for (uint32_t longest = 1053; longest <= 1054; longest++) {
		s.seq = s.id = 0;
		for (uint32_t i = 0; i < 10; i++, s.seq += s.payload, s.id++)
			packet[i] = mbuf_of(frame, make_segment(frame, &s));
		out.rules.finished_max = longest;
		assert_int_equal(drb_tx_socket_send(&out, packet, 10, &outcome), 10);
		assert_int_equal(outcome.gso_packets, longest == 1054 ? 10 : 0);
	}
}

// The packets of a GSO packet are lost together, and each is counted.
TEST_WITH(lost_gso_packets_are_counted, make, unmake)
{
	struct segment_fields s = {.payload = 1000, .flags = FLAG_ACK};
	uint8_t frame[SEGMENT_MAX];

	rte_pktmbuf_free_bulk(packet, COUNT);
	for (uint32_t i = 0; i < 10; i++, s.seq += s.payload, s.id++)
		packet[i] = mbuf_of(frame, make_segment(frame, &s));
	close(pair[1]);
	out.headed = out.coalesces = true;
	out.rules.finished_max = SEGMENT_MAX;
	assert_int_equal(drb_tx_socket_send(&out, packet, 10, &outcome), 10);
	assert_int_equal(outcome.lost, 10);
	assert_int_equal(outcome.lost_octets, 10 * 1054);
	assert_int_equal(outcome.gso_packets, 0);
	assert_int_equal(rte_mempool_in_use_count(test_pool), 0);
	pair[1] = dup(pair[0]);
}

TEST_MAIN(setup_eal, free_eal)
