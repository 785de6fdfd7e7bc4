// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the two parts of the reader of captures share: capture_reader.c with pcap, and capture_blocks.c with pcapng.

#include <byteswap.h>
#include <string.h>

#include "gen/captures/capture_reader.h"

#define FRAME_BYTES_MAX (1U << 20) // of a frame that were captured: far beyond any link

enum { BLOCK_HEADER = 12, BLOCK_SECTION = 0x0a0d0d0a };

struct interface {
	uint32_t link;
	uint64_t units; // of time in a second
	int64_t offset; // seconds
	bool at_switch;
};

struct capture {
	FILE *in;
	bool swapped, blocks;       // of the other byte order; pcapng
	uint8_t head[BLOCK_HEADER]; // of a block, of which so many bytes are there
	size_t begun;
	uint8_t *body;                // of a record or a block
	size_t room;                  // of it
	struct interface *interfaces; // of all sections; a pcap file has one
	uint32_t count, first;        // interfaces; the first of this section
	uint32_t number;              // of the last record
	int64_t time_ns;              // of it
	enum capture_result result;   // CAPTURE_RECORD: nothing is wrong yet
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

// What is wrong, as the result.
enum capture_result capture_stop(struct capture *c, enum capture_result result, const char *format,
				 ...) __attribute__((format(printf, 3, 4)));
enum capture_result capture_damaged(struct capture *c);
// Reads so many bytes. CAPTURE_END if there is none, CAPTURE_CUT if there are fewer.
enum capture_result capture_take(struct capture *c, void *to, size_t size);
// Likewise into c->body, behind `begun` bytes that are there; its end is a cut, too.
enum capture_result capture_take_body(struct capture *c, size_t begun, size_t size);
// An interface without limits, of microseconds; NULL: capture_stop() was called.
struct interface *capture_add_interface(struct capture *c, uint32_t link);
// The time of a record in units of its interface.
enum capture_result capture_set_time(struct capture *c, const struct interface *i, uint64_t units);
// Fills in the record but for its place.
enum capture_result capture_give(struct capture *c, const struct interface *i,
				 struct capture_record *r);
// The next record of pcapng.
enum capture_result capture_next_in_blocks(struct capture *c, struct capture_record *r);
