// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The transport of Ultra Ethernet as in its reference model (ultraethernet/uet-htsim 40ccb05). This
// is the only file where its bytes and nanoseconds become packets and slots. Numbers of packets
// mean full packets with headers.
//
// Congestion control is NSCC, network-signalled. Delay means round-trip time beyond that of an idle
// network. R is the round-trip time of the two most distant hosts, and B = R * rate of an
// interface. a is B divided by that of 100 Gbit/s and 12 us. The functions named are those of
// uec.cpp.
//
//   first and largest window   1.5 B                                     initNscc()
//   target delay T             0.75 R with trimming                      initNsccParams()
//   no mark, delay >= T        5 a payloads more in a window             fair_increase()
//   no mark, delay < T         4 a T / 12 us * (1 - delay / T) payloads  proportional_increase()
//     after a window below 1 us  a / 4 of what is acknowledged instead   fast_increase()
//   mark, delay >= T           at most once in R, less by the share
//                              0.8 (mean - T) / mean, at most half;
//                              mean: exponential, gain 1/80              multiplicative_decrease()
//   mark, delay < T            no change
//   each R                     0.15 a payloads more                      fulfill_adjustment()
//   trimmed packet             one packet less                           updateCwndOnNack_NSCC()
//     and if less than an eighth of the largest window arrived in R + T:
//                              the window becomes what arrived           quick_adapt()
//
//   queue                      B, in whole packets                       main_uec.cpp
//   marks                      at departure, from 0.2 to 0.8 B           compositequeue.cpp
//   timeout of each packet     15 us + 6 drains of a queue               main_uec.cpp, _min_rto
//   acknowledgements           of 64 bytes, after 16384 bytes; at once for a mark, the first
//                              packet, and the last one of the window or transfer  processData()
//   entropies                  64 per connection                         main_uec.cpp
//   REPS                       8 in its cache; frozen by a timeout for 10 ms, then emptied, and
//                              16 packets explore                       buffer_reps.cpp, uec_mp.cpp

#include <stdbool.h>
#include <stdint.h>

struct drb_tree;
struct drb_delay;

struct drb_uec_units {
	double payload; // bytes of a packet without its header; 0: 4096
	double slot_ns; // 0: the time of these bytes at 400 Gbit/s
	double nic;     // Gbit/s of a host's interface; 0: the rate of its link
};

// Constants in slots and packets.
struct drb_uec {
	double nic;        // packets that an interface sends in a slot
	double ack_hop;    // slots that an acknowledgement takes for an idle link
	double round_trip; // R
	double bdp;        // B
	double target;     // T
	double slot_ns;
	double fair, proportional, fast, steady; // parameters of the increases
	double fast_below;                       // slots of delay
	uint32_t ack_every;                      // packets
	uint32_t queue, mark, mark_most;         // packets
	uint32_t timeout, freeze;                // slots
};

// Congestion control of one connection.
struct drb_nscc {
	double window, most;  // packets
	double base;          // shortest round trip so far, slots
	double mean;          // mean delay, slots
	double gathered;      // increase that the window does not include yet
	double adjusted, cut; // slots in which the window was last adjusted and shrunk
	double adapts;        // slot from which it may adapt quickly; 0: unknown
	double fast_bytes;    // packets acknowledged in a row with hardly a delay
	uint32_t achieved;    // packets that arrived since `adapts` was set
	uint32_t received;    // packets acknowledged since `adjusted`
	uint32_t ignore, ignored;
	bool fast, trimmed;
};

#define DRB_UEC_ENTROPIES 64

// Replaces 0 by the defaults.
struct drb_uec_units drb_uec_units(const struct drb_uec_units *units);

// The time on a link of a packet with `payload` bytes of data and its headers, in ns.
double drb_uec_slot_ns(double payload, double gbit);

struct drb_uec drb_uec_constants(const struct drb_uec_units *units, const struct drb_tree *tree,
				 const struct drb_delay *delay);

struct drb_nscc drb_nscc_new(const struct drb_uec *c);

// Acknowledgements that came in slot `now`.
struct drb_nscc_ack {
	double now;
	double round_trip; // slots, of the packet that caused it; negative: unknown
	uint32_t newly;    // packets that it acknowledges for the first time
	uint32_t under_way;
	bool marked;
};

void drb_nscc_acknowledged(struct drb_nscc *n, const struct drb_uec *c,
			   const struct drb_nscc_ack *ack);
// A packet came trimmed; round_trip as above.
void drb_nscc_trimmed(struct drb_nscc *n, const struct drb_uec *c, const struct drb_nscc_ack *ack);
// A packet timed out.
void drb_nscc_timed_out(struct drb_nscc *n);
