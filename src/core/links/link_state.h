// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether a port can be used, from its carrier and from the neighbour's hellos. Pure: the caller passes
// times, hellos and carriers in.
//   unknown   no hello heard so far; used as long as there is a carrier. A port stays unknown if its
//             neighbour sends no hellos. But once hellos are heard on another port of the same
//             switch, a port that stays silent for the hold time is down: its neighbour is dead.
//   up        hellos come from the right neighbour
//   down      no carrier; or hellos have stopped; or the neighbour says that it misses ours
//   miswired  hellos come from another neighbour than the wiring formula wants
//   drained   our operator wants no new traffic over this link
//   drained by neighbour   the neighbour's operator wants none

#include <stdbool.h>
#include <stdint.h>

#include "core/links/hello.h"

enum drb_link_state {
	DRB_LINK_UNKNOWN,
	DRB_LINK_UP,
	DRB_LINK_DOWN,
	DRB_LINK_MISWIRED,
	DRB_LINK_DRAINED,
	DRB_LINK_DRAINED_BY_NEIGHBOUR,
	DRB_LINK_COUNT
};

// "unknown", "up", ... ; NULL beyond the last.
const char *drb_link_state_name(enum drb_link_state state);

struct drb_link {
	struct drb_end peer; // who must be at the other end
	uint64_t fabric;
	uint64_t period_ns; // between our own hellos; 0: none are sent or expected here
	bool drained;       // by our own operator
	enum drb_link_state state;
	bool carrier;
	bool heard;             // a hello came, ever
	uint32_t deaf;          // consecutive hellos whose sender misses ours
	struct drb_hello hello; // the last one
	uint64_t last_ns;       // when it came; before the first: when listening began
	uint64_t since_ns;      // when the state was entered
};

// A port without a carrier starts as down.
void drb_link_init(struct drb_link *l, const struct drb_end *peer, uint64_t fabric,
		   uint64_t period_ns, bool carrier, uint64_t now_ns);
// A hello came. True if the state changed.
bool drb_link_hear_hello(struct drb_link *l, const struct drb_hello *hello, uint64_t now_ns);
// Time passed. others: hellos were heard on some port of this switch. True if the state changed.
bool drb_link_check(struct drb_link *l, bool carrier, bool others, uint64_t now_ns);
// The hold time: a silence longer than this makes the port down.
uint64_t drb_link_hold_ns(const struct drb_link *l);
// When to look again if nothing is heard; UINT64_MAX: never.
static inline uint64_t drb_link_due_ns(const struct drb_link *l)
{
	bool waits = l->period_ns > 0 && l->carrier && (!l->heard || l->state != DRB_LINK_DOWN);

	return waits ? l->last_ns + drb_link_hold_ns(l) + 1 : UINT64_MAX;
}
// The caller was kept from looking for so long, so this silence does not count.
static inline void drb_link_excuse(struct drb_link *l, uint64_t ns)
{
	l->last_ns += ns;
}
// Traffic may be sent over it.
static inline bool drb_link_is_usable(const struct drb_link *l)
{
	return l->state == DRB_LINK_UNKNOWN || l->state == DRB_LINK_UP;
}
// One of the two ends wants no new traffic over it. It still works for packets without another path.
static inline bool drb_link_is_drained(const struct drb_link *l)
{
	return l->state == DRB_LINK_DRAINED || l->state == DRB_LINK_DRAINED_BY_NEIGHBOUR;
}
// Hellos come from the neighbour now, as DRB_HELLO_HEARS tells it.
static inline bool drb_link_hears_neighbour(const struct drb_link *l, uint64_t now_ns)
{
	return l->heard && now_ns <= l->last_ns + drb_link_hold_ns(l);
}
