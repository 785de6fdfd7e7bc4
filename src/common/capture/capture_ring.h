// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The interface between a switch and a reader of its packets. It consists of the messages that
// begin a capture, and one ring per worker, in memory that the switch passes to the reader. A
// worker only writes and never waits: it counts packets that find the ring full. The switch does
// not trust the reader. Whatever the reader writes into `head`, the switch stays within its ring.

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DRB_CAPTURE_VERSION 3
#define DRB_CAPTURE_SOCKET                                                                         \
	"capture" // beside the stats socket; exists while the switch waits for a reader
#define DRB_CAPTURE_PORTS 64
#define DRB_CAPTURE_SLOTS 4096 // slots of each ring; a power of two
#define DRB_CAPTURE_BYTES 1536 // bytes of a packet that fit into a slot
#define DRB_CAPTURE_INSNS 2048 // the most instructions of a filter

// The event at the port that captured a packet.
enum drb_capture_kind {
	DRB_CAPTURE_IN,       // it arrived
	DRB_CAPTURE_OUT,      // it was sent
	DRB_CAPTURE_DROP_IN,  // it arrived and was dropped before it reached an egress queue
	DRB_CAPTURE_DROP_OUT, // it was dropped at this output port
};

static inline bool drb_capture_is_drop(uint8_t kind)
{
	return kind == DRB_CAPTURE_DROP_IN || kind == DRB_CAPTURE_DROP_OUT;
}

// The decision by which a packet was sent, see core/counters.h.
enum drb_capture_way {
	DRB_CAPTURE_NO_WAY, // it arrived, or no host sent it
	DRB_CAPTURE_DEFAULT,
	DRB_CAPTURE_REDIRECTED,
	DRB_CAPTURE_DOWN,
	DRB_CAPTURE_DETOUR,
};

struct drb_capture_slot {
	uint64_t time_ns; // CLOCK_MONOTONIC
	// Packets in the port's egress queue at that time; includes a packet that is sent.
	uint32_t queue;
	uint16_t length, captured; // bytes of the packet, and bytes of it here
	uint8_t port, kind, way;
	uint8_t reason; // enum drb_drop
	uint8_t bytes[DRB_CAPTURE_BYTES];
};

struct drb_capture_ring {
	_Alignas(64) atomic_uint_least64_t tail; // written by the worker; slots written so far
	// Written by the worker; packets to capture.
	atomic_uint_least64_t matched[DRB_CAPTURE_PORTS];
	// Written by the worker; the part of `matched` that found no free slot.
	atomic_uint_least64_t lost[DRB_CAPTURE_PORTS];
	_Alignas(64) atomic_uint_least64_t head; // written by the reader; slots read so far
	// Written by the worker; slots from head to tail are the reader's.
	struct drb_capture_slot slot[DRB_CAPTURE_SLOTS];
};

// An instruction of a filter: classic BPF, as libpcap compiles it and Linux runs it.
struct drb_capture_insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

// From reader to switch, followed by `insns` instructions.
struct drb_capture_request {
	uint32_t version;
	uint32_t snap;  // the largest number of bytes of a packet
	uint64_t ports; // ports to capture, as bits
	uint32_t insns; // 0: capture every packet
};

// Both ends access the memory of the rings without checking its size. These seals of fcntl() keep
// its size constant.
#define DRB_CAPTURE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

// From switch to reader, with a sealed descriptor of the memory of `rings` rings.
struct drb_capture_reply {
	uint32_t version;
	uint32_t rings;
};
