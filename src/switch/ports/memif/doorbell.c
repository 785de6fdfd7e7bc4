// SPDX-License-Identifier: BSD-3-Clause
// The driver's recvmsg() and sendmsg() are linked to those here (ld --wrap), for its control
// channels to be overheard.
#include "switch/ports/memif/doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/log.h"

#define COOKIE 0x3E31F20

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);

#define LOG2_RING_MAX 14 // what the driver takes

// Messages of the protocol.
enum {
	SAYS_ACK = 1,
	SAYS_HELLO = 2,
	SAYS_INIT = 3,
	SAYS_REGION = 4,
	SAYS_RING = 5,
	SAYS_CONNECT = 6,
	SAYS_CONNECTED = 7,
	SAYS_DISCONNECT = 8
};
enum { RING_FROM_CLIENT = 1 };

struct message {
	uint16_t type;
	union {
		struct {
			char name[DRB_MEMIF_NAME_LEN];
		} hello;
		struct {
			uint16_t version;
			uint32_t id;
			uint8_t mode, secret[24];
			char name[DRB_MEMIF_NAME_LEN];
		} __attribute__((packed)) init;
		struct {
			uint16_t index;
			uint64_t size;
		} __attribute__((packed)) region;
		struct {
			uint16_t flags, index, region;
			uint32_t offset;
			uint8_t log2_size;
		} __attribute__((packed)) ring;
	};
} __attribute__((packed));

static _Thread_local struct {
	struct drb_memif_link *link;
	struct drb_memif_talk *talk;
} heard;

void drb_memif_listen(struct drb_memif_link *link, struct drb_memif_talk *talk)
{
	heard.link = link;
	heard.talk = talk;
}

// The ring of so many descriptors at `offset` of a region. NULL if there is none.
static struct drb_memif_ring *find_ring(const struct drb_memif_memory *memory, uint16_t region,
					uint32_t offset, uint32_t size)
{
	struct drb_memif_ring *ring;

	if (region >= memory->count || offset % _Alignof(struct drb_memif_ring) ||
	    offset + sizeof(*ring) + (uint64_t)size * sizeof(ring->desc[0]) >
		    memory->region[region].size)
		return NULL;
	ring = (struct drb_memif_ring *)(memory->region[region].at + offset);
	return ring->cookie == COOKIE ? ring : NULL;
}

static void forget(struct drb_doorbell *b)
{
	if (b->ring)
		close(b->fd);
	b->ring = NULL;
}

// The driver counts rings, and takes the first ones for those that were named.
static bool is_next_ring(const struct drb_doorbell *bells, uint16_t index)
{
	return index < heard.link->queues && !bells[index].ring &&
	       (index == 0 || bells[index - 1].ring);
}

// Takes in a ring. NULL, or why it is refused.
static const char *add_ring(struct drb_memif_talk *talk, const struct message *m, int fd)
{
	const bool from_client = m->ring.flags & RING_FROM_CLIENT;

	if (!is_next_ring(talk->bell[from_client], m->ring.index))
		return "its rings are out of order, or more than this switch has workers";
	struct drb_doorbell *b = &talk->bell[from_client][m->ring.index];
	if (m->ring.log2_size > LOG2_RING_MAX)
		return "a ring is too long";
	b->memory = &talk->memory;
	// The client's ring holds what is between its ends; the other way it holds buffers that the
	// client lends to the server.
	b->size = (uint16_t)(1u << m->ring.log2_size);
	b->empty = from_client ? 0 : b->size;
	b->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (b->fd < 0)
		return "a ring has no doorbell";
	b->ring = find_ring(b->memory, m->ring.region, m->ring.offset, b->size);
	if (!b->ring) {
		close(b->fd);
		return "a ring is not where a message says";
	}
	// Who rings does not wait for a peer that lets the bell run full.
	fcntl(b->fd, F_SETFL, fcntl(b->fd, F_GETFL) | O_NONBLOCK);
	return NULL;
}

// What the other end takes, by its name.
static uint32_t taken_by(const char name[DRB_MEMIF_NAME_LEN])
{
	static const char letter[] =
#define X(id, letter) letter
		DRB_MEMIF_TAKES(X);
#undef X
	const size_t ours = strlen(DRB_MEMIF_NAME);
	uint32_t takes = 0;

	if (strncmp(name, DRB_MEMIF_NAME, ours) != 0)
		return 0;
	for (const char *at = name + ours; at < name + DRB_MEMIF_NAME_LEN && *at; at++) {
		const char *known = strchr(letter, *at);
		takes |= known ? 1u << (known - letter) : 0;
	}
	return takes;
}

void drb_memif_talk_over(struct drb_memif_link *link, struct drb_memif_talk *talk)
{
	if (link->owner == talk && !drb_memif_link_disconnect(link)) {
		*talk = (struct drb_memif_talk){0};
		return;
	}
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++) {
		forget(&talk->bell[0][q]);
		forget(&talk->bell[1][q]);
	}
	drb_memif_memory_free(&talk->memory);
	// The driver closes the descriptors of regions that it has mapped.
	while (talk->stage < DRB_MEMIF_JOINED && talk->lent_count > 0)
		close(talk->lent[--talk->lent_count]);
	*talk = (struct drb_memif_talk){0};
}

static int descriptor_of(const struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)msg, c)) {
		int fd;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		return fd;
	}
	return -1;
}

