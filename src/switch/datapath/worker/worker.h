// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A worker, a forwarding thread of the switch. Each stage of its loop (loop.c) takes the parts of
// the worker that it needs. The whole worker goes to stages that drop packets, and thereby count
// them and copy them for a capture.

#include "switch/datapath/worker/decide_state.h"
#include "switch/datapath/worker/egress_set.h"
#include "switch/datapath/worker/hello_io.h"
#include "switch/datapath/worker/idle_state.h"
#include "switch/datapath/worker/links_view.h"
#include "switch/datapath/worker/receive_state.h"
#include "switch/datapath/worker/worker_port.h"
#include "switch/datapath/worker/worker_shared.h"
#include "switch/links/liveness.h"

struct drb_capture;

// Unless a comment says otherwise, the worker is the only writer and reader of fields that change
// while it runs. It also makes changes for other threads (ports/change.h). Before it runs, the
// control thread writes the fields.
struct drb_worker {
	// Configuration, from the switch's config and ports: written by worker_setup.c, at the
	// start and for a reload; read by all stages.
	struct drb_hop hop;
	struct drb_addr_plan addr;
	struct drb_class_tables class_tables;
	uint32_t number;          // of this worker
	uint32_t mtu;             // bytes of the longest IP packet
	uint64_t hellos;          // ports that send hellos, a bit each
	struct drb_worker *owner; // worker 0, which keeps the state of links
	int told_fd;              // for drb_worker_tell(); constant
	bool timed;               // decisions need the time

	struct drb_capture *capture; // copies packets for a reader; NULL: for none

	struct drb_worker_port port[DRB_PORTS_MAX];
	struct drb_receive_state receive;
	struct drb_egress_set egress;
	struct drb_decide_state decide;
	struct drb_links_view links;
	struct drb_liveness liveness; // of worker 0; due_ns UINT64_MAX in the others
	struct drb_hello_io hello_io; // of worker 0
	struct drb_idle_state idle;

	// Counters: written by all stages, read by take_snapshot.c.
	struct drb_worker_counters counters;
	uint64_t drop[DRB_DROP_COUNT];
	uint64_t started_ns; // CLOCK_MONOTONIC when the loop began
	uint64_t host_fault_ns[DRB_HOST_FAULT_COUNT][DRB_PORTS_MAX]; // when last seen; 0: never

	struct drb_worker_shared shared;
};

// The first sleep after traffic, while some port has neither descriptor nor doorbell. Sleeps become
// longer while nothing comes.
#define DRB_BACKOFF_MIN_NS 10000
