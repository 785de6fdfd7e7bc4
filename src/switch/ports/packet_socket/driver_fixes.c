// SPDX-License-Identifier: BSD-3-Clause
// Corrects how the af_packet and memif drivers of DPDK set up their sockets. They have no options
// for it, so their socket(), setsockopt() and mmap() are linked to those here (ld --wrap).
// af_packet:
//  - Up to 24.11 it joins a fanout group with PACKET_FANOUT_FLAG_DEFRAG even for one queue: the
//    kernel then reassembles IP fragments, and the result is cut to the ring's frame size. With
//    PACKET_FANOUT_FLAG_ROLLOVER, packets of a flow overtake each other in another socket.
//  - It opens them for all protocols, which also means: of all interfaces, until they are bound.
//    The kernel then waits for every processor to let go of such a socket (a grace period of RCU,
//    15 ms) when it is bound. Opened for no protocol they receive nothing before bind() names
//    protocol and interface.
//  - The first of a device only asks for the interface's index and address. The kernel waits as
//    long when it closes a packet socket, so that one is of another kind.
//  - It never asks to be spared the frames that the kernel itself sends on the interface, which
//    then count as received.
//  - A ring to transmit takes as much memory as the one to receive, and another 15 ms, for nothing:
//    packet_send.c sends.
//  - Its rings count as locked memory, of which a user may have a few MiB, although the kernel
//    never moves them anyway.
// memif: a client waits without end for a server that is stopped with clients before its door, and
// the workers rest meanwhile.
#include "switch/ports/packet_socket/driver_fixes.h"

#include <linux/if_packet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/utsname.h>

bool drb_packet_fanout, drb_packet_asks, drb_packet_unringed;

// Whose rings are mapped next: without the one to transmit.
static int unringed_fd = -1;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset);

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif
#ifndef PACKET_FANOUT_FLAG_IGNORE_OUTGOING
#define PACKET_FANOUT_FLAG_IGNORE_OUTGOING 0x4000
#endif

// Kernels before 5.17 take the flag and do nothing.
bool drb_packet_fanout_spares(void)
{
	struct utsname kernel;
	unsigned major, minor;

	return uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 17));
}

static int impatient_socket(int domain, int type, int protocol)
{
	const struct timeval patience = {.tv_usec = 20000};
	int fd = __real_socket(domain, type, protocol);

	if (fd >= 0)
		__real_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return fd;
}

int __wrap_socket(int domain, int type, int protocol)
{
	if (domain == AF_UNIX && type == SOCK_SEQPACKET)
		return impatient_socket(domain, type, protocol);
	if (domain != AF_PACKET)
		return __real_socket(domain, type, protocol);
	if (drb_packet_asks) {
		drb_packet_asks = false;
		return __real_socket(AF_UNIX, SOCK_DGRAM, 0);
	}
	return __real_socket(AF_PACKET, type, 0);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	const int on = 1;

	if (level != SOL_PACKET)
		return __real_setsockopt(fd, level, name, value, len);
	if (name == PACKET_FANOUT) {
		// The group's number below, type and flags above: the flags are ours. A group does
		// not know what its sockets are spared.
		uint32_t group = *(const uint32_t *)value & 0xffff;
		group |= (uint32_t)(PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_IGNORE_OUTGOING) << 16;
		return drb_packet_fanout ? __real_setsockopt(fd, level, name, &group, len) : 0;
	}
	if (name == PACKET_TX_RING && drb_packet_unringed) {
		unringed_fd = fd;
		return 0;
	}
	if (name == PACKET_RX_RING)
		__real_setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	return __real_setsockopt(fd, level, name, value, len);
}

// The driver maps both rings at once, and unmaps them so: where the second would be is nothing.
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	char *all;

	if (fd < 0 || fd != unringed_fd)
		return __real_mmap(at, len, prot, flags, fd, offset);
	unringed_fd = -1;
	all = __real_mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return all;
	flags = (flags & ~MAP_LOCKED) | MAP_FIXED;
	if (__real_mmap(all, len / 2, prot, flags, fd, offset) != MAP_FAILED)
		return all;
	munmap(all, len);
	return MAP_FAILED;
}

// As programs with a 64-bit off_t call it, whatever off_t of their own they have.
void *__wrap_mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return __wrap_mmap(at, len, prot, flags, fd, offset);
}
