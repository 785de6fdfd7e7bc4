// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a switch and a reader of its packets share: the messages with which a capture begins, and one ring per
// worker, in memory that the switch passes to the reader. A worker only writes and never waits: it counts
// packets that find the ring full. The reader is not trusted: whatever it writes into `head`, the switch
// stays within its ring.

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DRB_CAPTURE_VERSION 2
#define DRB_CAPTURE_SOCKET                                                                         \
	"capture" // beside the stats socket; there while the switch waits for a reader
#define DRB_CAPTURE_PORTS 64
#define DRB_CAPTURE_SLOTS 4096 // of each ring; a power of two
#define DRB_CAPTURE_BYTES 1536 // of a packet that a slot holds
#define DRB_CAPTURE_INSNS 2048 // most instructions of a filter

// What became of a packet at the port.
enum drb_capture_kind {
	DRB_CAPTURE_IN,       // it came in
	DRB_CAPTURE_OUT,      // it left
	DRB_CAPTURE_DROP_IN,  // it came in and was dropped before it reached an egress queue
	DRB_CAPTURE_DROP_OUT, // it was dropped where it would have left
};

static inline bool drb_capture_is_drop(uint8_t kind)
{
	return kind == DRB_CAPTURE_DROP_IN || kind == DRB_CAPTURE_DROP_OUT;
}

// How a packet that leaves was sent, see core/counters.h.
enum drb_capture_way {
	DRB_CAPTURE_NO_WAY, // it came in, or is no packet of a host
	DRB_CAPTURE_DEFAULT,
	DRB_CAPTURE_REDIRECTED,
	DRB_CAPTURE_DOWN,
	DRB_CAPTURE_DETOUR,
};

struct drb_capture_slot {
	uint64_t time_ns; // CLOCK_MONOTONIC
	uint32_t
		queue; // packets in the egress queue of the port then; of a packet that leaves with itself
	uint16_t length, captured; // bytes of the packet, and of them here
	uint8_t port, kind, way;
	uint8_t reason; // enum drb_drop
	uint8_t bytes[DRB_CAPTURE_BYTES];
};

struct drb_capture_ring {
	_Alignas(64) atomic_uint_least64_t tail;          // the worker; slots written so far
	atomic_uint_least64_t matched[DRB_CAPTURE_PORTS]; // the worker; that were to be captured
	atomic_uint_least64_t lost[DRB_CAPTURE_PORTS];    // the worker; that found no slot
	_Alignas(64) atomic_uint_least64_t head;          // the reader; slots read so far
	struct drb_capture_slot
		slot[DRB_CAPTURE_SLOTS]; // the worker, between head and tail the reader
};

// An instruction of a filter: classic BPF, as libpcap compiles it and Linux knows it.
struct drb_capture_insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

// From reader to switch, followed by `insns` instructions.
struct drb_capture_request {
	uint32_t version;
	uint32_t snap;  // most bytes of a packet
	uint64_t ports; // a bit each
	uint32_t insns; // 0: every packet
};

// Both ends touch the memory of the rings without a look at its size: fcntl()'s seals that keep it.
#define DRB_CAPTURE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

// From switch to reader, with the descriptor of `rings` rings, which is sealed.
struct drb_capture_reply {
	uint32_t version;
	uint32_t rings;
};
