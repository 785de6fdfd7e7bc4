// SPDX-License-Identifier: BSD-3-Clause
// Any frames in a row: GSO packets give back their frames when they are cut. Input: first a stream
// of TCP segments or UDP packets (which of them, IP version, options, payload, number). Changes
// follow: which packet, offset, value, and whether its checksums are corrected. An offset behind a
// frame shortens it.
#include "fuzz.h"

#include "switch/ports/packet_socket/coalesce.h"
#include "fixtures/segments.h"
#include "fixtures/switch_eal.h"

#define FRAMES 16

static uint8_t frame[FRAMES][SEGMENT_MAX];
static struct rte_mbuf *packet[FRAMES];

ONCE(require(start_eal() == 0))

static uint32_t make_stream(const uint8_t **data, size_t *size, uint32_t length[FRAMES])
{
	uint8_t kind = take(data, size);
	struct segment_fields s = {.ipv6 = kind & 1,
				   .udp = kind & 0x80,
				   .options = (kind >> 1) % 11 * 4,
				   .payload = 1 + take(data, size),
				   .id = 0xfffe,
				   .seq = UINT32_MAX - 100,
				   .flags = FLAG_ACK};
	uint32_t count = 1 + take(data, size) % FRAMES;

	for (uint32_t i = 0; i < count; i++) {
		s.fill = (uint8_t)i;
		length[i] = make_segment(frame[i], &s);
		s.seq += s.payload;
		s.id++;
	}
	return count;
}

static void change(const uint8_t **data, size_t *size, uint32_t *length, uint8_t *octets)
{
	uint32_t at = take(data, size) | (uint32_t)take(data, size) << 8;

	if (at % 1024 >= *length) {
		*length -= at % *length;
		return;
	}
	octets[at % 1024] = take(data, size);
	if ((at & 0x8000) && *length > at_tcp(octets) + 20)
		complete(octets, *length);
}

// Returns the length of the GSO packet that begins with packet[first].
static uint32_t check_gso(uint32_t first, uint32_t count)
{
	static const struct drb_coalesce_rules rules = {SEGMENT_MAX, SEGMENT_MAX, true};
	static uint8_t all[DRB_COALESCE_OCTETS_MAX], piece[SEGMENT_MAX];
	struct rte_mbuf *const *gso = packet + first;
	uint32_t length = drb_coalesce_count(&rules, gso, count - first), octets;
	struct drb_coalesce_header head;

	require(length >= 1 && length <= count - first);
	if (length == 1)
		return 1;
	uint32_t headers = octets = drb_coalesce_begin(gso, length, &head);
	require(headers <= sizeof(head.headers));
	memcpy(all, head.headers, headers);
	for (uint32_t i = 0; i < length; i++) {
		uint32_t payload = gso[i]->data_len - headers;
		require(gso[i]->data_len > headers && octets + payload <= sizeof(all));
		memcpy(all + octets, rte_pktmbuf_mtod_offset(gso[i], uint8_t *, headers), payload);
		octets += payload;
	}
	for (uint32_t i = 0; i < length; i++) {
		require(cut_segment(&head.cut, all, octets, i, piece) == gso[i]->data_len);
		require(memcmp(piece, rte_pktmbuf_mtod(gso[i], uint8_t *), gso[i]->data_len) == 0);
	}
	require(cut_segment(&head.cut, all, octets, length, piece) == 0);
	return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t length[FRAMES], count = make_stream(&data, &size, length);

	while (size > 0) {
		uint32_t i = take(&data, &size) % count;
		change(&data, &size, &length[i], frame[i]);
	}
	for (uint32_t i = 0; i < count; i++) {
		packet[i] = mbuf_of(frame[i], length[i]);
		require(packet[i]);
	}
	for (uint32_t i = 0; i < count;)
		i += check_gso(i, count);
	rte_pktmbuf_free_bulk(packet, count);
	return 0;
}
