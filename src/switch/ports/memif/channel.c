// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/channel.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Number of a client's next message after the greeting: INIT, its region, its rings, then CONNECT.
enum { SAYS_INIT, SAYS_REGION, SAYS_RINGS };

#define OUT_OF_ORDER "a message came out of order"

static const char own_name[DRB_MEMIF_NAME_LEN] = DRB_MEMIF_NAME
#define X(id, letter) letter
	DRB_MEMIF_TAKES(X);
#undef X

static struct drb_memif_message *answer_begin(struct drb_memif_answer *answer,
					      enum drb_memif_type type)
{
	answer->any = true;
	answer->message.type = type;
	return &answer->message;
}

static void doorbell_forget(struct drb_doorbell *b)
{
	if (b->ring)
		close(b->fd);
	b->ring = NULL;
}

static void clear(struct drb_memif_answer *answer)
{
	*answer = (struct drb_memif_answer){.fd = -1};
}

static void greet(const struct drb_memif_channel *c, struct drb_memif_answer *answer)
{
	struct drb_memif_message *m = answer_begin(answer, DRB_MEMIF_HELLO);

	memcpy(m->hello.name, own_name, sizeof(own_name));
	m->hello.min_version = m->hello.max_version = DRB_MEMIF_VERSION;
	m->hello.max_region = DRB_MEMIF_REGIONS - 1;
	m->hello.max_ring_to_client = m->hello.max_ring_from_client = (uint16_t)(c->queues - 1);
	m->hello.max_log2_size = c->log2_size;
}

// A ring from the client is empty if head equals tail. A ring to the client is empty if it holds
// `size` buffers, all of which the client lends to the server.
static void set_size(struct drb_doorbell *b, bool from_client, uint8_t log2_size)
{
	b->size = (uint16_t)(1u << log2_size);
	b->empty = from_client ? 0 : b->size;
}

// Layout of the region: rings from the client, rings to the client, then their buffers in the same
// order.
static uint64_t octets_of_ring(void)
{
	return sizeof(struct drb_memif_ring) +
	       (sizeof(struct drb_memif_desc) << DRB_MEMIF_LOG2_RING);
}

static uint64_t buffers_at(const struct drb_memif_channel *c)
{
	return drb_memif_whole_pages(2 * c->pairs * octets_of_ring());
}

static uint32_t offset_of(const struct drb_memif_channel *c, bool from_client, uint32_t queue)
{
	return (uint32_t)(octets_of_ring() * ((from_client ? 0 : c->pairs) + queue));
}

static bool make_ring(struct drb_memif_channel *c, bool from_client, uint32_t queue,
		      uint8_t log2_size)
{
	struct drb_doorbell *b = &c->bell[from_client][queue];
	const uint64_t first = (uint64_t)((from_client ? 0 : c->pairs) + queue)
			       << DRB_MEMIF_LOG2_RING;

	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0)
		return false;
	b->memory = &c->memory;
	set_size(b, from_client, log2_size);
	b->ring = (struct drb_memif_ring *)(c->memory.region[0].at +
					    offset_of(c, from_client, queue));
	b->ring->cookie = DRB_MEMIF_COOKIE;
	// The receiver sets the flag while it polls. In a ring from the client, that is the server.
	// The flag begins clear, because libmemif's server needs doorbells and does not clear it.
	b->ring->flags = from_client ? 0 : DRB_MEMIF_AWAKE;
	b->buffers = (uint32_t)(buffers_at(c) + first * DRB_MEMIF_BUFFER);
	for (uint32_t i = 0; i < b->size; i++)
		b->ring->desc[i] = (struct drb_memif_desc){
			.length = DRB_MEMIF_BUFFER, .offset = b->buffers + i * DRB_MEMIF_BUFFER};
	return true;
}

static bool make_memory(struct drb_memif_channel *c, uint8_t log2_size)
{
	const uint64_t buffers = 2 * (uint64_t)c->pairs * DRB_MEMIF_BUFFER << DRB_MEMIF_LOG2_RING;

	c->region = drb_memif_memory_make(&c->memory, buffers_at(c) + buffers);
	bool made = c->region >= 0;
	for (uint32_t i = 0; made && i < 2 * c->pairs; i++)
		made = make_ring(c, i < c->pairs, i % c->pairs, log2_size);
	return made;
}

void drb_memif_channel_begin(struct drb_memif_channel *c, bool server, uint32_t queues,
			     uint8_t log2_size, struct drb_memif_answer *answer)
{
	clear(answer);
	*c = (struct drb_memif_channel){
		.server = server, .queues = queues, .log2_size = log2_size, .region = -1};
	if (server)
		greet(c, answer);
}

