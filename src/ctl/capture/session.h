// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A capture at one switch: starts it, and reads the rings that the switch fills (common/capture).

#include <stdbool.h>
#include <stdint.h>

#include <pcap/pcap.h>

#include "common/capture/capture_ring.h"
#include "common/telemetry/switch_reader.h"

struct session {
	struct drb_switch_all all; // of the switch, as the capture began
	int fd;                    // connection to the switch
	struct drb_capture_ring *rings;
	uint32_t count;
};

// What is wanted.
struct session_filter {
	const char *port; // NULL: every one
	uint32_t snap;
	const struct bpf_program *program; // by session_compile()
};

// A filter in the syntax of tcpdump as instructions, for pcap_freecode(). Exits if it is none.
void session_compile(const char *filter, struct bpf_program *program);

// Captures at the switch behind this stats socket. 0, or a negative errno with a message printed.
int session_open(struct session *s, const char *socket_path, uint32_t timeout_ms,
		 const struct session_filter *filter);
// The oldest packet that was not read, copied; false: there is none now.
bool session_next(struct session *s, struct drb_capture_slot *packet);
// False: the switch has ended.
bool session_goes_on(const struct session *s);
// Of one port: packets that were to be captured, and of them those that were lost.
void session_count(const struct session *s, uint32_t port, uint64_t *matched, uint64_t *lost);
// No packet is captured any more; those that were are still there to be read.
void session_end(struct session *s);
void session_close(struct session *s);

// How a packet that left was sent ("default", ...), why one was dropped ("queue_full", ...); "" for any other.
const char *session_way(const struct drb_capture_slot *packet);
