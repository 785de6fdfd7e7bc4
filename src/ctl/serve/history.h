// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The past of all switches, with which a page begins: the states (state.h) of the last minutes.
// Each state is compressed separately. The history is served as a recording, in the format of
// drbctl record. When the history exceeds its memory, older states are dropped one by one. Counters
// only grow, so rates between the remaining states stay right.

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Most compressed bytes, and most bytes of text. A page has to parse the text.
#define HISTORY_BYTES_MAX (60u << 20)
#define HISTORY_TEXT_MAX (320u << 20)

struct MHD_Response;

// One state. Freed with its last reference.
struct history_look {
	struct history_look *next;
	uint64_t number, time_ns;
	atomic_uint references;
	size_t text_length;
	uint32_t checksum; // of the text (CRC-32)
	size_t length;
	unsigned char data[]; // deflated; the data of any other look may follow
};

struct history {
	uint64_t keep_ns; // set before the first state; 0: keep none
	size_t bytes_max, text_max;
	pthread_mutex_t lock; // of all below
	struct history_look *first, *last;
	uint64_t number; // of the last state
	size_t bytes, text_bytes;
};

void history_init(struct history *h, uint64_t keep_ns);
void history_free(struct history *h);
// Adds a state of this time, and drops states that are too old. If there is no memory, the state is
// left out. Only one thread calls it.
void history_add(struct history *h, uint64_t time_ns, const char *text, size_t length);
// The first look after the look of this number (0: none), with a reference for the caller. NULL:
// there is none.
struct history_look *history_after(struct history *h, uint64_t number);
void history_look_release(struct history_look *look);
// The whole history as one response, compressed by gzip. NULL: out of memory.
struct MHD_Response *history_response(struct history *h);
