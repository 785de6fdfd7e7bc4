// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hosts of a running fabric: their network namespaces, each entered once, and the sockets that
// stay open inside them.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#include "gen/replay/silence.h"
#include "gen/sinks/sink.h"

struct hosts {
	uint32_t count;
	int *send; // [host]: packet socket bound to its interface; -1: none
	// [host]: socket that keeps the kernel from answering, see struct hosts_setup; -1: none.
	int *guard;
	bool answers; // kernels cannot be kept from answering
	uint32_t mtu; // smallest of all hosts
};

// The number of hosts of a fabric. Their namespaces are <fabric>-h0, -h1, ... without a gap.
uint32_t hosts_count(const char *fabric);

// Calls inside(context, host) in the namespace of a host. Returns its result, or a negative errno
// after a message. For single-threaded use, because namespaces belong to threads.
int hosts_inside(const char *fabric, uint32_t host, int (*inside)(void *context, uint32_t host),
		 void *context);

struct hosts_setup {
	const char *fabric;
	const struct drb_addr_plan *plan; // addresses that the interfaces must have
	uint32_t first, end;              // the hosts on this machine, [first, end)
	struct sink *sink;                // attached to them
	// Take the port of measured packets, so that the kernel does not answer packets to it with
	// "port unreachable". The kernel drops all packets that arrive there.
	bool guard;
	// Flows that hosts' stacks must not get. If the kernel cannot keep them away, one message
	// says so. NULL: none.
	struct silence *silence;
};

// Enters the namespace of each host on this machine, and checks that its interface is there, is up,
// and has the address of the plan. Opens its sockets and attaches the sink. Returns to the caller's
// namespace. 0, or a negative errno after a message, with nothing left open but the sink. For
// single-threaded use, because namespaces belong to threads.
int hosts_open(struct hosts *h, const struct hosts_setup *setup);
void hosts_close(struct hosts *h);
