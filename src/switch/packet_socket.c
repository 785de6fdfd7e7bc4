// SPDX-License-Identifier: BSD-3-Clause
// Corrects how the af_packet driver of DPDK sets up its sockets. The driver has no option for it,
// so its socket() and setsockopt() are linked to those here (ld --wrap).
//  - Up to 24.11 it joins a fanout group with PACKET_FANOUT_FLAG_DEFRAG even for one queue: the
//    kernel then reassembles IP fragments, and the result is cut to the ring's frame size. With
//    PACKET_FANOUT_FLAG_ROLLOVER, packets of a flow overtake each other in another socket.
//  - It opens them for all protocols, which also means: of all interfaces, until they are bound.
//    The kernel then waits for every processor to let go of such a socket (a grace period of RCU)
//    when it is bound, and when the one that only asks for the interface's index is closed, 15 ms
//    each. Opened for no protocol they receive nothing before bind() names protocol and interface.
//  - It never asks to be spared the frames that the kernel itself sends on the interface, which
//    then count as received.
#include "packet_socket.h"

#include <linux/if_packet.h>
#include <stdint.h>
#include <sys/socket.h>

bool drb_packet_fanout;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len);

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

int __wrap_socket(int domain, int type, int protocol)
{
	return __real_socket(domain, type, domain == AF_PACKET ? 0 : protocol);
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
