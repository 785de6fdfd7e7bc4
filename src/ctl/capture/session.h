// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A capture at one switch: starts the capture and reads the rings that the switch fills
// (common/capture).

#include <stdbool.h>
#include <stdint.h>

#include <pcap/pcap.h>

#include "common/capture/capture_ring.h"
#include "common/telemetry/switch_reader.h"
#include "ctl/ctl.h"

struct session {
	struct drb_switch_all all; // report of the switch when the capture began; owned
	int fd;                    // connection to the switch
	struct drb_capture_ring *rings;
	uint32_t count; // rings: one for each worker
	bool ends;      // the reader has reported its end to the switch
};

// Selects the packets to capture.
struct session_filter {
	const char *port;                  // NULL: all ports
	uint32_t snap;                     // most bytes of a packet
	const struct bpf_program *program; // from session_compile()
};

// Compiles a filter in the syntax of tcpdump; the caller frees it with pcap_freecode(). Exits with
// a message if the filter is invalid, or if only a kernel can apply it.
void session_compile(const char *filter, struct bpf_program *program);

// Starts a capture at the switch behind this stats socket. Returns 0, or a negative errno with a
// message printed.
int session_open(struct session *s, const struct ctl *ctl, const struct drb_switch_socket *at,
		 const struct session_filter *filter);
// Copies the oldest packet that is not yet read and marks it as read; false: there is none now.
bool session_next(struct session *s, struct drb_capture_slot *packet);
// False once the switch has ended.
bool session_goes_on(const struct session *s);
// Counts packets of one port: `matched` are those that the filter chose, `lost` of them were lost.
void session_count(const struct session *s, uint32_t port, uint64_t *matched, uint64_t *lost);
// Stops the capture. Packets captured before can still be read.
void session_end(struct session *s);
void session_close(struct session *s);

// Returns the kind of path of a packet that left a switch ("default", ...), or the reason of a drop
// ("queue_full", ...). "": any other packet.
const char *session_way(const struct session *s, const struct drb_capture_slot *packet);
