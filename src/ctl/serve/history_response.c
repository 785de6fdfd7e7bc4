// SPDX-License-Identifier: BSD-3-Clause
// The history as one stream of gzip (RFC 1952). A reader holds one look at a time. A slow reader
// therefore costs little memory, and misses looks that are dropped meanwhile.
#include "ctl/serve/history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <microhttpd.h>
#include <zlib.h>

#define BLOCK 65536
#define HEAD_LENGTH 10
#define TAIL_LENGTH 10

struct reader {
	struct history *history;
	struct history_look *look; // being sent; NULL: head or tail
	unsigned char edge[HEAD_LENGTH > TAIL_LENGTH ? HEAD_LENGTH : TAIL_LENGTH];
	const unsigned char *part; // what is sent now
	size_t length, sent;       // of this part
	uint64_t number;           // of the last look
	uLong checksum;
	uint32_t text_length; // modulo 2^32, as gzip has it
	bool ended;
};

static void put_u32(unsigned char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

static void begin(struct reader *r)
{
	static const unsigned char head[HEAD_LENGTH] = {0x1f, 0x8b, Z_DEFLATED, [9] = 255};

	r->part = head;
	r->length = HEAD_LENGTH;
}

// Ends the stream: an empty last block, the checksum of all text, and its length.
static void end(struct reader *r)
{
	r->edge[0] = 3;
	r->edge[1] = 0;
	put_u32(r->edge + 2, (uint32_t)r->checksum);
	put_u32(r->edge + 6, r->text_length);
	r->part = r->edge;
	r->length = TAIL_LENGTH;
	r->ended = true;
}

static void next_part(struct reader *r)
{
	history_look_release(r->look);
	r->look = history_after(r->history, r->number);
	r->sent = 0;
	if (!r->look) {
		end(r);
		return;
	}
	r->part = r->look->data;
	r->length = r->look->length;
	r->number = r->look->number;
	r->checksum = crc32_combine(r->checksum, r->look->checksum, (z_off_t)r->look->text_length);
	r->text_length += (uint32_t)r->look->text_length;
}

static ssize_t read_history(void *reader, uint64_t position, char *to, size_t room)
{
	struct reader *r = reader;
	size_t n = 0;

	(void)position;
	while (n < room) {
		if (r->sent == r->length) {
			if (r->ended)
				return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
			next_part(r);
		}
		const size_t left = r->length - r->sent, some = left < room - n ? left : room - n;
		memcpy(to + n, r->part + r->sent, some);
		r->sent += some;
		n += some;
	}
	return (ssize_t)n;
}

static void free_reader(void *reader)
{
	struct reader *r = reader;

	history_look_release(r->look);
	free(r);
}

struct MHD_Response *history_response(struct history *h)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->history = h;
	r->checksum = crc32(0, NULL, 0);
	begin(r);
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK, read_history, r, free_reader);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	else
		free_reader(r);
	return response;
}
