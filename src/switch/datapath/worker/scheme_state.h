// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a scheme besides queues, for one worker: the switch's part of struct drb_decider
// (include/drb/scheme.h). The mark of a scheme is XORed into the second byte of a packet's source
// MAC. Switches write it when they send the packet up, and read it when they receive the packet
// from above. The layer-1 switch that sends the packet down to a host removes it. Sources of hosts
// are checked, so no host can send a mark.

#include <rte_mbuf_core.h>

#include "core/fabric/addresses.h"
#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "common/config/config.h"
#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/classify.h"

struct drb_scheme_state {
	// Constant while running.
	const struct drb_scheme_ops *ops;
	void (*read_marks)(struct drb_scheme_state *s, const struct drb_burst *b); // of ops
	bool timed;      // decisions need the time
	bool marks_down; // packets that turn down here are marked, too
	uint32_t layer, down_ports;
	uint32_t first, span; // the hosts below
	uint8_t mac_octet;    // the byte of a MAC without a mark
	bool octets;          // sizes are in bytes, including `overhead`; false: in packets
	uint32_t overhead;    // bytes a frame takes beyond its own
	uint32_t tick_shift;  // times are ns >> tick_shift
	// Written by the worker with each burst.
	uint32_t sent_up; // packets since the last tick
	void *state;      // owned; NULL: the scheme keeps nothing
};

// 0 or -ENOMEM; for a scheme that keeps nothing, nothing is allocated.
int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *setup);
// True if a state made for one setup serves the other: scheme, parameters, layer and rates of
// uplinks are equal.
bool drb_scheme_state_stays(const struct drb_setup *from, const struct drb_setup *to);
void drb_scheme_state_free(struct drb_scheme_state *state);

// Returns the decider for a choice, which is the setup's or a copy.
static inline __attribute__((always_inline)) struct drb_decider drb_scheme_state_decider(
	const struct drb_scheme_state *s, const struct drb_choice *choice)
{
	struct drb_decider d = {.choice = *choice, .state = s->state};

	if (choice->ops->own_mark && s->state)
		d.mark = choice->ops->own_mark(s->state);
	return d;
}

// The size of a packet, as its scheme counts it.
static inline uint32_t drb_scheme_state_size(const struct drb_scheme_state *s,
					     const struct rte_mbuf *m)
{
	return s->octets ? m->pkt_len + s->overhead : 1;
}

// Begins the decision on a packet: reads what its scheme needs. The caller sets the default and the
// draw. ops: the scheme's; marks: read the mark.
static inline __attribute__((always_inline)) struct drb_decision drb_scheme_state_decision(
	const struct drb_scheme_state *s, const struct drb_scheme_ops *ops, bool marks,
	const struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct drb_decision d = {.dest = drb_addr_label_octets(frame)};
	uint8_t flags;

	if (ops->needs & DRB_READS_FLOW)
		d.flow = drb_flow_hash_of(frame, m->data_len, &flags);
	if (ops->needs & DRB_READS_SIZE)
		d.size = drb_scheme_state_size(s, m);
	if (marks)
		d.mark = frame[DRB_MARK_AT] ^ s->mac_octet;
	return d;
}

// Call before a burst is decided. True if the scheme needs the lengths of the down-ports' egress
// queues.
static inline bool drb_scheme_state_tick(struct drb_scheme_state *s, uint64_t now_ns)
{
	const bool due = s->state && s->ops->tick &&
			 s->ops->tick(s->state, (uint32_t)(now_ns >> s->tick_shift), s->sent_up);

	s->sent_up = 0;
	return due && s->ops->look && s->layer > 1;
}

// True if a packet of a burst from below came with a mark; ordinary traffic of hosts has none.
static inline bool drb_scheme_state_is_marked(const struct drb_scheme_state *s,
					      const struct drb_burst *b)
{
	uint8_t marks = 0;

	if ((b->classifier->mask[DRB_MARK_AT] & DRB_MARK_MASK) == DRB_MARK_MASK)
		return false;
	for (uint32_t i = 0; i < b->count; i++)
		marks |= rte_pktmbuf_mtod(b->packets[i], const uint8_t *)[DRB_MARK_AT] ^
			 s->mac_octet;
	return marks & DRB_MARK_MASK;
}

// Reads the marks of packets from above, and reads and writes the marks of packets that go down.
static inline void drb_scheme_state_marks(struct drb_scheme_state *s, struct drb_burst *b)
{
	if (!s->read_marks)
		return;
	if (b->in < s->down_ports) {
		b->marked = drb_scheme_state_is_marked(s, b);
		if (!s->marks_down || !(b->marked || s->ops->own_mark(s->state)))
			return;
	}
	s->read_marks(s, b);
}
