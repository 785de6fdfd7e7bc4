// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A transfer and all of a run: what transfers.c and the sources that have a window (window.c) work on.

#include <stdbool.h>
#include <stdint.h>

#include "sim/flows/flying.h"
#include "sim/flows/gray.h"
#include "sim/models/packet_sim.h"

enum drb_sim_source { DRB_SIM_OPEN, DRB_SIM_WINDOW, DRB_SIM_SPRAY };
// What packets of a transfer differ in (entropy.h); or transfers are split (ethereal.h).
enum drb_sim_hosts { DRB_HOSTS_FLOW, DRB_HOSTS_SPRAY, DRB_HOSTS_REPS, DRB_HOSTS_ETHEREAL };
enum drb_sim_unit { DRB_SIM_PACKET, DRB_SIM_FLOW, DRB_SIM_FLOWLET };

struct drb_transfers_setup {
	struct drb_tree tree;
	enum drb_scheme scheme; // with a unit other than packet: none with DRB_PACKETS_ONLY
	uint32_t choices;
	double threshold;
	enum drb_sim_unit unit;
	uint32_t gap;   // slots, of flowlets
	uint32_t queue; // packets that a queue holds, 1 or more
	bool trim;      // of further ones the header goes on; of windows
	enum drb_sim_source source;
	enum drb_sim_hosts
		hosts;    // other than flow: with unit packet; reps: with windows; ethereal: jobs
	uint32_t mark;    // what joins a queue of so many packets is marked; of windows
	uint32_t timeout; // slots, below 2^27; of windows, of handshakes
	bool timer_each;  // a packet has a timeout of its own; with hosts that spread it has anyway
	double ack_hop; // slots that an acknowledgement takes for a link; of windows, of handshakes
	double ack_room; // of a slot, that it takes of the link (small.h); 0: none, it waits for nothing
	bool handshake;       // a transfer begins with one (small.h)
	struct drb_fail fail; // with unit packet, acknowledgements without room, no handshake
	struct drb_slow slow;
	struct drb_delay delay;
	struct drb_gray gray;
	uint64_t seed, memory;
};

struct drb_transfer {
	uint32_t source, dest, size;
	uint32_t way;                    // of hosts that choose it (ethereal.h)
	uint32_t sent, arrived, dropped; // each packet once; dropped: of open ones
	uint32_t start;                  // slot in which it begins
	uint32_t connected;    // slot from which on it may send: start, or after its handshake
	uint32_t finish;       // slot in which its last packet arrived; 0: not yet, or it is broken
	uint32_t next, before; // of those that its host sends, in turn
	struct drb_window *window; // NULL: it is open, or over
};

#define DRB_NO_TRANSFER UINT32_MAX

struct drb_transfers {
	struct drb_transfers_setup setup;
	struct drb_packet_sim *sim;
	struct drb_packet_source source;
	struct drb_transfer *transfer;
	uint32_t count, room;
	uint32_t *
		last; // [host]: that it sent of; the next one is its turn. DRB_NO_TRANSFER without any
	// Where a transfer went up last: [transfer * (layers - 1) + layer - 1]; of units other than packet.
	struct drb_way {
		uint32_t at; // switch
		uint32_t uplink;
		uint64_t slot; // of the last packet + 1; 0: none yet
	} * way;
	uint32_t *flows[DRB_LAYERS_MAX + 1]; // [layer][switch * uplinks + uplink]: of unit flow
	struct drb_rng entropy_rng;
	struct drb_gray_links gray;
	struct drb_flyings flying; // a packet carries its number in there
	struct drb_acks *acks;
	struct drb_smalls *smalls; // NULL: there are none
	// Those under way are the others. Of no packets.
	struct {
		uint64_t sent, lost, answered;
	} syns;
	uint64_t arrived, dropped, resent, marked; // packets; marked: of those that arrived
	uint32_t over;                             // transfers that are finished or broken
	bool failed;                               // memory ran out
	// Called when a transfer is over, and when its last packet has left its host; may add transfers.
	void (*on_over)(void *context, uint32_t transfer);
	void (*on_sent)(void *context, uint32_t transfer);
	void *context;
};

// Packets of a transfer take different ways.
static inline bool drb_hosts_spread(enum drb_sim_hosts hosts)
{
	return hosts == DRB_HOSTS_SPRAY || hosts == DRB_HOSTS_REPS;
}

// The slot to come.
static inline uint64_t drb_transfers_slot(const struct drb_transfers *t)
{
	return t->sim->slot;
}
