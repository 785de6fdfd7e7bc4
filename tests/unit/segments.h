// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// TCP segments, and what the kernel cuts from a run of them: a second model, of plain octets and
// offsets, of generic segmentation offload.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <linux/virtio_net.h>

#define SEGMENT_MAX 2048

struct segment_fields {
	bool ipv6;
	uint32_t options, payload; // octets; options a multiple of 4
	uint16_t id;
	uint32_t seq, ack;
	uint8_t flags;
	uint8_t fill; // of the payload
};

enum { AT_IP = 14, FLAG_PSH = 0x08, FLAG_ACK = 0x10 };

static inline uint32_t octet2(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline void put2(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline uint32_t octet4(const uint8_t *p)
{
	return octet2(p) << 16 | octet2(p + 2);
}

static inline void put4(uint8_t *p, uint32_t value)
{
	put2(p, value >> 16);
	put2(p + 2, value);
}

static inline bool is_v6(const uint8_t *frame)
{
	return frame[12] == 0x86;
}

static inline uint32_t at_tcp(const uint8_t *frame)
{
	return AT_IP + (is_v6(frame) ? 40 : 20);
}

// One's complement sum.
static inline uint32_t add_octets(uint32_t sum, const uint8_t *p, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static inline uint32_t pseudo_sum(const uint8_t *frame, uint32_t length)
{
	uint32_t addresses = is_v6(frame) ? 32 : 8;
	uint32_t sum = add_octets(0, frame + at_tcp(frame) - addresses, addresses) +
		       frame[is_v6(frame) ? AT_IP + 6 : AT_IP + 9] + (length - at_tcp(frame));

	return (sum & 0xffff) + (sum >> 16);
}

// Lengths and checksums of a frame of this many octets.
static inline void complete(uint8_t *frame, uint32_t length)
{
	uint32_t tcp = at_tcp(frame);

	if (is_v6(frame)) {
		put2(frame + AT_IP + 4, length - tcp);
	} else {
		put2(frame + AT_IP + 2, length - AT_IP);
		put2(frame + AT_IP + 10, 0);
		put2(frame + AT_IP + 10, 0xffff & ~add_octets(0, frame + AT_IP, 20));
	}
	put2(frame + tcp + 16, 0);
	put2(frame + tcp + 16,
	     0xffff & ~add_octets(pseudo_sum(frame, length), frame + tcp, length - tcp));
}

// Returns the octets of the frame.
static inline uint32_t make_segment(uint8_t frame[SEGMENT_MAX], const struct segment_fields *s)
{
	uint32_t tcp = AT_IP + (s->ipv6 ? 40 : 20), length = tcp + 20 + s->options + s->payload;
	uint8_t *ip = frame + AT_IP;

	memset(frame, s->fill, length);
	memcpy(frame, "\2\0\0\0\0\1\2\0\0\0\0\0", 12);
	put2(frame + 12, s->ipv6 ? 0x86dd : 0x0800);
	memset(ip, 0, tcp - AT_IP + 20);
	memset(frame + tcp + 20, 1, s->options);
	ip[0] = s->ipv6 ? 0x60 : 0x45;
	if (s->ipv6) {
		ip[6] = 6;
		ip[7] = 64;
		memcpy(ip + 8, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
		memcpy(ip + 24, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 16);
	} else {
		put2(ip + 4, s->id);
		ip[6] = 0x40; // DF
		ip[8] = 64;
		ip[9] = 6;
		memcpy(ip + 12, "\12\0\0\1\12\0\0\2", 8);
	}
	put2(frame + tcp, 40000);
	put2(frame + tcp + 2, 5201);
	put4(frame + tcp + 4, s->seq);
	put4(frame + tcp + 8, s->ack);
	frame[tcp + 12] = (uint8_t)((20 + s->options) / 4 << 4);
	frame[tcp + 13] = s->flags;
	put2(frame + tcp + 14, 512);
	complete(frame, length);
	return length;
}

// Piece i of what is to be cut so. Returns its octets; 0 after the last one, or if the header is
// none that the kernel takes.
static inline uint32_t cut_segment(const struct virtio_net_hdr *cut, const uint8_t *all,
				   uint32_t length, uint32_t i, uint8_t frame[SEGMENT_MAX])
{
	uint32_t headers = cut->hdr_len, tcp = at_tcp(all), size = cut->gso_size;
	uint32_t from = headers + i * size, left = from < length ? length - from : 0;
	uint32_t payload = left < size ? left : size;

	if (cut->flags != VIRTIO_NET_HDR_F_NEEDS_CSUM || size == 0 || payload == 0 ||
	    cut->gso_type != (is_v6(all) ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4) ||
	    cut->csum_start != tcp || cut->csum_offset != 16 ||
	    headers != tcp + (all[tcp + 12] >> 4) * 4u ||
	    octet2(all + tcp + 16) != pseudo_sum(all, length))
		return 0;
	memcpy(frame, all, headers);
	memcpy(frame + headers, all + from, payload);
	if (!is_v6(all))
		put2(frame + AT_IP + 4, octet2(all + AT_IP + 4) + i);
	put4(frame + tcp + 4, octet4(all + tcp + 4) + i * size);
	if (left > size)
		frame[tcp + 13] &= (uint8_t)~FLAG_PSH;
	complete(frame, headers + payload);
	return headers + payload;
}
