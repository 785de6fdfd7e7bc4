// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/capture/pcapng.h"

#include <string.h>

enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_STATISTICS = 5,
	BLOCK_PACKET = 6,
	BYTE_ORDER = 0x1a2b3c4d,
	LINK_ETHERNET = 1,
};

enum {
	OPTION_END = 0,
	OPTION_COMMENT = 1,
	OPTION_FLAGS = 2, // of packets
	OPTION_APPLICATION = 4,
	OPTION_NAME = 2, // this and the next two are options of interfaces
	OPTION_DESCRIPTION = 3,
	OPTION_RESOLUTION = 9,
	OPTION_RECEIVED = 4, // this and the next are options of statistics
	OPTION_DROPPED = 5,
};

#define BLOCK_MAX 8192

// A block under construction. The format has the length of a block at both of its ends.
struct block {
	uint32_t used;
	uint8_t bytes[BLOCK_MAX];
};

static void block_put(struct block *b, const void *bytes, uint32_t count)
{
	uint32_t padded = (count + 3) & ~3u;

	if (b->used + padded > BLOCK_MAX)
		return; // never: no caller writes this much
	memcpy(b->bytes + b->used, bytes, count);
	memset(b->bytes + b->used + count, 0, padded - count);
	b->used += padded;
}

static void put32(struct block *b, uint32_t value)
{
	block_put(b, &value, sizeof(value));
}

static void put_time(struct block *b, uint64_t time_ns)
{
	put32(b, (uint32_t)(time_ns >> 32));
	put32(b, (uint32_t)time_ns);
}

static void block_begin(struct block *b, uint32_t type)
{
	b->used = 0;
	put32(b, type);
	put32(b, 0);
}

static void option(struct block *b, uint16_t code, const void *value, size_t length)
{
	const uint16_t head[2] = {code, (uint16_t)length};

	block_put(b, head, sizeof(head));
	if (length)
		block_put(b, value, (uint32_t)length);
}

static void block_end(struct block *b, FILE *out)
{
	uint32_t length = b->used + 4;

	memcpy(b->bytes + 4, &length, sizeof(length));
	put32(b, length);
	fwrite(b->bytes, 1, b->used, out);
}

void pcapng_begin(FILE *out, const char *application)
{
	const uint16_t version[2] = {1, 0};
	const uint64_t unknown = UINT64_MAX; // the length of the section is not known yet
	struct block b;

	block_begin(&b, BLOCK_SECTION);
	put32(&b, BYTE_ORDER);
	block_put(&b, version, sizeof(version));
	block_put(&b, &unknown, sizeof(unknown));
	option(&b, OPTION_APPLICATION, application, strlen(application));
	option(&b, OPTION_END, NULL, 0);
	block_end(&b, out);
}

void pcapng_interface(FILE *out, const char *name, const char *description, uint32_t snap)
{
	const uint16_t link[2] = {LINK_ETHERNET, 0};
	const uint8_t nanoseconds = 9;
	struct block b;

	block_begin(&b, BLOCK_INTERFACE);
	block_put(&b, link, sizeof(link));
	put32(&b, snap);
	option(&b, OPTION_NAME, name, strlen(name));
	option(&b, OPTION_DESCRIPTION, description, strlen(description));
	option(&b, OPTION_RESOLUTION, &nanoseconds, sizeof(nanoseconds));
	option(&b, OPTION_END, NULL, 0);
	block_end(&b, out);
}

void pcapng_write(FILE *out, const struct pcapng_packet *p)
{
	const uint32_t flags = (uint32_t)p->direction;
	struct block b;

	block_begin(&b, BLOCK_PACKET);
	put32(&b, p->interface);
	put_time(&b, p->time_ns);
	put32(&b, p->captured);
	put32(&b, p->length);
	block_put(&b, p->bytes, p->captured);
	option(&b, OPTION_FLAGS, &flags, sizeof(flags));
	if (*p->comment)
		option(&b, OPTION_COMMENT, p->comment, strlen(p->comment));
	option(&b, OPTION_END, NULL, 0);
	block_end(&b, out);
}

void pcapng_statistics(FILE *out, uint32_t interface, uint64_t time_ns, uint64_t matched,
		       uint64_t lost)
{
	struct block b;

	block_begin(&b, BLOCK_STATISTICS);
	put32(&b, interface);
	put_time(&b, time_ns);
	option(&b, OPTION_RECEIVED, &matched, sizeof(matched));
	option(&b, OPTION_DROPPED, &lost, sizeof(lost));
	option(&b, OPTION_END, NULL, 0);
	block_end(&b, out);
}