// Finds the ring of `size` descriptors at `offset` of a region. NULL if there is none.
static struct drb_memif_ring *find_ring(const struct drb_memif_memory *memory, uint16_t region,
					uint32_t offset, uint32_t size)
{
	struct drb_memif_ring *ring;

	if (region >= memory->count || offset % _Alignof(struct drb_memif_ring) ||
	    offset + sizeof(*ring) + (uint64_t)size * sizeof(ring->desc[0]) >
		    memory->region[region].size)
		return NULL;
	ring = (struct drb_memif_ring *)(memory->region[region].at + offset);
	return ring->cookie == DRB_MEMIF_COOKIE ? ring : NULL;
}

// True if the descriptor is an eventfd. Ringing writes to it: another file would grow with each
// ring, or block in its file system. Even fstat() on such a file may block, so read its link in
// /proc.
static bool is_bell(int fd)
{
	static const char kind[] = "anon_inode:[eventfd]";
	char path[32], is[sizeof(kind)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, is, sizeof(is)) == sizeof(kind) - 1 &&
	       memcmp(is, kind, sizeof(kind) - 1) == 0;
}

// Takes a RING message. Keeps its descriptor and sets *fd to -1 if the ring is valid. Returns NULL,
// or why the ring is refused.
static const char *take_ring(struct drb_memif_channel *c, const struct drb_memif_message *m,
			     int *fd)
{
	const bool from_client = m->ring.flags & DRB_MEMIF_FROM_CLIENT;
	struct drb_doorbell *bells = c->bell[from_client];
	const uint16_t index = m->ring.index;

	if (index >= c->queues || bells[index].ring || (index > 0 && !bells[index - 1].ring))
		return "its rings are out of order, or more than this switch has workers";
	if (m->ring.log2_size > DRB_MEMIF_LOG2_RING)
		return "a ring is too long";
	if (*fd < 0 || !is_bell(*fd))
		return "a ring has no eventfd for a doorbell";
	struct drb_doorbell *b = &bells[index];
	b->memory = &c->memory;
	set_size(b, from_client, m->ring.log2_size);
	struct drb_memif_ring *ring = find_ring(b->memory, m->ring.region, m->ring.offset, b->size);
	if (!ring)
		return "a ring is not where a message says";
	b->fd = *fd;
	b->ring = ring;
	*fd = -1;
	return NULL;
}

// Reads from the other end's name whether it is a drbswitch, and the extensions that it accepts.
static void take_name(struct drb_memif_channel *c, const char name[DRB_MEMIF_NAME_LEN])
{
	static const char letter[] =
#define X(id, letter) letter
		DRB_MEMIF_TAKES(X);
#undef X
	const size_t ours = strlen(DRB_MEMIF_NAME);

	c->ours = strncmp(name, DRB_MEMIF_NAME, ours) == 0;
	c->takes = 0;
	if (!c->ours)
		return;
	for (const char *at = name + ours; at < name + DRB_MEMIF_NAME_LEN && *at; at++) {
		const char *known = strchr(letter, *at);
		c->takes |= known ? 1u << (known - letter) : 0;
	}
}

static const char *take_init(struct drb_memif_channel *c, const struct drb_memif_message *m)
{
	if (m->init.version != DRB_MEMIF_VERSION)
		return "it does not speak version 2.0 of the protocol";
	if (m->init.id != 0 || m->init.mode != 0)
		return "it asks for another link than id 0 in mode ethernet";
	take_name(c, m->init.name);
	c->stage = DRB_MEMIF_GREETED;
	return NULL;
}

static const char *hear_client(struct drb_memif_channel *c, const struct drb_memif_message *m,
			       int *fd, struct drb_memif_answer *answer)
{
	const struct drb_memif_region region = {m->region.index, m->region.size, *fd};
	const char *why;

	if ((c->stage == DRB_MEMIF_NEW) != (m->type == DRB_MEMIF_INIT) ||
	    c->stage == DRB_MEMIF_JOINED)
		return OUT_OF_ORDER;
	switch (m->type) {
	case DRB_MEMIF_INIT:
		why = take_init(c, m);
		break;
	case DRB_MEMIF_REGION:
		why = drb_memif_memory_add(&c->memory, &region, drb_memif_memory_most(c->queues));
		break;
	case DRB_MEMIF_RING:
		why = take_ring(c, m, fd);
		break;
	case DRB_MEMIF_CONNECT:
		if (!c->bell[0][0].ring || !c->bell[1][0].ring)
			return "it has not named a ring each way";
		c->stage = DRB_MEMIF_JOINED;
		answer_begin(answer, DRB_MEMIF_CONNECTED);
		return NULL;
	default:
		return OUT_OF_ORDER;
	}
	if (!why)
		answer_begin(answer, DRB_MEMIF_ACK);
	return why;
}

