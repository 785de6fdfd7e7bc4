// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What sink_xdp.bpf.c (kernel) and sink_xdp.c (user space) share: the variable `run`, and maps
//   cells    [SINK_XDP_CELL]  struct sink_xdp_cell  filled by user space, then kernel
//   judges   [SINK_XDP_...]   programs at_home() and astray()

#include <stdint.h>

#include <drb/addr.h>

#include "arrival.h"

struct sink_xdp_run {
	uint64_t start_ns; // UINT64_MAX: not running, whatever arrives is of another run
	uint32_t cohorts;
	struct drb_addr_plan plan;
	// Written by the kernel; none of those delivered.
	_Alignas(64) uint64_t count[ARRIVAL_VERDICTS];
};

// A packet by the slot it is born in and its source: a host sends one a slot, and those of one slot
// arrive at about the same time.
struct sink_xdp_cell {
	uint32_t dst; // DRB_NO_LABEL: no packet
	uint32_t sequence;
	struct arrival arrival;
};
#define SINK_XDP_CELL(hosts, probe) ((probe).cohort * (hosts) + (probe).src)

// The kernel tells a program the index of the interface a packet came in by, which is not unique
// across network namespaces. So each host has a copy of the program enter() with its MAC, as the
// machine loads 4 and 2 bytes of it, in the places of these constants, immediate operands of one
// instruction each. It hands over to one of the programs that all hosts share.
#define SINK_XDP_MAC_FIRST 0x5eed4057
#define SINK_XDP_MAC_LAST 0x5eed4058
#define SINK_XDP_AT_HOME 0
#define SINK_XDP_ASTRAY 1
