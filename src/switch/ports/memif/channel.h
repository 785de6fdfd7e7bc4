// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The control channel of a memif link, without its socket. It takes messages and descriptors, makes
// messages, and results in the rings that both ends share (order of messages: message.h). It
// rejects messages that are out of order or whose content is wrong. The channel must then be ended,
// which frees everything that messages named.
//
// The first message of each end contains its name. A switch's name is DRB_MEMIF_NAME and a letter
// for each extension of the protocol that it accepts. Other programs have other names. Unknown
// letters are ignored.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/memif/message.h"

#define DRB_MEMIF_NAME "drbswitch +"

// Extensions that an end may accept, and their letters: X(id, letter).
#define DRB_MEMIF_TAKES(X)                                                                         \
	X(UNFINISHED, "u") // packets with unfinished checksums, marked in descriptors

enum drb_memif_takes {
#define X(id, letter) DRB_MEMIF_TAKES_##id,
	DRB_MEMIF_TAKES(X)
#undef X
};

// Stages of the handshake.
enum drb_memif_stage { DRB_MEMIF_NEW, DRB_MEMIF_GREETED, DRB_MEMIF_JOINED };

// A channel, owned by the control thread. Once it is JOINED, workers read it, and it does not
// change until its end. All zero: none.
struct drb_memif_channel {
	bool server;
	uint32_t queues;   // pairs of rings that this end supports
	uint8_t log2_size; // binary logarithm of the most descriptors of a ring
	enum drb_memif_stage stage;
	bool ours;      // the other end is a drbswitch
	uint32_t takes; // extensions of the other end: bits by enum drb_memif_takes
	// For a client: pairs of rings that it offers, messages that it has sent, its memory's
	// memfd.
	uint32_t pairs, said;
	int region;
	struct drb_doorbell bell[2][DRB_WORKERS_MAX]; // [1]: from the client; .ring NULL: not named
	struct drb_memif_memory memory;
};

// The next message of this end.
struct drb_memif_answer {
	bool any; // there is a message
	int fd;   // passed with it, owned by the channel; -1: none
	struct drb_memif_message message;
	char goodbye[sizeof(((struct drb_memif_message *)0)
				    ->disconnect.why)]; // the other end's reason, if it hangs up
};

// Begins a channel. The answer of a server is its greeting.
void drb_memif_channel_begin(struct drb_memif_channel *c, bool server, uint32_t queues,
			     uint8_t log2_size, struct drb_memif_answer *answer);
// Takes a message of `size` bytes from the other end, with a descriptor that becomes the channel's,
// or -1. Returns NULL, or the reason why the channel must end.
const char *drb_memif_channel_hear(struct drb_memif_channel *c, const void *text, size_t size,
				   int fd, struct drb_memif_answer *answer);
// Makes the last message before the channel is ended.
void drb_memif_channel_refuse(const char *why, struct drb_memif_answer *answer);
// Frees the memory. No worker may use it any more.
void drb_memif_channel_end(struct drb_memif_channel *c);

// The rings of a queue: for packets from the other end, and for packets to it.
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
