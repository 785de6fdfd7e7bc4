// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets of any number of captures in memory, merged by time: what a replay sends.

#include <stddef.h>
#include <stdint.h>

struct trace_packet {
	int64_t time_ns;   // time stamp of the capture; trace_merge() makes it relative
	uint64_t key;      // order among equal times
	uint64_t order;    // order of addition, among equal keys
	uint8_t *frame;    // owned by the trace; may be changed in place; NULL if too long
	uint32_t size;     // bytes of the frame
	uint32_t captured; // of which this many came from the capture, the rest is zeros
	uint32_t host;     // label of the host that sends it
	uint32_t number;   // of the packet in its file, from 1
	uint32_t sent;     // how often it was sent; written by the sender
};

struct trace {
	struct trace_packet *packet;
	size_t count;
	// Private.
	size_t room;
	struct trace_block *blocks;
};

// Frames beyond the largest jumbo frame are remembered by size only: no link carries them.
#define TRACE_FRAME_MAX 16384

// Appends a packet of size bytes of which the first `captured` are data, the rest zeros. Returns
// it for further filling in; NULL if memory is out. captured <= size.
struct trace_packet *trace_add(struct trace *t, int64_t time_ns, const uint8_t *data,
			       uint32_t captured, uint32_t size);
void trace_free(struct trace *t);

// Sorts by time, then key, then order of addition, and makes times relative to `origin`.
void trace_merge(struct trace *t, int64_t origin);

// Appends all packets of an Ethernet capture (pcap in micro- or nanoseconds, pcapng) with host =
// DRB_NO_LABEL and key = 0. 0, or -EINVAL after a message that names the file and packet: not
// readable, no capture, truncated, not Ethernet, or out of memory.
int trace_load(struct trace *t, const char *path);
