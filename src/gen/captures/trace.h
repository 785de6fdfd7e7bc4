// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets of any number of captures in memory, merged by time: what a replay sends.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What of a frame was captured.
enum trace_cut {
	TRACE_WHOLE,
	TRACE_CUT,       // its end is missing
	TRACE_CUT_PORTS, // even the ports are missing
};

struct trace_packet {
	int64_t time_ns;   // time stamp of the capture; trace_merge() makes it relative
	uint64_t key;      // order among equal times
	uint64_t order;    // order of addition, among equal keys
	uint8_t *frame;    // owned by the trace; may be changed in place; NULL if too long
	uint32_t size;     // bytes of the frame
	uint32_t captured; // of which this many came from the capture, the rest is zeros
	uint32_t host;     // label of the host that sends it
	uint32_t number;   // of the packet in its file, from 1
	uint32_t flow;     // of those that flows_make() found
	uint32_t place;    // where it was captured: see capture_reader.h
	uint16_t file;     // which of those loaded it is from
	bool at_switch;    // captured by drbctl capture
	uint8_t cut;       // enum trace_cut
	uint32_t sent;     // how often it was sent; written by the sender
};

struct trace {
	struct trace_packet *packet;
	size_t count;
	uint16_t files;      // loaded
	uint64_t disordered; // packets with times before those of the packet in front of them
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

// Bytes of a frame by which packets are told apart, besides its size.
#define TRACE_PRINT_BYTES 128
// A number for what a frame of `size` bytes consists of, of which the first `captured` are there; never 0.
uint64_t trace_fingerprint(const uint8_t *frame, uint32_t captured, uint32_t size);

// Appends all packets of an Ethernet capture (drb_file_read(), capture_reader.h) with host = DRB_NO_LABEL and
// key = 0; of one that is cut or damaged those before, with a warning, unless it must be whole. 0, or -EINVAL after a message that
// names the file: not readable, no capture, no whole packet, not Ethernet, or out of memory.
int trace_load(struct trace *t, const char *path, bool whole);
