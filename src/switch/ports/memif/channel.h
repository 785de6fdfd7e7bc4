// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The control channel of a memif link, without its socket: messages and descriptors in, messages out, and the
// rings that both ends share at the end (message.h has the order). It rejects anything out of order, or not
// where the other end says. The channel must then be ended, which frees everything it named.
//
// In its first message each end says its name. Ours is DRB_MEMIF_NAME and a letter for each extension of the
// protocol that it accepts; other programs have other names. Unknown letters are ignored.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/memif/message.h"

#define DRB_MEMIF_NAME "drbswitch +"

// What an end may take, and its letter: X(id, letter).
#define DRB_MEMIF_TAKES(X)                                                                         \
	X(UNFINISHED, "u") // packets with unfinished checksums, which descriptors tell of

enum drb_memif_takes {
#define X(id, letter) DRB_MEMIF_TAKES_##id,
	DRB_MEMIF_TAKES(X)
#undef X
};

// How far the ends have come.
enum drb_memif_stage { DRB_MEMIF_NEW, DRB_MEMIF_GREETED, DRB_MEMIF_JOINED };

// One channel, of the control thread. Once it has JOINED, workers read its memory, which stays as it is until the end.
// Zeroed: none.
struct drb_memif_channel {
	bool server;
	uint32_t queues;   // pairs of rings that this end has
	uint8_t log2_size; // of a ring, at most: the logarithm of its descriptors
	enum drb_memif_stage stage;
	bool ours;      // the other end is a drbswitch
	uint32_t takes; // the other end: a bit for each of enum drb_memif_takes
	// Of a client: pairs of rings that it offers, its memory, and how many messages it has said.
	uint32_t pairs, said;
	int region;
	struct drb_doorbell bell[2][DRB_WORKERS_MAX]; // [1]: from the client; .ring NULL: not named
	struct drb_memif_memory memory;
};

// What this end says next.
struct drb_memif_answer {
	bool any; // it says something
	int fd;   // goes along and stays the channel's; -1: none
	struct drb_memif_message message;
	char goodbye[sizeof(((struct drb_memif_message *)0)
				    ->disconnect.why)]; // the other end's, if it hangs up
};

// A server greets.
void drb_memif_channel_begin(struct drb_memif_channel *c, bool server, uint32_t queues,
			     uint8_t log2_size, struct drb_memif_answer *answer);
// The other end has said so many octets, with a descriptor, which becomes the channel's, or -1. NULL, or why the
// channel must end.
const char *drb_memif_channel_hear(struct drb_memif_channel *c, const void *text, size_t size,
				   int fd, struct drb_memif_answer *answer);
// What to say before the channel is ended.
void drb_memif_channel_refuse(const char *why, struct drb_memif_answer *answer);
// Frees the memory, which nobody uses any more.
void drb_memif_channel_end(struct drb_memif_channel *c);

// The rings of a queue: of what the other end sends, and of what this end does.
static inline const struct drb_doorbell *drb_memif_channel_rx(const struct drb_memif_channel *c,
							      uint32_t queue)
{
	return &c->bell[c->server][queue];
}

static inline const struct drb_doorbell *drb_memif_channel_tx(const struct drb_memif_channel *c,
							      uint32_t queue)
{
	return &c->bell[!c->server][queue];
}
