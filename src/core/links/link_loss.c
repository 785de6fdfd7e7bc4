// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/link_loss.h"

#include <string.h>

// Fewer losses than this in a span are no evidence.
#define LOST_MIN 3
// Number of steps in a span that is judged.
#define SPAN 6

struct span {
	uint64_t sent, lost, surely_lost;
};

static struct drb_loss_step *running(struct drb_loss_window *w)
{
	return &w->steps[w->next];
}

static void window_count(struct drb_loss_window *w, struct drb_loss_step now, uint64_t now_ns)
{
	struct drb_loss_step *step = running(w);
	const int64_t least = step->least;

	if (now_ns - w->began_ns >= w->step_ns) {
		w->began_ns = now_ns;
		w->next = (w->next + 1) % DRB_LOSS_STEPS;
		w->count += w->count < DRB_LOSS_STEPS - 1;
		*running(w) = now;
		running(w)->least = now.complete ? now.least : least;
		return;
	}
	step->sent = now.sent;
	step->lost = now.lost;
	step->most = now.most;
	if (!now.complete)
		return;
	step->least = step->complete && step->least < now.least ? step->least : now.least;
	step->complete = true;
}

static void window_begin(struct drb_loss_window *w, uint64_t step_ns, struct drb_loss_step now,
			 uint64_t now_ns)
{
	*w = (struct drb_loss_window){.step_ns = step_ns, .began_ns = now_ns};
	w->steps[0] = now;
}

void drb_loss_init(struct drb_link_loss *l)
{
	memset(l, 0, sizeof(*l));
}

// The likely losses: the last estimate, moved into the bounds of the sample. `missing` is no
// estimate: it is far below the losses if the hello waited before it was read.
static int64_t estimate(const struct drb_link_loss *l, const struct drb_loss_sample *sample)
{
	int64_t lost = l->counts ? l->lost : sample->missing;

	if (sample->complete && lost < sample->missing)
		lost = sample->missing;
	return lost < sample->most ? lost : sample->most;
}

void drb_loss_count(struct drb_link_loss *l, const struct drb_loss_sample *sample, uint64_t now_ns)
{
	l->lost = estimate(l, sample);
	const struct drb_loss_step now = {
		.sent = sample->sent,
		.lost = l->lost,
		.complete = sample->complete,
		.least = sample->complete ? sample->missing : INT64_MIN,
		.most = sample->most,
	};

	if (!l->counts) {
		window_begin(&l->brief, DRB_LOSS_SHORT_NS, now, now_ns);
		window_begin(&l->lasting, DRB_LOSS_LONG_NS, now, now_ns);
		l->counts = true;
		return;
	}
	window_count(&l->brief, now, now_ns);
	window_count(&l->lasting, now, now_ns);
}

static const struct drb_loss_step *ago(const struct drb_loss_window *w, uint32_t steps)
{
	return &w->steps[(w->next + DRB_LOSS_STEPS - steps) % DRB_LOSS_STEPS];
}

// Frames sent and lost between two steps, given as the number of steps since each began.
static struct span between(const struct drb_loss_window *w, uint32_t first, uint32_t last)
{
	const struct drb_loss_step *from = ago(w, first), *to = ago(w, last);
	struct span s = {.sent = to->sent - from->sent};

	// A hostile neighbour may make the bounds lie far apart: subtract them as unsigned numbers.
	if (to->least > from->most)
		s.surely_lost = (uint64_t)to->least - (uint64_t)from->most;
	if (to->lost > from->lost)
		s.lost = (uint64_t)to->lost - (uint64_t)from->lost;
	if (s.lost > s.sent)
		s.lost = s.sent;
	if (s.surely_lost > s.sent)
		s.surely_lost = s.sent;
	return s;
}

// True if the sure losses are more than three standard deviations above the mean of a link that
// loses each frame with probability `limit`.
static bool is_above(struct span s, uint32_t limit)
{
	const double expected = (double)s.sent * limit / DRB_LOSS_ALL;
	const double off = (double)s.surely_lost - expected;

	return off > 0 && off * off > 9 * expected;
}

uint32_t drb_loss_share(const struct drb_link_loss *l)
{
	const struct span s = between(&l->lasting, l->lasting.count, 0);

	return s.sent > 0 ? (uint32_t)((double)s.lost * DRB_LOSS_ALL / (double)s.sent) : 0;
}

bool drb_loss_is_suspect(const struct drb_link_loss *l)
{
	return between(&l->brief, l->brief.count, 0).lost > 0;
}

static bool exceeds(const struct drb_loss_window *w, uint32_t limit)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct span s = between(w, (i + 1) * SPAN, i * SPAN);
		if (s.surely_lost < LOST_MIN || !is_above(s, limit))
			return false;
	}
	return w->count >= 2 * SPAN;
}

void drb_loss_focus(struct drb_link_loss *l, uint32_t limit)
{
	struct drb_loss_window *w = &l->lasting;

	if (!exceeds(&l->brief, limit))
		return;
	window_begin(w, DRB_LOSS_LONG_NS, *ago(&l->brief, SPAN), l->brief.began_ns);
	w->count = w->next = 1;
	*running(w) = *running(&l->brief);
}

bool drb_loss_exceeds(const struct drb_link_loss *l, uint32_t limit)
{
	return exceeds(&l->brief, limit) || exceeds(&l->lasting, limit);
}

bool drb_loss_is_below_half(const struct drb_link_loss *l, uint32_t limit)
{
	const struct span s = between(&l->lasting, l->lasting.count, 0);

	return !l->counts || (l->lasting.count == DRB_LOSS_STEPS - 1 &&
			      (double)s.lost * DRB_LOSS_ALL < (double)s.sent * limit / 2);
}
