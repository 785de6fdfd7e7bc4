// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Functions and state that the two parts of the reader of captures share: capture_reader.c (pcap)
// and capture_blocks.c (pcapng).

#include <byteswap.h>
#include <string.h>

#include "gen/captures/capture_reader.h"

#define FRAME_BYTES_MAX (1U << 20) // most captured bytes of a frame: far beyond any link

enum { BLOCK_HEADER = 12, BLOCK_SECTION = 0x0a0d0d0a };

struct interface {
	uint32_t link;
	uint64_t units; // units of time in a second
	int64_t offset; // seconds
	bool at_switch;
	bool fcs; // frames end with their frame check sequence
};

struct capture {
	FILE *in;
	bool swapped, blocks;       // swapped: the other byte order; blocks: pcapng
	uint8_t head[BLOCK_HEADER]; // head of a block; holds its first `begun` bytes
	size_t begun;
	uint8_t *body;                // body of a record or a block
	size_t room;                  // bytes of the body's buffer
	struct interface *interfaces; // interfaces of all sections; a pcap file has one
	uint32_t count, first;        // number of interfaces; the first one of this section
	uint32_t number;              // number of the last record
	int64_t time_ns;              // time of the last record
	enum capture_result result;   // CAPTURE_RECORD: no error so far
	char wrong[200];
};

static inline uint16_t get16(const struct capture *c, const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return c->swapped ? bswap_16(value) : value;
}

static inline uint32_t get32(const struct capture *c, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return c->swapped ? bswap_32(value) : value;
}

// Keeps an error, and returns the result.
enum capture_result capture_stop(struct capture *c, enum capture_result result, const char *format,
				 ...) __attribute__((format(printf, 3, 4)));
enum capture_result capture_damaged(struct capture *c);
// Reads `size` bytes. CAPTURE_END if there are none, CAPTURE_CUT if there are fewer.
enum capture_result capture_take(struct capture *c, void *to, size_t size);
// Reads `size` bytes into c->body, after `begun` bytes that it already has. At the end of the file,
// too, the result is CAPTURE_CUT.
enum capture_result capture_take_body(struct capture *c, size_t begun, size_t size);
// Adds an interface with time stamps in microseconds. NULL: capture_stop() was called.
struct interface *capture_add_interface(struct capture *c, uint32_t link);
// Sets the time of a record, from units of its interface.
enum capture_result capture_set_time(struct capture *c, const struct interface *i, uint64_t units);
// Fills in the rest of the record except `place`, and takes off the frame check sequence if r->fcs
// is set.
enum capture_result capture_give(struct capture *c, const struct interface *i,
				 struct capture_record *r);
// The next record of pcapng.
enum capture_result capture_next_in_blocks(struct capture *c, struct capture_record *r);