// Descriptors that a message came with but has no use for: the driver would leave them open.
static void close_others(const struct msghdr *msg, bool keeps_one)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = keeps_one ? sizeof(int) : 0;
		     CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + at, sizeof(fd));
			close(fd);
		}
		keeps_one = false;
	}
}

static bool is_message(const struct msghdr *msg)
{
	return heard.talk && msg->msg_iovlen == 1 &&
	       msg->msg_iov->iov_len >= sizeof(struct message);
}

// Takes in what was said, by either end. NULL, or why the link must not be.
static const char *take_in(const struct message *m, int fd)
{
	struct drb_memif_link *link = heard.link;

	switch (m->type) {
	case SAYS_REGION:
		return drb_memif_memory_add(
			&heard.talk->memory,
			&(struct drb_memif_region){m->region.index, m->region.size, fd},
			drb_memif_memory_most(link->queues));
	case SAYS_RING:
		return add_ring(heard.talk, m, fd);
	case SAYS_CONNECT:
	case SAYS_CONNECTED:
		return link->server == (m->type == SAYS_CONNECT) &&
				       !drb_memif_link_connect(link, heard.talk)
			       ? "its rings cannot be taken"
			       : NULL;
	default:
		return NULL;
	}
}

// Whether it is the other end's turn to say that. The driver takes anything at any time.
static bool is_its_turn(uint16_t type)
{
	enum drb_memif_stage stage = heard.talk->stage;
	bool server = heard.link->server;

	switch (type) {
	case SAYS_HELLO:
	case SAYS_INIT:
		return stage == DRB_MEMIF_NEW && server == (type == SAYS_INIT);
	case SAYS_REGION:
	case SAYS_RING:
	case SAYS_CONNECT:
	case SAYS_CONNECTED:
		return stage == DRB_MEMIF_GREETED && server == (type != SAYS_CONNECTED);
	default:
		return type == SAYS_ACK || type == SAYS_DISCONNECT;
	}
}

// Takes in what the other end has said. NULL, or why the link must not be.
static const char *take_in_heard(const struct message *m, int fd)
{
	struct drb_memif_talk *talk = heard.talk;

	if (!is_its_turn(m->type))
		return "a message came out of order";
	const char *why = take_in(m, fd);
	if (why)
		return why;
	if (m->type == SAYS_HELLO || m->type == SAYS_INIT) {
		talk->stage = DRB_MEMIF_GREETED;
		talk->takes = taken_by(m->type == SAYS_HELLO ? m->hello.name : m->init.name);
	} else if (m->type == SAYS_REGION) {
		talk->lent[talk->lent_count++] = fd;
	} else if (m->type == SAYS_CONNECT || m->type == SAYS_CONNECTED) {
		talk->stage = DRB_MEMIF_JOINED;
	}
	return NULL;
}

// The first message of this end: the driver has put its own name there.
static void put_name(const struct msghdr *msg)
{
	static const char name[DRB_MEMIF_NAME_LEN] = DRB_MEMIF_NAME
#define X(id, letter) letter
		DRB_MEMIF_TAKES(X);
#undef X
	struct message *m = msg->msg_iov->iov_base;

	if (m->type == SAYS_HELLO)
		memcpy(m->hello.name, name, sizeof(name));
	else if (m->type == SAYS_INIT)
		memcpy(m->init.name, name, sizeof(name));
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t size = __real_recvmsg(fd, msg, flags);
	struct message m;

	if (size <= 0 || !is_message(msg))
		return size;
	char *text = msg->msg_iov->iov_base;
	memcpy(&m, text, sizeof(m));
	const char *why = (size_t)size < msg->msg_iov->iov_len
				  ? "a message is too short"
				  : take_in_heard(&m, descriptor_of(msg));
	close_others(msg, !why && (m.type == SAYS_REGION || m.type == SAYS_RING));
	if (why) {
		drb_warn("port %s: the other end of the memif link is refused: %s",
			 heard.link->port, why);
		errno = EPROTO;
		return -1;
	}
	text[size - 1] = '\0'; // the driver reads names until they end
	return size;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct message m;

	if (is_message(msg)) {
		memcpy(&m, msg->msg_iov->iov_base, sizeof(m));
		const char *why = take_in(&m, descriptor_of(msg));
		if (why) {
			drb_error("port %s: there is no memif link: %s", heard.link->port, why);
			errno = EPROTO;
			return -1;
		}
		put_name(msg);
	}
	// A peer that does not read must not keep this thread.
	ssize_t size = __real_sendmsg(fd, msg, heard.talk ? flags | MSG_DONTWAIT : flags);
	if (size < 0 && heard.talk) {
		// A server that cannot greet frees a channel that is still registered, and EAL then
		// ends the process. It does well when it reads that the client is gone.
		shutdown(fd, SHUT_RDWR);
		return (ssize_t)msg->msg_iov->iov_len;
	}
	return size;
}

void drb_doorbell_ring(struct drb_doorbell *b)
{
	const uint64_t one = 1;

	if (!b->ring)
		return;
	// A receiver that did not see the packets before it fell asleep asked before that, and this
	// sees it.
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->ring->flags, memory_order_relaxed) & DRB_MEMIF_AWAKE)
		return;
	atomic_fetch_or_explicit(&b->ring->flags, DRB_MEMIF_AWAKE, memory_order_relaxed);
	if (write(b->fd, &one, sizeof(one)) < 0)
		return; // the counter is full: it has rung
}
