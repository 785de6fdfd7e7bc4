// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Faults of a host that lose its frames: logged once for each port, with the cure, and shown as
// trouble while they last. Called only for frames that are dropped anyway.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"

enum drb_host_fault {
	DRB_HOST_FAULT_SOURCE,    // frames from another MAC than the host's own
	DRB_HOST_FAULT_LENGTH,    // frames longer than any link carries
	DRB_HOST_FAULT_ADDRESS,   // ARP for an address outside the fabric
	DRB_HOST_FAULT_IP,        // IP packets from another address than the host's own
	DRB_HOST_FAULT_NEIGHBOUR, // ARP or neighbour discovery for others
	DRB_HOST_FAULT_COUNT
};

// A fault is shown until this number of nanoseconds after its last frame.
#define DRB_HOST_FAULT_NS UINT64_C(10000000000)

struct drb_worker;

// Reports a dropped frame that came in by the port of a host. frame: its first bytes; length: bytes
// of the whole frame. For DRB_HOST_FAULT_ADDRESS all of the ARP message must be readable.
void drb_host_fault(struct drb_worker *w, uint32_t in, enum drb_host_fault fault,
		    const uint8_t *frame, uint32_t length);
// The ports with this fault now, a bit each, as this worker saw them.
uint64_t drb_host_fault_ports(const struct drb_worker *w, enum drb_host_fault fault,
			      uint64_t now_ns);
// Appends the faults to the text: "; d0: h0 has another MAC".
void drb_host_fault_trouble(const struct drb_setup *s, const uint64_t ports[DRB_HOST_FAULT_COUNT],
			    char *text, size_t size);
