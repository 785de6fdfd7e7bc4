// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define WINDOW_BITS 15 // of deflate; negative: without a header of zlib

void history_init(struct history *h, uint64_t keep_ns)
{
	*h = (struct history){
		.keep_ns = keep_ns, .bytes_max = HISTORY_BYTES_MAX, .text_max = HISTORY_TEXT_MAX};
	pthread_mutex_init(&h->lock, NULL);
}

void history_look_release(struct history_look *look)
{
	if (look && atomic_fetch_sub(&look->references, 1) == 1)
		free(look);
}

void history_free(struct history *h)
{
	for (struct history_look *look = h->first, *next; look; look = next) {
		next = look->next;
		history_look_release(look);
	}
	pthread_mutex_destroy(&h->lock);
}

// Deflates "text\n" up to a whole byte, so that the data of looks can follow each other. Returns
// the length, or 0: out of memory or room.
static size_t deflate_line(const char *text, size_t length, unsigned char *to, size_t room)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)text,
		      .avail_in = (uInt)length,
		      .next_out = to,
		      .avail_out = (uInt)room};

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, -WINDOW_BITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	deflate(&z, Z_NO_FLUSH);
	z.next_in = (Bytef *)(uintptr_t) "\n";
	z.avail_in = 1;
	const bool whole = deflate(&z, Z_SYNC_FLUSH) == Z_OK && z.avail_in == 0 && z.avail_out > 0;
	const size_t written = room - z.avail_out;
	deflateEnd(&z);
	return whole ? written : 0;
}

static struct history_look *look_new(const char *text, size_t length)
{
	const size_t room = compressBound(length) + 64;
	unsigned char *data = malloc(room);
	const size_t written = data ? deflate_line(text, length, data, room) : 0;
	struct history_look *look = written ? malloc(sizeof(*look) + written) : NULL;

	if (look) {
		*look = (struct history_look){.text_length = length + 1, .length = written};
		atomic_init(&look->references, 1);
		look->checksum = (uint32_t)crc32(crc32(0, (const Bytef *)text, (uInt)length),
						 (const Bytef *)"\n", 1);
		memcpy(look->data, data, written);
	}
	free(data);
	return look;
}

// Removes the look after `before` (NULL: the first).
static void drop_after(struct history *h, struct history_look *before)
{
	struct history_look **link = before ? &before->next : &h->first, *look = *link;

	*link = look->next;
	if (h->last == look)
		h->last = before;
	h->bytes -= look->length;
	h->text_bytes -= look->text_length;
	history_look_release(look);
}

// Drops the look whose removal leaves the shortest gap in relation to the look's age.
static void thin(struct history *h)
{
	const uint64_t now = h->last->time_ns;
	struct history_look *before = NULL;
	double least = 0;

	for (struct history_look *l = h->first; l->next && l->next->next; l = l->next) {
		const double gap = (double)(l->next->next->time_ns - l->time_ns);
		const double share = gap / (double)(now - l->next->time_ns + 1);
		if (!before || share < least) {
			before = l;
			least = share;
		}
	}
	drop_after(h, before);
}

void history_add(struct history *h, uint64_t time_ns, const char *text, size_t length)
{
	if (!h->keep_ns || !text)
		return;
	struct history_look *look = look_new(text, length);
	if (!look)
		return;
	look->time_ns = time_ns;
	pthread_mutex_lock(&h->lock);
	look->number = ++h->number;
	*(h->last ? &h->last->next : &h->first) = look;
	h->last = look;
	h->bytes += look->length;
	h->text_bytes += look->text_length;
	while (h->first != look && time_ns - h->first->time_ns > h->keep_ns)
		drop_after(h, NULL);
	while (h->first != look && (h->bytes > h->bytes_max || h->text_bytes > h->text_max))
		thin(h);
	pthread_mutex_unlock(&h->lock);
}

struct history_look *history_after(struct history *h, uint64_t number)
{
	pthread_mutex_lock(&h->lock);
	struct history_look *look = h->first;
	while (look && look->number <= number)
		look = look->next;
	if (look)
		atomic_fetch_add(&look->references, 1);
	pthread_mutex_unlock(&h->lock);
	return look;
}
