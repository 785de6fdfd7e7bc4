// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sinks take packets at every host, with the time of reception, and report the results of the run
// at the end. There is one interface for capture sockets and for counting inside the kernel, so
// that each can replace the other.
//
// Order of calls, all from the main thread: attach() for host 0, 1, ..., N-1; start(); delivered(),
// any number of times; stop(); result(); destroy(). destroy() is allowed at any point. Functions
// returning int: 0, or a negative errno after a message that names the host.

#include <stdint.h>

#include "core/fabric/addresses.h"

#include "common/measures/latency.h"

#include "gen/sinks/score.h"
#include "gen/sinks/tally.h"

struct sink;

struct sink_ops {
	// Called in the network namespace of the host.
	int (*attach)(struct sink *s, uint32_t host);
	int (*start)(struct sink *s);
	// Returns at least the number of packets delivered so far, and the exact number once that
	// may be all.
	uint64_t (*delivered)(struct sink *s);
	// The results include all packets that arrived before the call, and none that arrive later.
	int (*stop)(struct sink *s);
	void (*result)(struct sink *s, struct tally *tally, struct drb_latency *latency);
	// The packets of one host among the tally's receiver_dropped. NULL: unknown.
	uint64_t (*dropped)(struct sink *s, uint32_t host);
	void (*destroy)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
};

// A frame as a sink in user space took it.
struct arrival {
	uint32_t host;
	uint32_t captured, size; // bytes captured, and bytes of the frame
	const uint8_t *frame;
	uint64_t rx_ns; // CLOCK_MONOTONIC
};

// Scores the frames that a sink in user space takes. Called from the thread of the sink, from
// start() until stop() has returned.
struct scorer {
	void *context;
	void (*arrived)(void *context, const struct arrival *a);
	uint64_t (*delivered)(const void *context);
	void (*result)(void *context, struct tally *tally, struct drb_latency *latency);
};

struct sink_pcap_setup {
	uint32_t hosts;
	const char *interface;
	const char *filter;    // in the language of pcap-filter(7): only these frames are taken
	uint32_t snaplen;      // bytes of a frame that the scorer reads
	uint32_t buffer_bytes; // per receiving socket
	struct scorer scorer;
};

// A sink that captures through libpcap, with one handle per host. One thread reads all; times are
// the kernel's. NULL: out of memory. The strings of setup must outlive the sink.
struct sink *sink_pcap_new(const struct sink_pcap_setup *setup);

// The most packets of a run: 80 bytes of kernel memory each, 640 MiB.
#define SINK_XDP_PACKETS_MAX (UINT64_C(1) << 23)

struct sink_xdp_setup {
	const struct drb_addr_plan *plan; // both must outlive the sink
	struct score *score;              // all packets are announced; gets the figures
	const char *interface;
};

// A sink that takes measured packets inside the kernel. An XDP program on every host's interface,
// in native mode, notes them and drops them before the host's stack. It also takes their times. All
// other packets pass, and do not count as strangers. 0, or a negative errno without a message:
// -ENOTSUP if built without libbpf, -EPERM without the rights, -E2BIG.
int sink_xdp_new(const struct sink_xdp_setup *setup, struct sink **sink);
// Returns the descriptor of the program for a host whose interface has this index; a negative errno
// on failure. Loads the program if necessary. The sink owns the descriptor. attach() calls this
// once for every host.
int sink_xdp_program(struct sink *sink, uint32_t host, uint32_t interface);
