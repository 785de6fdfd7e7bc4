// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether a port can be used, from its carrier and from the neighbour's hellos. Pure: the caller passes
// times, hellos and carriers in.
//   unknown   no hello heard so far; used while there is a carrier. A port stays unknown if its
//             neighbour sends no hellos. But once another port of the same switch hears hellos, a
//             port that is silent for the hold time is down: its neighbour is dead.
//   up        hellos come from the right neighbour
//   down      no carrier, silence for the hold time, or the neighbour says that it does not hear us
//   miswired  hellos come from a neighbour other than the wiring formula wants, or of another fabric
//   flapping  as up, but it went down too often: used only where there is no other path, until it
//             has stayed up for a while; that time doubles with each further time it goes down
//   lossy     loses too much in one direction or both, or all long frames: spare until it has lost
//             little for two minutes, then four, and so on
//   drained   our operator wants no new traffic over this link
//   drained by neighbour   the neighbour's operator wants none

#include <stdbool.h>
#include <stdint.h>

#include "core/links/hello.h"
#include "core/links/link_loss.h"

enum drb_link_state {
	DRB_LINK_UNKNOWN,
	DRB_LINK_UP,
	DRB_LINK_DOWN,
	DRB_LINK_MISWIRED,
	DRB_LINK_DRAINED,
	DRB_LINK_DRAINED_BY_NEIGHBOUR,
	DRB_LINK_FLAPPING,
	DRB_LINK_LOSSY,
	DRB_LINK_COUNT
};

// "unknown", "up", ... ; NULL beyond the last.
const char *drb_link_state_name(enum drb_link_state state);

// So often may a link go down within DRB_FLAP_CALM_NS without being held back; then it must stay up for
// DRB_FLAP_HOLD_NS, twice that after the next time, and so on up to DRB_FLAP_HOLD_MAX_NS.
#define DRB_FLAPS_FREE 3
#define DRB_FLAP_CALM_NS UINT64_C(60000000000)
#define DRB_FLAP_HOLD_NS UINT64_C(2000000000)
#define DRB_FLAP_HOLD_MAX_NS UINT64_C(64000000000)

// A lossy link is not trusted again before so long, twice that if it was lossy within DRB_LOSSY_CALM_NS
// before, and so on.
#define DRB_LOSSY_HOLD_NS UINT64_C(120000000000)
#define DRB_LOSSY_HOLD_MAX_NS UINT64_C(1920000000000)
#define DRB_LOSSY_CALM_NS UINT64_C(3600000000000)

// A link that is up comes to rest so long after its last packet, unless hellos are rare anyway.
#define DRB_REST_AFTER_NS UINT64_C(1000000000)
#define DRB_REST_PERIOD_MAX_NS UINT64_C(500000000)

// So many short hellos in a row: three long ones were lost.
#define DRB_SHORT_HELLOS_MAX 10

// The longest hold time that a neighbour's period can ask of us, if our own asks for less. A switch that loses hellos
// itself waits no longer either.
#define DRB_HOLD_MAX_NS UINT64_C(3200000000)

// A hello that is older than so many of ours is no answer to them.
#define DRB_HELLO_ECHO_MAX 64

// What becomes of a hello.
enum drb_hello_outcome {
	DRB_HELLO_TAKEN,
	DRB_HELLO_OWN,   // ours, which has come back
	DRB_HELLO_STALE, // sent before, or elsewhere
	DRB_HELLO_RIVAL, // with the name of the neighbour, which still speaks, but of another process
	DRB_HELLO_ASKS, // may be old: the next one of ours echoes it, for its sender to answer
};

// What a switch wants to see in the hellos of one port, and says in its own.
struct drb_link_setup {
	struct drb_end peer; // who must be at the other end
	uint64_t fabric;
	uint16_t mac;        // fabric.mac
	uint64_t period_ns;  // between our own hellos; 0: none are sent or expected here
	uint64_t instance;   // of our hellos by this port alone
	bool keyed;          // hellos prove a key: a process that is new must answer one of ours
	uint32_t loss_limit; // in millionths; 0: losses do not matter
	uint16_t mtu;        // fabric.mtu: what long hellos try
};

