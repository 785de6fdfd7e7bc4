// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What sink_xdp.bpf.c (kernel) and sink_xdp.c (user space) share. Maps of the program:
//   run      [0]                      struct sink_xdp_run       written by user space
//   streams  [src * hosts + dst]      struct arrival_stream     filled by user space, then kernel
//   latency  [stream base + sequence] ns, ARRIVAL_NOT_SEEN      likewise
//   tallies  [0], per CPU             struct tally              written by the kernel

#include <stdint.h>

#include <drb/addr.h>

struct sink_xdp_run {
	uint64_t start_ns; // UINT64_MAX: not running, whatever arrives is of another run
	struct drb_addr_plan plan;
};

// The kernel tells a program the index of the interface a packet came in by, which is not unique
// across network namespaces. So each host has a copy of the program with its label in the place of
// this constant, the immediate operand of one instruction; all copies share the maps.
#define SINK_XDP_HOST 0x5eed4057
