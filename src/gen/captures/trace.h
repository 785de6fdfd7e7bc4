// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets of any number of captures in memory, merged by time, for a replay to send.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of a frame that was captured.
enum trace_cut {
	TRACE_WHOLE,
	TRACE_CUT,       // its end is missing
	TRACE_CUT_PORTS, // even the ports are missing
};

struct trace_packet {
	int64_t time_ns;   // time stamp of the capture; trace_merge() makes it relative
	uint64_t key;      // order among equal times
	uint64_t order;    // order of addition, among equal keys
	uint8_t *frame;    // owned by the trace; may be changed in place; NULL: too long
	uint32_t size;     // bytes of the frame
	uint32_t captured; // bytes from the capture; the rest is zeros
	uint32_t host;     // label of the host that sends it
	uint32_t number;   // its number in its file, from 1
	uint32_t flow;     // index of its flow among those that flows_make() found
	uint32_t place;    // capture point: see capture_reader.h
	uint16_t file;     // number of its file among those loaded
	bool at_switch;    // captured by drbctl capture
	uint8_t cut;       // enum trace_cut
	uint32_t sent;     // how often it was sent; written by the sender
};

struct trace {
	struct trace_packet *packet;
	size_t count;
	uint16_t files;      // loaded
	uint64_t disordered; // packets with times before that of the previous packet
	uint64_t fcs;        // packets whose frame check sequence was taken off
	// Private.
	size_t room;
	struct trace_block *blocks;
};

// The trace keeps only the size of frames beyond the largest jumbo frame, because no link carries
// them.
#define TRACE_FRAME_MAX 16384

// Appends a packet of `size` bytes. The first `captured` of them are data, the rest zeros; captured
// <= size. Returns the packet for further filling in; NULL: out of memory.
struct trace_packet *trace_add(struct trace *t, int64_t time_ns, const uint8_t *data,
			       uint32_t captured, uint32_t size);
void trace_free(struct trace *t);

// Sorts by time, then key, then order of addition, and makes times relative to `origin`.
void trace_merge(struct trace *t, int64_t origin);

// Bytes of a frame that distinguish packets, besides its size.
#define TRACE_PRINT_BYTES 128
// A hash of the contents of a frame of `size` bytes, of its first `captured` bytes; never 0.
uint64_t trace_fingerprint(const uint8_t *frame, uint32_t captured, uint32_t size);

// Appends all packets of an Ethernet capture (drb_file_read(), capture_reader.h) with host =
// DRB_NO_LABEL and key = 0. If the capture is damaged and `whole` is not set, it appends the
// packets before the damage, with a warning. Returns 0, or -EINVAL after a message that names the
// file: it is unreadable, no capture, without a whole packet, or not Ethernet; or memory is out.
int trace_load(struct trace *t, const char *path, bool whole);
