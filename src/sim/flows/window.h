// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sources that react to congestion. A transfer has at most a window of packets in flight.
// Acknowledgements return after 2k times `ack_hop` slots, rounded, and the delays of links, and use
// no link time; or they are small frames (small.h), which do.
//
//   window  As DCTCP (Alizadeh et al., SIGCOMM 2010): queues mark packets (ECN). The share F of
//           marks in a round gives alpha = (1 - g) alpha + g F, g = 1/16. A round with marks takes
//           alpha / 2 off the window. It begins with 10 packets and alpha = 1. It grows by one for
//           each acknowledgement until the first mark or loss, then by one per round. A packet
//           counts as lost when three that were sent after it are acknowledged, and the window
//           halves, once per round. Reordering therefore counts as loss.
//   spray   The same, but reordering is no sign of loss: only a timeout is.
//   uec     The transport of Ultra Ethernet (uec.h, uec_window.c).
// Full queues may trim packets: the header takes a path that never waits, and the receiver reports
// it. The packet is sent again at once, with one packet less in the window (NDP, Handley et al.,
// SIGCOMM 2017). With hosts that spread packets, or `timer_each`, each packet has its own timeout
// (entropy.h). Otherwise a timeout is `timeout` slots without an acknowledgement: all packets in
// flight count as lost, and the window becomes 1.

#include "sim/flows/entropy.h"
#include "sim/flows/transfer.h"

enum drb_outcome { DRB_UNDER_WAY, DRB_LOST, DRB_ACKNOWLEDGED };

#define DRB_LINE 64         // bytes of a cache line
#define DRB_WINDOW_MOST 512 // most packets from the first unacknowledged one on
#define DRB_UEC_SPAN 8192   // the same with uec, which goes on while a packet is lost
#define DRB_WINDOW_SLOTS ((UINT32_C(1) << 27) - 1)

// A packet, from the first unacknowledged one on.
struct drb_window_packet {
	// Number of its last transmission; uec: sequence of the packet that came in this position
	// (uec_window.c).
	uint32_t number;
	uint32_t slot : 27;   // slot of that transmission, modulo 2^27
	uint32_t outcome : 2; // enum drb_outcome, as the source knows it
	// Number of acknowledged packets that overtook it. uec: number of times it was sent again;
	// 3: three or more.
	uint32_t overtaken : 2;
	uint32_t came : 1; // to the receiver
};

// The state of both ends for uec alone.
struct drb_uec_window {
	struct drb_nscc nscc;
	uint32_t came, heard;  // packets that came; those that the source knows of
	uint32_t expected;     // first sequence that has not come
	uint32_t since_answer; // packets that came since the last acknowledgement
	bool told;             // the source received an answer
	bool asked;            // an acknowledgement is due when there is no gap
	uint16_t turn, flip;   // state of drb_entropy_next() (entropy.c)
};

struct __attribute__((aligned(DRB_LINE))) drb_window {
	// One cache line: all that each packet and each acknowledgement touches.
	double size, slow_start_below;
	uint32_t first, next; // sequences: first unacknowledged, first never sent
	uint32_t under_way, lost;
	uint32_t resent; // sequence from which each packet was sent once
	uint32_t number; // transmissions so far
	uint32_t mask;   // entries of packet[] - 1
	uint32_t span;   // most packets from the first unacknowledged one on
	// Slot of the last acknowledgement, or in which the source began to wait. If each packet
	// has a timeout: a slot before which no packet in flight was sent.
	uint32_t since;
	uint32_t answer; // slots that an acknowledgement takes
	// A round ends when a packet that was sent after its beginning is acknowledged.
	uint32_t round_begin; // number of the round's first transmission
	uint32_t round_acks;
	uint32_t round_marks : 31, round_cut : 1;
	double alpha;
	uint32_t bdp; // packets in a round trip
	struct drb_reps reps;
	struct drb_uec_window uec;
	struct drb_window_packet packet[]; // a ring, by sequence
};

struct drb_acks; // acknowledgements in flight

static inline struct drb_window_packet *drb_window_packet(struct drb_window *w, uint32_t sequence)
{
	return &w->packet[sequence & w->mask];
}

// The number of packets or hosts that are prefetched together before each is processed.
#define DRB_TOGETHER 32

// w may be NULL.
static inline __attribute__((always_inline)) void drb_window_prefetch(const struct drb_window *w)
{
	if (!w)
		return;
	__builtin_prefetch(w, 1);
	__builtin_prefetch(&w->alpha, 1);
}

// Prefetches the entry of the next packet; w may be NULL.
static inline __attribute__((always_inline)) void drb_window_prefetch_next(struct drb_window *w)
{
	if (w)
		__builtin_prefetch(drb_window_packet(w, w->next), 1);
}

// Prefetches the windows of n packets that arrive, or whose acknowledgements do.
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

// Opens the window of a new transfer. 0 or -ENOMEM.
int drb_window_open(struct drb_transfers *t, uint32_t transfer);
// The transfer is over.
void drb_window_close(struct drb_transfers *t, uint32_t transfer);

// A timeout: no acknowledgement came for too long.
void drb_window_time_out(struct drb_transfers *t, struct drb_window *w);
// True if the transfer has a packet that its window allows to send.
static inline bool drb_window_has_packet(const struct drb_transfer *f)
{
	const struct drb_window *w = f->window;

	return w->under_way < (uint32_t)w->size &&
	       (w->lost || (w->next < f->size && w->next - w->first < w->span));
}

// The same, after the timeouts of this slot.
static inline bool drb_window_may_send(struct drb_transfers *t, const struct drb_transfer *f)
{
	struct drb_window *w = f->window;

	if (w->under_way && t->sim->slot - w->since > t->setup.timeout)
		drb_window_time_out(t, w);
	return drb_window_has_packet(f);
}

// Sends the next packet that the window allows. Returns its sequence and number.
struct drb_flying drb_window_send(struct drb_transfers *t, uint32_t transfer);

// A packet arrived. True: for the first time, and its transfer is not over.
bool drb_window_receive(struct drb_transfers *t, const struct drb_flying *packet);
// Makes space for one more packet. 0 or -ENOMEM.
int drb_window_grow(struct drb_transfers *t, uint32_t transfer);
void drb_window_lose(struct drb_window *w, struct drb_window_packet *p);
// An acknowledgement will arrive in this slot.
void drb_window_hear(struct drb_transfers *t, const struct drb_flying *ack, uint64_t slot);
// Processes the acknowledgements that arrive in this slot.
void drb_windows_hear(struct drb_transfers *t);
