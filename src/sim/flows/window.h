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

#include "sim/flows/transfer.h"

struct drb_acks; // that are on their way back

int drb_windows_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_windows_free(struct drb_transfers *t);

// What the rule reps keeps of a transfer.
struct drb_reps *drb_window_reps(struct drb_transfers *t, uint32_t transfer);
// A new transfer. 0 or -ENOMEM.
int drb_window_open(struct drb_transfers *t, uint32_t transfer);
// It is over.
void drb_window_close(struct drb_transfers *t, uint32_t transfer);

// How many transfers of a host have a packet that may go now: each sends one before it is another one's turn.
uint32_t drb_windows_ready(const struct drb_transfers *t, uint32_t host);
// Whether it has a packet to send now that its window lets go; notes timeouts.
bool drb_window_may_send(struct drb_transfers *t, uint32_t transfer);
// That packet: sequence and number.
struct drb_flying drb_window_send(struct drb_transfers *t, uint32_t transfer);

// A packet arrived. True: for the first time, of a transfer that is not over.
bool drb_window_receive(struct drb_transfers *t, const struct drb_flying *packet);
// Its acknowledgement is sent for this slot, and takes no room.
void drb_window_answer(struct drb_transfers *t, const struct drb_flying *packet, uint64_t slot);
// An acknowledgement arrives in this slot.
void drb_window_hear(struct drb_transfers *t, const struct drb_flying *ack, uint64_t slot);
// The acknowledgements that arrive in this slot.
void drb_windows_hear(struct drb_transfers *t);
