// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A transfer, and all transfers of a run: the data of transfers.c and of sources with a window
// (window.c).

#include <stdbool.h>
#include <stdint.h>

#include "sim/flows/flying.h"
#include "sim/flows/uec.h"
#include "sim/models/packet_sim.h"

enum drb_sim_source { DRB_SIM_OPEN, DRB_SIM_WINDOW, DRB_SIM_SPRAY, DRB_SIM_UEC };
// The rule by which hosts choose entropies (entropy.h). With DRB_HOSTS_ETHEREAL they split
// transfers (ethereal.h).
enum drb_sim_hosts { DRB_HOSTS_FLOW, DRB_HOSTS_SPRAY, DRB_HOSTS_REPS, DRB_HOSTS_ETHEREAL };
enum drb_sim_unit { DRB_SIM_PACKET, DRB_SIM_FLOW, DRB_SIM_FLOWLET };

struct drb_transfers_setup {
	struct drb_tree tree;
	enum drb_scheme scheme; // with a unit other than packet: must not have DRB_PACKETS_ONLY
	uint32_t choices;
	double threshold;
	enum drb_sim_unit unit;
	uint32_t gap; // slots, of flowlets
	// Packets that a queue holds; 0: no limit, or the bandwidth-delay product with uec.
	uint32_t queue;
	bool trim; // full queues pass the header on; only for windows
	enum drb_sim_source source;
	// Other than flow: needs unit packet; reps: needs windows; ethereal: needs `ways`.
	enum drb_sim_hosts hosts;
	const struct drb_ways *ways; // paths that hosts chose (ethereal.h); owned by the caller
	// With a window source other than uec, queues mark packets that join when they hold `mark`
	// packets or more. With uec, a departing packet is marked with a probability that rises
	// from 0 to 1 while the queue behind it rises from `mark` to `mark_most`. 0: the default of
	// the source.
	uint32_t mark, mark_most;
	// Slots, below 2^27, of windows and handshakes; 0: the default of the source.
	uint32_t timeout;
	struct drb_uec_units units; // uec alone
	// Entropies of a transfer whose hosts spread packets; a power of two; 0: the default.
	uint32_t entropies;
	// Each packet has its own timeout. With hosts that spread packets, this is so in any case.
	bool timer_each;
	// Slots of an acknowledgement or handshake for a link; NAN: the default of the source.
	double ack_hop;
	// Share of a slot of link time that it takes on each link (small.h); 0: none, it never
	// waits.
	double ack_room;
	bool handshake;       // a transfer begins with one (small.h)
	struct drb_fail fail; // needs unit packet, ack_room 0, no handshake
	struct drb_slow slow;
	struct drb_delay delay;
	// Above one slot only without `slow`, faults that slow links, ack_room and handshake.
	struct drb_paces pace;
	struct drb_fault_list faults; // with cuts: needs the same as `fail`
	struct drb_link_table *links; // gets the figures of links over the whole run; or NULL
	uint64_t seed, memory;
};

// Figures of all links, those to hosts included. Owned by the caller; free(link).
struct drb_link_table {
	struct drb_link_figures *link;
	uint64_t count;
	uint32_t slots; // of the run
};

struct drb_transfer {
	uint32_t source, dest, size;
	uint32_t place;                  // index in the list that setup.ways belongs to
	uint32_t sent, arrived, dropped; // packets, each counted once; dropped: of open sources
	uint32_t start;                  // slot in which it begins
	uint32_t connected;    // slot from which it may send: `start`, or after its handshake
	uint32_t finish;       // slot in which its last packet arrived; 0: not yet, or it is broken
	uint32_t next, before; // in the ring of transfers that its host sends in turn
	struct drb_window *window; // NULL: its source is open, or it is over
};

#define DRB_NO_TRANSFER UINT32_MAX

struct drb_transfers {
	struct drb_transfers_setup setup;
	struct drb_packet_sim *sim;
	struct drb_packet_source source;
	struct drb_transfer *transfer;
	uint32_t count, room;
	// [host]: the transfer that sent last; the next one in its ring follows. DRB_NO_TRANSFER:
	// none.
	uint32_t *last;
	// The last uplink of a transfer: [transfer * (layers - 1) + layer - 1]; for units other
	// than packet.
	struct drb_way {
		uint32_t at; // switch
		uint32_t uplink;
		uint64_t slot; // slot of the last packet + 1; 0: none yet
	} * way;
	// [layer][switch * uplinks + uplink]: flows on it; for unit flow.
	uint32_t *flows[DRB_LAYERS_MAX + 1];
	struct drb_rng entropy_rng, mark_rng;
	struct drb_uec uec;            // constants of uec, in slots and packets
	struct drb_nic *nics;          // [host]; NULL: hosts send as fast as their links
	struct drb_crossing *crossing; // [host]; NULL: packets leave their hosts in a slot
	uint32_t freeze;               // slots, of REPS
	double busy;                   // share of the hosts that sent a packet in the last slot
	struct drb_flyings flying;     // a packet carries its index there
	struct drb_acks *acks;
	struct drb_smalls *smalls; // NULL: there are no small frames
	// Numbers of SYNs; SYNs that are neither lost nor answered are in flight. SYNs do not count
	// as packets.
	struct {
		uint64_t sent, lost, answered;
	} syns;
	uint64_t arrived, dropped, resent, marked; // packets; marked: of those that arrived
	uint32_t over;                             // transfers that are finished or broken
	bool failed;                               // a packet could not be sent, or be answered
	bool crowded;                              // a packet's number did not fit
	// Called when a transfer is over, when its last packet has arrived, and when its last
	// packet has left its host. These functions may add transfers. With uec, a transfer is over
	// when its source knows that all packets have arrived.
	void (*on_over)(void *context, uint32_t transfer);
	void (*on_arrived)(void *context, uint32_t transfer);
	void (*on_sent)(void *context, uint32_t transfer);
	void *context;
};

// True if packets of a transfer take different paths.
static inline bool drb_hosts_spread(enum drb_sim_hosts hosts)
{
	return hosts == DRB_HOSTS_SPRAY || hosts == DRB_HOSTS_REPS;
}

// Slots that an acknowledgement or a header takes for a link on which a packet takes one slot. With
// uec it overtakes all data, but waits for the packet that is being sent: half a slot on a busy
// link.
static inline double drb_transfers_ack_hop(const struct drb_transfers *t)
{
	return t->setup.ack_hop + (t->setup.source == DRB_SIM_UEC ? t->busy / 2 : 0);
}

// The next slot.
static inline uint64_t drb_transfers_slot(const struct drb_transfers *t)
{
	return t->sim->slot;
}