struct drb_link {
	struct drb_link_setup setup;
	bool drained; // by our own operator
	enum drb_link_state state;
	bool carrier;
	bool heard;                    // a hello came, ever
	bool heard_us;                 // the neighbour's process has heard us once
	uint32_t deaf;                 // consecutive hellos whose sender misses ours
	struct drb_hello hello;        // the last one
	struct drb_hello_serial asked; // of a hello that was no answer: to be echoed
	bool rival;                    // there was a rival since the last hello
	bool unproven;                 // or one that may be a recording
	uint64_t duplicate_ns; // when two processes were last seen to speak in turn; 0: never
	uint64_t replayed_ns;  // when the neighbour last spoke in turn with recordings; 0: never
	uint64_t sent;         // our own hellos
	uint64_t sent_before;  // of those, when the neighbour's process was first heard
	uint64_t said_ns;      // when the last of them was
	uint64_t hello_ns;     // when the neighbour's last one came
	uint64_t last_ns;      // when something came; before the first: when listening began
	uint64_t frame_ns;     // when a frame came that is no hello; 0: never
	uint64_t since_ns;     // when the state was entered
	uint32_t flaps;
	uint64_t flap_ns;    // when it last went down
	uint64_t release_ns; // until then it is held back
	struct drb_link_loss loss;
	uint32_t short_hellos; // in a row
	bool lossy;            // what comes here loses too much
	uint64_t lossy_ns;     // since when, or when it last was
	uint64_t trust_ns;     // how long it must lose little; 0: it never was
};

// A port without a carrier starts as down.
void drb_link_init(struct drb_link *l, const struct drb_link_setup *setup, bool carrier,
		   uint64_t now_ns);
// A hello came, and waited so long until now. *changed: the state did. The sender of the last one is the neighbour
// until no hello of it has come for the hold time. Nobody takes its place before, but the right neighbour takes that of a wrong one. With a key a new
// neighbour must answer a hello of ours on this link.
enum drb_hello_outcome drb_link_hear_hello(struct drb_link *l, const struct drb_hello *hello,
					   uint64_t waited_ns, uint64_t now_ns, bool *changed);
// Right after a hello that was taken: what was sent and came. NULL: it is not counted. True if the state
// changed.
bool drb_link_count(struct drb_link *l, const struct drb_loss_sample *sample, uint64_t now_ns);
// Another valid frame of the neighbour came at at_ns or later: a sign of life while the port is in use.
void drb_link_hear_frame(struct drb_link *l, uint64_t at_ns);
// This switch had no room for some hellos of this link. Nobody knows whether the neighbour's was among them: no silence,
// for at most DRB_HOLD_MAX_NS since its last one, and no loss of the link.
void drb_link_lost_here(struct drb_link *l, uint64_t now_ns);
// Time passed. others: hellos were heard on some port of this switch. True if the state changed.
bool drb_link_check(struct drb_link *l, bool carrier, bool others, uint64_t now_ns);
// The hold time: a silence longer than this makes the port down.
uint64_t drb_link_hold_ns(const struct drb_link *l);
// The next hello of ours: its serial and echo, and whether we hear the neighbour.
void drb_link_say(struct drb_link *l, struct drb_hello *hello, uint64_t now_ns);
// Nothing comes but hellos, which have nothing to tell: fewer of ours will do. Who sends us something gets as many as ever,
// and finds as soon that the way back is broken.
bool drb_link_rests(const struct drb_link *l, uint64_t now_ns);
// The hello that was said last could not be sent: the next one has its number.
void drb_link_unsay(struct drb_link *l);
// When to look again if nothing is heard; UINT64_MAX: never.
uint64_t drb_link_due_ns(const struct drb_link *l);
// The caller was kept from looking for so long, so this silence does not count. What was heard meanwhile is no older
// than now.
static inline void drb_link_excuse(struct drb_link *l, uint64_t ns, uint64_t now_ns)
{
	l->hello_ns = l->hello_ns + ns < now_ns ? l->hello_ns + ns : now_ns;
	l->last_ns = l->last_ns + ns < now_ns ? l->last_ns + ns : now_ns;
}
// Traffic may be sent over it.
static inline bool drb_link_is_usable(const struct drb_link *l)
{
	return l->state == DRB_LINK_UNKNOWN || l->state == DRB_LINK_UP;
}
// It works, but is used only for packets without another path: one of the two ends wants no new traffic
// over it, or it is not to be trusted.
static inline bool drb_link_is_spare(const struct drb_link *l)
{
	return l->state == DRB_LINK_DRAINED || l->state == DRB_LINK_DRAINED_BY_NEIGHBOUR ||
	       l->state == DRB_LINK_FLAPPING || l->state == DRB_LINK_LOSSY;
}
// Something came from the neighbour within the hold time, as DRB_HELLO_HEARS tells it.
static inline bool drb_link_hears_neighbour(const struct drb_link *l, uint64_t now_ns)
{
	return l->heard && now_ns <= l->last_ns + drb_link_hold_ns(l);
}