static void say_ring(const struct drb_memif_channel *c, uint32_t n, struct drb_memif_answer *answer)
{
	const bool from_client = n < c->pairs;
	const uint32_t queue = n % c->pairs, size = c->bell[from_client][queue].size;
	struct drb_memif_message *m = answer_begin(answer, DRB_MEMIF_RING);

	m->ring.flags = from_client ? DRB_MEMIF_FROM_CLIENT : 0;
	m->ring.index = (uint16_t)queue;
	m->ring.offset = offset_of(c, from_client, queue);
	m->ring.log2_size = (uint8_t)__builtin_ctz(size);
	answer->fd = c->bell[from_client][queue].fd;
}

// Makes the client's next message.
static void say_next(struct drb_memif_channel *c, struct drb_memif_answer *answer)
{
	const uint32_t next = c->said++;
	struct drb_memif_message *m;

	if (next == SAYS_INIT) {
		m = answer_begin(answer, DRB_MEMIF_INIT);
		m->init.version = DRB_MEMIF_VERSION;
		memcpy(m->init.name, own_name, sizeof(own_name));
	} else if (next == SAYS_REGION) {
		m = answer_begin(answer, DRB_MEMIF_REGION);
		m->region.size = c->memory.region[0].size;
		answer->fd = c->region;
	} else if (next < SAYS_RINGS + 2 * c->pairs) {
		say_ring(c, next - SAYS_RINGS, answer);
	} else {
		answer_begin(answer, DRB_MEMIF_CONNECT);
	}
}

static const char *take_hello(struct drb_memif_channel *c, const struct drb_memif_message *m)
{
	const uint8_t log2_size =
		m->hello.max_log2_size < c->log2_size ? m->hello.max_log2_size : c->log2_size;

	if (m->hello.min_version > DRB_MEMIF_VERSION || m->hello.max_version < DRB_MEMIF_VERSION)
		return "it does not speak version 2.0 of the protocol";
	c->pairs = c->queues;
	if (m->hello.max_ring_to_client < c->pairs)
		c->pairs = m->hello.max_ring_to_client + 1u;
	if (m->hello.max_ring_from_client < c->pairs)
		c->pairs = m->hello.max_ring_from_client + 1u;
	if (!make_memory(c, log2_size))
		return "this switch has no memory or descriptors left for its rings";
	take_name(c, m->hello.name);
	c->stage = DRB_MEMIF_GREETED;
	return NULL;
}

static const char *hear_server(struct drb_memif_channel *c, const struct drb_memif_message *m,
			       struct drb_memif_answer *answer)
{
	const bool all_said = c->said == SAYS_RINGS + 2 * c->pairs + 1;

	if (m->type == DRB_MEMIF_HELLO && c->stage == DRB_MEMIF_NEW) {
		const char *why = take_hello(c, m);
		if (why)
			return why;
	} else if (m->type == DRB_MEMIF_CONNECTED && c->stage == DRB_MEMIF_GREETED && all_said) {
		c->stage = DRB_MEMIF_JOINED;
		return NULL;
	} else if (m->type != DRB_MEMIF_ACK || c->stage != DRB_MEMIF_GREETED || all_said) {
		return OUT_OF_ORDER;
	}
	say_next(c, answer);
	return NULL;
}

// Copies the other end's reason for the log, without control characters.
static void copy_goodbye(char *to, const char *from, size_t size)
{
	snprintf(to, size, "%.*s", (int)size - 1, from);
	for (; *to; to++)
		*to = isprint((unsigned char)*to) ? *to : '?';
}

const char *drb_memif_channel_hear(struct drb_memif_channel *c, const void *text, size_t size,
				   int fd, struct drb_memif_answer *answer)
{
	struct drb_memif_message m;
	const char *why;

	clear(answer);
	if (size != sizeof(m)) {
		why = "a message is too short";
	} else {
		memcpy(&m, text, sizeof(m));
		if (m.type == DRB_MEMIF_DISCONNECT) {
			copy_goodbye(answer->goodbye, m.disconnect.why, sizeof(answer->goodbye));
			why = "it hangs up";
		} else {
			why = c->server ? hear_client(c, &m, &fd, answer)
					: hear_server(c, &m, answer);
		}
	}
	if (fd >= 0)
		close(fd);
	return why;
}

void drb_memif_channel_refuse(const char *why, struct drb_memif_answer *answer)
{
	clear(answer);
	snprintf(answer_begin(answer, DRB_MEMIF_DISCONNECT)->disconnect.why,
		 sizeof(answer->message.disconnect.why), "%s", why);
}

void drb_memif_channel_end(struct drb_memif_channel *c)
{
	for (uint32_t queue = 0; queue < c->queues; queue++) {
		doorbell_forget(&c->bell[0][queue]);
		doorbell_forget(&c->bell[1][queue]);
	}
	drb_memif_memory_free(&c->memory);
	if (c->queues > 0 && c->region >= 0)
		close(c->region);
	*c = (struct drb_memif_channel){0};
}
