// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Data that sink_xdp.bpf.c (kernel) and sink_xdp.c (user space) share: the variable `run`, and the
// map
//   notes    struct sink_xdp_note    filled by the kernel, read by user space

#include <stdint.h>

#include "gen/frames/measured_frame.h"

// Offsets of those parts of a measured packet that differ between packets, 8 bytes each.
#define SINK_XDP_PARTS 6
static const uint8_t sink_xdp_part[SINK_XDP_PARTS] = {
	0, 8, FRAME_IP + DRB_IPV4_SRC, FRAME_AT(src), FRAME_AT(cohort), FRAME_AT(tx_ns)};

// A measured packet that arrived: a cache line.
struct sink_xdp_note {
	uint64_t part[SINK_XDP_PARTS]; // words of the frame at sink_xdp_part[]
	uint32_t host;                 // the host that it reached
	uint64_t rx_ns;                // CLOCK_MONOTONIC; written last. 0: not written yet
};
_Static_assert(sizeof(struct sink_xdp_note) == 64, "one cache line");

// Every CPU fills a page of its own with notes, one after another, then takes the next free page.
#define SINK_XDP_PAGE 64 // notes
#define SINK_XDP_CPUS 1024

// Each has two cache lines, because CPUs that fetch one line also fetch its neighbour.
struct sink_xdp_cpu {
	// The number of the next note. If it is a multiple of SINK_XDP_PAGE, the page is full, or
	// the CPU has none yet.
	_Alignas(128) uint64_t next;
};

struct sink_xdp_run {
	struct sink_xdp_cpu cpu[SINK_XDP_CPUS];
	_Alignas(64) uint64_t taken; // notes, in whole pages; `room` or more: no page is free
	uint64_t dropped;            // packets that found no free note
	uint64_t room;               // number of notes
};

// The label of a host is the index of its interface plus an offset. The offset replaces this
// constant, the immediate operand of one instruction. Hosts with equal offsets share one program.
#define SINK_XDP_HOST 0x5eed4057
