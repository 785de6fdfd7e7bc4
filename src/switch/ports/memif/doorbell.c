// SPDX-License-Identifier: BSD-3-Clause
// The driver's recvmsg() and sendmsg() are linked to those here (ld --wrap), for its control
// channels to be overheard.
#include "switch/ports/memif/doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define COOKIE 0x3E31F20

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);

// Messages of the protocol that tell of rings.
enum { SAYS_REGION = 4, SAYS_RING = 5, SAYS_CONNECT = 6, SAYS_CONNECTED = 7 };
enum { RING_FROM_CLIENT = 1 };

struct message {
	uint16_t type;
	union {
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

struct drb_memif_link *drb_memif_link_new(bool server, bool *connected)
{
	struct drb_memif_link *link = calloc(1, sizeof(*link));

	for (uint32_t q = 0; link && q < DRB_WORKERS_MAX; q++)
		link->epoll_fd[q] = -1;
	if (link) {
		link->server = server;
		link->connected = connected;
		*connected = false;
	}
	return link;
}

void drb_memif_link_free(struct drb_memif_link *link)
{
	free(link);
}

static int watch(const struct drb_memif_link *link, uint32_t queue, int op)
{
	// By edge: every ring is one, so that nobody needs to read the descriptor.
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = link->rx[queue].fd};

	if (link->epoll_fd[queue] < 0 || !link->rx[queue].ring)
		return 0;
	return epoll_ctl(link->epoll_fd[queue], op, link->rx[queue].fd, &event) < 0 ? -errno : 0;
}

int drb_memif_link_watch(struct drb_memif_link *link, uint32_t queue, int epoll_fd)
{
	link->epoll_fd[queue] = epoll_fd;
	return watch(link, queue, EPOLL_CTL_ADD);
}

// Maps the head of the ring at `offset` of a region. NULL if there is none.
static struct drb_memif_ring *map(int region, uint32_t offset)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), within = offset % page;
	struct drb_memif_ring *ring;
	struct stat st;
	char *at;

	if (fstat(region, &st) < 0 || offset % _Alignof(struct drb_memif_ring) ||
	    (uint64_t)offset + sizeof(*ring) > (uint64_t)st.st_size)
		return NULL;
	at = mmap(NULL, within + sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, region,
		  (off_t)(offset - within));
	if (at == MAP_FAILED)
		return NULL;
	ring = (struct drb_memif_ring *)(at + within);
	if (ring->cookie == COOKIE)
		return ring;
	munmap(at, within + sizeof(*ring));
	return NULL;
}

static void unmap(struct drb_doorbell *b)
{
	size_t within = (uintptr_t)b->ring % (size_t)sysconf(_SC_PAGESIZE);

	if (!b->ring)
		return;
	munmap((char *)b->ring - within, within + sizeof(*b->ring));
	close(b->fd);
	b->ring = NULL;
}

static bool has_ring(struct drb_memif_talk *talk, const struct message *m, int fd)
{
	bool from_client = m->ring.flags & RING_FROM_CLIENT;
	struct drb_doorbell *b;

	if (m->ring.index >= DRB_WORKERS_MAX || m->ring.region >= DRB_MEMIF_REGIONS ||
	    talk->region[m->ring.region] <= 0 || fd < 0)
		return false;
	b = &talk->bell[from_client][m->ring.index];
	if (b->ring)
		return false;
	b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (b->fd < 0)
		return false;
	b->ring = map(talk->region[m->ring.region], m->ring.offset);
	if (!b->ring)
		close(b->fd);
	// The client's ring holds what is between its ends; the other way it holds buffers that the
	// client lends to the server.
	b->size = (uint16_t)(1u << (m->ring.log2_size & 15));
	b->empty = from_client ? 0 : b->size;
	return b->ring;
}

static bool connect_link(struct drb_memif_link *link, const struct drb_memif_talk *talk)
{
	bool watched = true;

	if (link->owner) // of somebody whom the driver turns away
		return true;
	link->owner = talk;
	*link->connected = true;
	memcpy(link->rx, talk->bell[link->server], sizeof(link->rx));
	memcpy(link->tx, talk->bell[!link->server], sizeof(link->tx));
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++)
		watched &= watch(link, q, EPOLL_CTL_ADD) == 0;
	return watched;
}

void drb_memif_talk_over(struct drb_memif_link *link, struct drb_memif_talk *talk)
{
	if (link->owner == talk) {
		// The peer has these eventfds as well: closing ours would not take them out.
		for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++) {
			watch(link, q, EPOLL_CTL_DEL);
			link->rx[q].ring = link->tx[q].ring = NULL;
		}
		link->owner = NULL;
		*link->connected = false;
	}
	for (uint32_t q = 0; q < DRB_WORKERS_MAX; q++) {
		unmap(&talk->bell[0][q]);
		unmap(&talk->bell[1][q]);
	}
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

// Takes in what was said, by either end. False: the link cannot be watched over, and must not be.
static bool take_in(const struct msghdr *msg)
{
	struct message m;

	if (!heard.talk || msg->msg_iovlen != 1 || msg->msg_iov->iov_len < sizeof(m))
		return true;
	memcpy(&m, msg->msg_iov->iov_base, sizeof(m));
	switch (m.type) {
	case SAYS_REGION:
		if (m.region.index < DRB_MEMIF_REGIONS)
			heard.talk->region[m.region.index] = descriptor_of(msg);
		return true;
	case SAYS_RING:
		return has_ring(heard.talk, &m, descriptor_of(msg));
	case SAYS_CONNECT:
		return !heard.link->server || connect_link(heard.link, heard.talk);
	case SAYS_CONNECTED:
		return heard.link->server || connect_link(heard.link, heard.talk);
	default:
		return true;
	}
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t size = __real_recvmsg(fd, msg, flags);

	if (size > 0 && !take_in(msg)) {
		int given = descriptor_of(msg);
		if (given >= 0)
			close(given);
		errno = EPROTO;
		return -1;
	}
	return size;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (!take_in(msg)) {
		errno = EPROTO;
		return -1;
	}
	ssize_t size = __real_sendmsg(fd, msg, flags);
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
	if (!b->owed) {
		// A receiver that did not see the packets before it fell asleep asked before that,
		// and this sees it.
		atomic_thread_fence(memory_order_seq_cst);
		uint16_t flags = atomic_load_explicit(&b->ring->flags, memory_order_relaxed);
		if (flags & DRB_MEMIF_AWAKE)
			return;
		atomic_fetch_or_explicit(&b->ring->flags, DRB_MEMIF_AWAKE, memory_order_relaxed);
	}
	b->owed = false;
	if (write(b->fd, &one, sizeof(one)) < 0)
		return; // the counter is full: it has rung
}
