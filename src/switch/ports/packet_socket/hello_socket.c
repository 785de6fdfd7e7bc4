// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/hello_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/links/hello.h"
#include "core/packet/wire.h"
#include "switch/ports/port_kind.h"

// Space for some seconds of hellos. A hello with many outages is longer than a frame of the ring.
// The kernel also puts a whole copy of it into the buffer of the socket.
#define FRAME 512
#define FRAMES 32

int drb_hello_socket_bind(int fd, unsigned interface)
{
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(DRB_ETHERTYPE_HELLO),
				       .sll_ifindex = (int)interface};

	return bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
}

static int map_ring(struct drb_hello_socket *s)
{
	const int version = TPACKET_V2, on = 1;
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	s->size = page > FRAMES * FRAME ? page : FRAMES * FRAME;
	const struct tpacket_req request = {s->size, 1, FRAME, s->size / FRAME};

	if (setsockopt(s->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(s->fd, SOL_PACKET, PACKET_COPY_THRESH, &on, sizeof(on)) < 0 ||
	    setsockopt(s->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		return -errno;
	void *at = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	s->ring = at;
	return 0;
}

int drb_hello_socket_open(struct drb_hello_socket *s, unsigned interface)
{
	*s = (struct drb_hello_socket){
		.fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
	if (s->fd < 0)
		return -errno;
	int rc = map_ring(s);
	return rc < 0 ? rc : drb_hello_socket_bind(s->fd, interface);
}

void drb_hello_socket_close(struct drb_hello_socket *s)
{
	if (s->ring)
		munmap(s->ring, s->size);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct drb_hello_socket){.fd = -1};
}

// Returns the ns since the kernel received the frame; 0 if the clock was set back meanwhile.
static uint64_t waited(const struct tpacket2_hdr *f)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	const int64_t ns =
		(int64_t)(now.tv_sec - f->tp_sec) * 1000000000 + now.tv_nsec - f->tp_nsec;
	return ns > 0 ? (uint64_t)ns : 0;
}

// Reads the copy of a long hello. After the interface was down, a call returns only that error, so
// retry: a copy that is left would be taken for the next long hello.
static uint32_t take_long(int fd, uint8_t *octets)
{
	ssize_t length = -1;

	for (int tries = 0; length < 0 && tries < 4; tries++)
		length = recv(fd, octets, DRB_HELLO_LEN_MAX, MSG_DONTWAIT);
	return length > 0 ? (uint32_t)length : 0;
}

// True if frames were lost. After a loss the kernel marks all frames until its statistics are read.
static bool were_lost(int fd, uint32_t status)
{
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);

	return status & TP_STATUS_LOSING &&
	       getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0 &&
	       stats.tp_drops > 0;
}

bool drb_hello_socket_read(struct drb_hello_socket *s, struct drb_hello_taken *hello)
{
	struct tpacket2_hdr *f = (struct tpacket2_hdr *)(s->ring + s->next * FRAME);
	const uint32_t status = __atomic_load_n(&f->tp_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	hello->waited_ns = waited(f);
	hello->length = 0; // for a long hello whose copy found no space in the socket
	if (status & TP_STATUS_COPY)
		hello->length = take_long(s->fd, hello->octets);
	else if (f->tp_snaplen == f->tp_len)
		hello->length = f->tp_snaplen;
	if (!(status & TP_STATUS_COPY))
		memcpy(hello->octets, (const uint8_t *)f + f->tp_mac, hello->length);
	hello->lost = were_lost(s->fd, status) || hello->length == 0;
	__atomic_store_n(&f->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	s->next = (s->next + 1) % (s->size / FRAME);
	return true;
}
