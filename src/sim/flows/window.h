// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sources that heed congestion. A transfer has so many packets under way as its window allows; acknowledgements
// come back after 2k times `ack_hop` slots, rounded, and what links add, and take no room on the links; or as small
// frames (small.h), which do.
//
//   window  as DCTCP (Alizadeh et al., SIGCOMM 2010): queues mark packets (ECN); from the share F of marks in a
//           round, alpha = (1 - g) alpha + g F, g = 1/16, and a round with marks takes alpha / 2 off the window.
//           Begins with 10 packets and alpha = 1; grows by one for each acknowledgement until the first mark
//           or loss, then by one a round. A packet is taken for lost when three that were sent after it are
//           acknowledged, and the window halves, once a round: reordering is taken for loss.
//   spray   the same, but packets that overtake tell it nothing: only a timeout tells a loss.
// Queues may trim what they have no room for: the header comes by a way that never waits, the receiver says so, and the
// packet is sent again at once, with one packet less in the window (NDP, Handley et al., SIGCOMM 2017).
// With hosts that send packets different ways, or `timer_each`, losses are told apart (entropy.h).
// Timeout otherwise: nothing acknowledged for `timeout` slots; all under way is taken for lost, the window is 1.

#include "sim/flows/entropy.h"
#include "sim/flows/transfer.h"

enum drb_outcome { DRB_UNDER_WAY, DRB_LOST, DRB_ACKNOWLEDGED };

#define DRB_LINE 64         // octets of the cache
#define DRB_WINDOW_MOST 512 // packets from the first that is not acknowledged on
#define DRB_WINDOW_SLOTS ((UINT32_C(1) << 27) - 1)

// A packet from the first one on that is not acknowledged.
struct drb_window_packet {
	uint32_t number;        // of its last transmission
	uint32_t slot : 27;     // in which that was sent, of the last ones that are told apart
	uint32_t outcome : 2;   // as the source knows it
	uint32_t overtaken : 2; // by acknowledged ones
	uint32_t came : 1;      // to the receiver
};

struct __attribute__((aligned(DRB_LINE))) drb_window {
	// A line of the cache: what each packet and each acknowledgement touches.
	double size, slow_start_below;
	uint32_t first, next; // sequence: not acknowledged, never sent
	uint32_t under_way, lost;
	uint32_t resent; // sequence; from here on each packet was sent once
	uint32_t number; // transmissions so far
	uint32_t mask;   // of packet[]
	// Slot in which it heard last, or began to wait; where each packet has a timeout, nothing that is under way was
	// sent before.
	uint32_t since;
	uint32_t answer; // slots that an acknowledgement takes
	// A round: until a packet is acknowledged that was sent after it began.
	uint32_t round_begin; // number
	uint32_t round_acks;
	uint32_t round_marks : 31, round_cut : 1;
	double alpha;
	uint32_t bdp; // packets of a round trip
	struct drb_reps reps;
	struct drb_window_packet packet[]; // by sequence, a ring
};

struct drb_acks; // that are on their way back

static inline struct drb_window_packet *drb_window_packet(struct drb_window *w, uint32_t sequence)
{
	return &w->packet[sequence & w->mask];
}

// So many are fetched together from wherever they are, before each has its turn.
#define DRB_TOGETHER 32

// NULL: of none.
static inline __attribute__((always_inline)) void drb_window_prefetch(const struct drb_window *w)
{
	if (!w)
		return;
	__builtin_prefetch(w, 1);
	__builtin_prefetch(&w->alpha, 1);
}

// What the windows of n packets need when these, or their acknowledgements, arrive.
static inline __attribute__((always_inline)) void drb_windows_prefetch(
	const struct drb_transfers *t, const struct drb_flying packet[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&t->transfer[packet[i].transfer], 1);
	for (uint32_t i = 0; i < n; i++)
		drb_window_prefetch(t->transfer[packet[i].transfer].window);
	for (uint32_t i = 0; i < n; i++) {
		struct drb_window *w = t->transfer[packet[i].transfer].window;
		if (w)
			__builtin_prefetch(drb_window_packet(w, packet[i].sequence), 1);
	}
}

int drb_windows_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_windows_free(struct drb_transfers *t);

// A new transfer. 0 or -ENOMEM.
int drb_window_open(struct drb_transfers *t, uint32_t transfer);
// It is over.
void drb_window_close(struct drb_transfers *t, uint32_t transfer);

// Nothing was heard for too long.
void drb_window_time_out(struct drb_transfers *t, struct drb_window *w);
// Whether it has a packet that its window lets go.
static inline bool drb_window_has_packet(const struct drb_transfer *f)
{
	const struct drb_window *w = f->window;

	return w->under_way < (uint32_t)w->size &&
	       (w->lost || (w->next < f->size && w->next - w->first < DRB_WINDOW_MOST));
}

// The same now; notes timeouts.
static inline bool drb_window_may_send(struct drb_transfers *t, const struct drb_transfer *f)
{
	struct drb_window *w = f->window;

	if (w->under_way && t->sim->slot - w->since > t->setup.timeout)
		drb_window_time_out(t, w);
	return drb_window_has_packet(f);
}

// That packet: sequence and number.
struct drb_flying drb_window_send(struct drb_transfers *t, uint32_t transfer);

// A packet arrived. True: for the first time, of a transfer that is not over.
bool drb_window_receive(struct drb_transfers *t, const struct drb_flying *packet);
// An acknowledgement arrives in this slot.
void drb_window_hear(struct drb_transfers *t, const struct drb_flying *ack, uint64_t slot);
// The acknowledgements that arrive in this slot.
void drb_windows_hear(struct drb_transfers *t);
