// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The loss of a link in one direction, from two counts: frames that the neighbour sent, by its hellos, and
// frames that arrived here. The difference is lost frames plus frames in flight. A queue that fills up raises
// it once; losses raise it again and again. Pure.

#include <stdbool.h>
#include <stdint.h>

#define DRB_LOSS_ALL 1000000 // shares are counted in millionths

// What came before a hello of the neighbour, and packets that wait or came since, are told apart by bounds.
struct drb_arrivals {
	uint64_t received; // until now
	uint64_t earlier;  // of those, when the hello had not come for sure
	bool complete;     // all that came before the hello is received
};

// With a hello: so many frames the neighbour had sent, it as well. All from any zero.
struct drb_loss_sample {
	uint64_t sent;
	int64_t missing; // of those, not received yet
	int64_t most;    // at most so many were lost
	bool complete;   // at least `missing` were lost
};

// A step of a span of time.
struct drb_loss_step {
	uint64_t sent; // as it ended
	int64_t lost;  // likely, as it ended
	bool complete; // it has a sample that was
	int64_t least; // so many were lost for sure, by the last samples that were complete
	int64_t most;  // and no more, as it ended
};

#define DRB_LOSS_STEPS 16
#define DRB_LOSS_SHORT_NS UINT64_C(125000000) // steps of 2 s in all: for what must be found soon
#define DRB_LOSS_LONG_NS UINT64_C(4000000000) // of 64 s: for small losses, and for readers

struct drb_loss_window {
	uint64_t step_ns;
	uint64_t began_ns;    // of the step that runs
	uint32_t count, next; // steps that ended; where the one that runs is
	struct drb_loss_step steps[DRB_LOSS_STEPS];
};

struct drb_link_loss {
	bool counts;  // since the neighbour's process is known
	int64_t lost; // likely: nearest to what it was within the bounds of each sample
	struct drb_loss_window brief, lasting;
};

// Begins anew: another process counts at the other end, or here.
void drb_loss_init(struct drb_link_loss *l);
void drb_loss_count(struct drb_link_loss *l, const struct drb_loss_sample *sample, uint64_t now_ns);
// The share that was lost within about a minute, in millionths.
uint32_t drb_loss_share(const struct drb_link_loss *l);
// Something was lost within the last two seconds.
bool drb_loss_is_suspect(const struct drb_link_loss *l);
// More than the limit (in millionths) was lost for sure, and more than chance makes of it, in two spans one after
// the other of 0.75 s, or of 24 s, each.
bool drb_loss_exceeds(const struct drb_link_loss *l, uint32_t limit);
// It exceeds the limit. If it did so of a sudden, the share is of what was lost since.
void drb_loss_focus(struct drb_link_loss *l, uint32_t limit);
// For about a minute, less than half of the limit was lost; or nothing is counted.
bool drb_loss_is_below_half(const struct drb_link_loss *l, uint32_t limit);
