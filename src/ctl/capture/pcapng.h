// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes pcapng (draft-ietf-opsawg-pcapng) in the byte order of this machine, with names of
// interfaces, directions, comments and losses. No existing library writes all of these: libpcap
// 1.10 writes none of them, and rte_pcapng of DPDK 22.11 writes no comments.

#include <stdint.h>
#include <stdio.h>

enum pcapng_direction { PCAPNG_UNKNOWN, PCAPNG_INBOUND, PCAPNG_OUTBOUND };

struct pcapng_packet {
	uint32_t interface;        // from 0, in the order of calls of pcapng_interface()
	uint64_t time_ns;          // since 1970
	uint32_t length, captured; // bytes: on the wire, and here
	const uint8_t *bytes;
	enum pcapng_direction direction;
	const char *comment; // "": none
};

// Errors are left in the stream: check ferror(out). Call pcapng_begin() first, then
// pcapng_interface() once for each interface.
void pcapng_begin(FILE *out, const char *application);
void pcapng_interface(FILE *out, const char *name, const char *description, uint32_t snap);
void pcapng_write(FILE *out, const struct pcapng_packet *p);
// Call at the end. matched: packets of the interface that the filter chose; lost: the part of these
// that was not captured.
void pcapng_statistics(FILE *out, uint32_t interface, uint64_t time_ns, uint64_t matched,
		       uint64_t lost);
