// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads Ethernet captures: pcap with times in micro- or nanoseconds, and pcapng, of either byte order. Takes
// any bytes. Pure but for the file and memory.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct capture;

struct capture_record {
	int64_t time_ns;         // since 1970
	uint32_t captured, size; // bytes that are there, and bytes of the frame, captured <= size
	const uint8_t *data;     // until the next record is read
	uint32_t number;         // from 1
	uint32_t place; // differs between interfaces, directions, and what was dropped or was not
	bool at_switch; // captured by drbctl capture, at a port of a switch
};

enum capture_result {
	CAPTURE_END,
	CAPTURE_RECORD,
	CAPTURE_CUT,     // something is wrong here, and what came before is right: capture_wrong()
	CAPTURE_REFUSED, // likewise, and the whole cannot be used
};

// Reads the beginning of a capture. NULL if memory is out; what is wrong is told by capture_next().
struct capture *capture_new(FILE *in);
void capture_free(struct capture *c); // not the file
enum capture_result capture_next(struct capture *c, struct capture_record *record);
// What is wrong, for "FILE: ...": with the number of the packet and, where there is one, the cure.
const char *capture_wrong(const struct capture *c);
