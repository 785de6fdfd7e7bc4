// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What schemes rotate and walk keep besides queues: a worker's part of <drb/shift.h> and
// <drb/walk.h>. A packet that walks is marked in the second octet of its source MAC by the layer-1
// switch that sends it up; the one that sends it down to a host takes the mark away. Sources of
// hosts are checked, so no host can send a mark.

#include <rte_mbuf.h>

#include "core/fabric/addresses.h"
#include "core/routing/rotate.h"
#include "core/routing/rounds.h"

#include "common/config/config.h"
#include "switch/datapath/classify.h"

struct drb_turns {
	// Constant while running.
	enum drb_scheme scheme;
	bool timed; // decisions need the time
	uint32_t layer;
	uint8_t plain;    // the octet without a mark
	uint32_t tick;    // times of streaks are ns >> tick
	uint64_t slot_ns; // of rotate's clock
	struct drb_tree tree;
	// Hot.
	struct drb_walk walk; // layer 1
	drb_round *round;     // by group. Owned, as is the memory of walk
};

// 0 or -ENOMEM; with another scheme than those two, nothing is kept.
int drb_turns_make(struct drb_turns *t, const struct drb_setup *setup);
void drb_turns_free(struct drb_turns *t);

// rotate: by how much defaults are shifted at this time.
static inline uint32_t drb_turns_shift(const struct drb_turns *t, uint64_t now_ns)
{
	uint32_t e = (uint32_t)(now_ns / t->slot_ns % drb_shift_count(&t->tree));

	return drb_shift_digit(&t->tree, e, t->layer);
}

// Takes away the marks of packets that came from above, at layer 1. What goes to a group address is
// no packet from host to host, but a hello.
static inline void drb_turns_unmark(const struct drb_turns *t, struct rte_mbuf **packets,
				    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *frame = rte_pktmbuf_mtod(packets[i], uint8_t *);
		if (packets[i]->data_len >= DRB_FRAME_MIN && !(frame[0] & 1))
			frame[DRB_MARK_AT] = t->plain;
	}
}
