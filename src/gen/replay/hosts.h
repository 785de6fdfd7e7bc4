// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The hosts of a running fabric: their network namespaces, entered once each, and the sockets that
// stay open inside them.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#include "gen/replay/silence.h"
#include "gen/sinks/sink.h"

struct hosts {
	uint32_t count;
	int *send;    // packet socket bound to each host's interface; -1: none
	int *guard;   // likewise: socket that keeps the kernel quiet, see hosts_open()
	bool answers; // kernels cannot be kept silent
	uint32_t mtu; // smallest of all hosts
};

// Number of hosts of a fabric: namespaces <fabric>-h0, -h1, ... without a gap.
uint32_t hosts_count(const char *fabric);

struct hosts_setup {
	const char *fabric;
	const struct drb_addr_plan *plan; // addresses that the interfaces must have
	uint32_t first, end;              // the hosts that are here, [first, end)
	struct sink *sink;                // attached to them
	// Take the port of measured packets, so that the kernel does not answer them with "port
	// unreachable"; whatever arrives there is dropped.
	bool guard;
	// Flows to keep from the stacks of the hosts. Where the kernel cannot, that is said once. NULL:
	// none.
	struct silence *silence;
};

// Enters the namespace of each host that is here, checks its interface (there, up, with the address of the
// plan), opens its sockets and attaches the sink. Returns to the namespace it came from. 0, or a negative errno after a message, with
// nothing left open but the sink. For single-threaded use: namespaces belong to threads.
int hosts_open(struct hosts *h, const struct hosts_setup *setup);
void hosts_close(struct hosts *h);
