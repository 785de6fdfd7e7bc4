// SPDX-License-Identifier: BSD-3-Clause
// Corrects how the af_packet and memif drivers of DPDK set up their sockets. They have no options
// for it, so their socket() and setsockopt() are linked to those here (ld --wrap). af_packet:
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
// memif: a client waits without end for a server that is stopped with clients before its door, and
// the workers rest meanwhile.
#include "packet_socket.h"

#include <linux/if_packet.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>

bool drb_packet_fanout, drb_packet_asks;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len);

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

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
		// The group's number below, type and flags above: only the type without flags.
		uint32_t group = *(const uint32_t *)value & 0xffff;
		group |= (uint32_t)PACKET_FANOUT_HASH << 16;
		return drb_packet_fanout ? __real_setsockopt(fd, level, name, &group, len) : 0;
	}
	if (name == PACKET_RX_RING)
		__real_setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	return __real_setsockopt(fd, level, name, value, len);
}
