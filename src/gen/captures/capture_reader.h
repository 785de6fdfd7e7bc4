// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads Ethernet captures: pcap with times in micro- or nanoseconds, and pcapng, in either byte
// order. The bytes need not be valid. Pure, apart from the file and memory.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct capture;

struct capture_record {
	int64_t time_ns;         // time since 1970
	uint32_t captured, size; // captured bytes and bytes of the frame, captured <= size
	const uint8_t *data;     // valid until the next record is read
	uint32_t number;         // from 1
	bool fcs;                // a frame check sequence followed, and was taken off
	// Capture point: differs by interface, by direction, and by whether the packet was dropped.
	uint32_t place;
	bool at_switch; // captured by drbctl capture at a port of a switch
};

enum capture_result {
	CAPTURE_END,
	CAPTURE_RECORD,
	// The file is damaged here, but the records before it are right: see capture_wrong().
	CAPTURE_CUT,
	CAPTURE_REFUSED, // the same, and the file cannot be used
};

// Reads the beginning of a capture. NULL: out of memory. capture_next() returns other errors.
struct capture *capture_new(FILE *in);
void capture_free(struct capture *c); // does not close the file
enum capture_result capture_next(struct capture *c, struct capture_record *record);
// The error, for "FILE: ...". It names the packet and, if there is one, the cure.
const char *capture_wrong(const struct capture *c);
