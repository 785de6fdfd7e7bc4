// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The loss of a link in one direction, from two counts: frames that the neighbour sent, by its
// hellos, and frames that arrived here. The difference is lost frames plus frames in flight. A
// queue that fills up raises the difference once; losses raise it again and again. Pure.

#include <stdbool.h>
#include <stdint.h>

#define DRB_LOSS_ALL 1000000 // shares are counted in millionths

// Counts of arrived frames. They bound the number that arrived before a hello of the neighbour. The
// exact number is unknown, because frames may still wait or may have arrived since.
struct drb_arrivals {
	uint64_t received; // all frames received until now
	uint64_t earlier;  // frames received when the hello had certainly not arrived yet
	bool complete;     // all frames that were sent before the hello are in `received`
};

// Counts at a hello; they may start at any value. sent: frames that the neighbour had sent,
// including the hello.
struct drb_loss_sample {
	uint64_t sent;
	int64_t missing; // frames sent and not received yet
	int64_t most;    // upper bound of the lost ones
	bool complete;   // `missing` is a lower bound of the lost ones
};

// The counts at the end of a step of time, or now if the step runs.
struct drb_loss_step {
	uint64_t sent; // frames sent
	int64_t lost;  // the likely number of lost frames
	bool complete; // the step has a complete sample
	int64_t least; // lower bound of the lost frames, by the last complete samples
	int64_t most;  // upper bound of the lost frames
};

#define DRB_LOSS_STEPS 16
// Steps of a window of 2 s, which finds large losses soon.
#define DRB_LOSS_SHORT_NS UINT64_C(125000000)
// Steps of a window of 64 s, for small losses and for readers.
#define DRB_LOSS_LONG_NS UINT64_C(4000000000)

struct drb_loss_window {
	uint64_t step_ns;
	uint64_t began_ns;    // start of the running step
	uint32_t count, next; // number of steps that ended; index of the running step
	struct drb_loss_step steps[DRB_LOSS_STEPS];
};

struct drb_link_loss {
	bool counts;  // true once the neighbour's process is known
	int64_t lost; // likely losses: the last value, moved into the bounds of each sample
	struct drb_loss_window brief, lasting;
};

// Starts again, because another process counts at the other end, or here.
void drb_loss_init(struct drb_link_loss *l);
void drb_loss_count(struct drb_link_loss *l, const struct drb_loss_sample *sample, uint64_t now_ns);
// The share of frames lost within about a minute, in millionths.
uint32_t drb_loss_share(const struct drb_link_loss *l);
// True if a frame was lost within the last two seconds.
bool drb_loss_is_suspect(const struct drb_link_loss *l);
// True if the sure losses exceed the limit (in millionths) by more than chance explains, in two
// successive spans of 0.75 s each or of 24 s each.
bool drb_loss_exceeds(const struct drb_link_loss *l, uint32_t limit);
// Call it if the loss exceeds the limit. If the losses began suddenly, drb_loss_share() then covers
// only the time since.
void drb_loss_focus(struct drb_link_loss *l, uint32_t limit);
// True if less than half of the limit was lost for about a minute, or if nothing is counted.
bool drb_loss_is_below_half(const struct drb_link_loss *l, uint32_t limit);
