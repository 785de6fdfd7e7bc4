// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a port, from its carrier and from the neighbour's hellos. Pure: the caller passes
// times, hellos and carriers in.
//   unknown   no hello heard so far; used while there is a carrier. A port stays unknown if its
//             neighbour sends no hellos. But once another port of the same switch hears hellos, a
//             port that is silent for the hold time is down: its neighbour is dead.
//   up        hellos come from the right neighbour
//   down      no carrier, silence for the hold time, or the neighbour says that it does not hear us
//   miswired  hellos come from another neighbour than the wiring formula gives, or another fabric
//   flapping  as up, but it went down too often: used only where there is no other path, until it
//             has stayed up for a while; that time doubles with each further time it goes down
//   lossy     loses too much in one direction or both, or loses all long frames: spare until it has
//             lost little for two minutes, then four, and so on
//   drained   the operator of this switch wants no new traffic over this link
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

// "unknown", "up", ...; NULL beyond the last state.
const char *drb_link_state_name(enum drb_link_state state);

// A link may go down DRB_FLAPS_FREE times within DRB_FLAP_CALM_NS without being held back. Then it
// must stay up for DRB_FLAP_HOLD_NS, twice as long after the next time, and so on up to
// DRB_FLAP_HOLD_MAX_NS.
#define DRB_FLAPS_FREE 3
#define DRB_FLAP_CALM_NS UINT64_C(60000000000)
#define DRB_FLAP_HOLD_NS UINT64_C(2000000000)
#define DRB_FLAP_HOLD_MAX_NS UINT64_C(64000000000)

// A lossy link is not trusted again before DRB_LOSSY_HOLD_NS. The time doubles, up to
// DRB_LOSSY_HOLD_MAX_NS, if the link was lossy within DRB_LOSSY_CALM_NS before.
#define DRB_LOSSY_HOLD_NS UINT64_C(120000000000)
#define DRB_LOSSY_HOLD_MAX_NS UINT64_C(1920000000000)
#define DRB_LOSSY_CALM_NS UINT64_C(3600000000000)

// A link that is up comes to rest this long after its last packet, unless its hello period exceeds
// DRB_REST_PERIOD_MAX_NS, so that hellos are rare anyway.
#define DRB_REST_AFTER_NS UINT64_C(1000000000)
#define DRB_REST_PERIOD_MAX_NS UINT64_C(500000000)

// This number of short hellos in a row means that three long ones were lost.
#define DRB_SHORT_HELLOS_MAX 10

// The longest hold time that a neighbour's period can impose, unless this switch's own is longer.
// It also bounds the wait of a switch that loses hellos itself.
#define DRB_HOLD_MAX_NS UINT64_C(3200000000)

// A hello is no answer if it echoes a hello that is further back than this number.
#define DRB_HELLO_ECHO_MAX 64

// Results of a received hello.
enum drb_hello_outcome {
	DRB_HELLO_TAKEN,
	DRB_HELLO_OWN,   // this switch's own, which came back
	DRB_HELLO_STALE, // sent before, or on another link
	DRB_HELLO_RIVAL, // names the neighbour, which still speaks, but comes from another process
	// May be old: the next hello of this switch echoes it, so that its sender answers.
	DRB_HELLO_ASKS,
};

// The values that a switch expects in the hellos of one port, and sends in its own.
struct drb_link_setup {
	struct drb_end peer; // the port that must be at the other end
	uint64_t fabric;
	uint16_t mac;        // fabric.mac
	uint64_t period_ns;  // between hellos of this switch; 0: this port sends and expects none
	uint64_t instance;   // identifies this switch's hellos by this port
	bool keyed;          // hellos prove a key: a new process must answer a hello of this switch
	uint32_t loss_limit; // in millionths; 0: losses do not matter
	uint16_t mtu;        // fabric.mtu, which long hellos test
};

struct drb_link {
	struct drb_link_setup setup;
	bool drained; // by the operator of this switch
	enum drb_link_state state;
	bool carrier;
	bool heard;                    // a hello has arrived
	bool heard_us;                 // the neighbour's process has heard this switch
	uint32_t deaf;                 // counts hellos in a row without DRB_HELLO_HEARS
	struct drb_hello hello;        // the last one that was taken
	struct drb_hello_serial asked; // serial of a hello that was no answer, to be echoed
	bool rival;                    // a rival sent a hello since the last one
	bool unproven;                 // the same, but the rival may be a recording
	uint64_t duplicate_ns;         // when two processes last sent in turn; 0: never
	uint64_t replayed_ns; // when recordings last came between the neighbour's hellos; 0: never
	uint64_t sent;        // number of hellos sent by this switch
	uint64_t sent_before; // value of sent when the neighbour's process was first heard
	uint64_t said_ns;     // when this switch sent the last one
	uint64_t hello_ns;    // when the neighbour's last hello arrived
	uint64_t last_ns;     // when anything last arrived; at first when listening began
	uint64_t frame_ns;    // when a frame that is no hello last arrived; 0: never
	uint64_t since_ns;    // when the state was entered
	uint32_t flaps;
	uint64_t flap_ns;    // when it last went down
	uint64_t release_ns; // held back until then
	struct drb_link_loss loss;
	uint32_t short_hellos; // received in a row
	bool lossy;            // the direction to this switch loses too much
	uint64_t lossy_ns;     // when lossy last became true or false
	uint64_t trust_ns;     // how long it must lose little; 0: it was never lossy
};

// A port without a carrier starts as down.
void drb_link_init(struct drb_link *l, const struct drb_link_setup *setup, bool carrier,
		   uint64_t now_ns);
// A hello arrived waited_ns ago. *changed: true if the state changed.
// The sender of the last hello stays the neighbour until the hold time has passed without a hello
// from it. No other sender replaces it before, except that the right neighbour replaces a wrong
// one. With a key, a new neighbour must answer a hello of this switch on this link.
enum drb_hello_outcome drb_link_hear_hello(struct drb_link *l, const struct drb_hello *hello,
					   uint64_t waited_ns, uint64_t now_ns, bool *changed);
// Call it after a hello was taken, with the frames sent and received. NULL: frames are not counted.
// True if the state changed.
bool drb_link_count(struct drb_link *l, const struct drb_loss_sample *sample, uint64_t now_ns);
// Another valid frame of the neighbour arrived at at_ns or later. It is a sign of life while the
// port is in use.
void drb_link_hear_frame(struct drb_link *l, uint64_t at_ns);
// This switch dropped some hellos of this link for lack of space, perhaps the neighbour's. This
// counts neither as silence, for at most DRB_HOLD_MAX_NS since the neighbour's last hello, nor as a
// loss of the link.
void drb_link_lost_here(struct drb_link *l, uint64_t now_ns);
// Time has passed. others: some port of this switch has heard hellos. True if the state changed.
bool drb_link_check(struct drb_link *l, bool carrier, bool others, uint64_t now_ns);
// The hold time: a longer silence makes the port down.
uint64_t drb_link_hold_ns(const struct drb_link *l);
// Fills in the next hello: its serial, echo, size and loss, and whether this switch hears the
// neighbour.
void drb_link_say(struct drb_link *l, struct drb_hello *hello, uint64_t now_ns);
// True if only hellos without news have arrived lately, so that fewer hellos of this switch
// suffice. A neighbour that sends packets still receives all hellos. It therefore detects a broken
// return path as early as on a link that is not at rest.
bool drb_link_rests(const struct drb_link *l, uint64_t now_ns);
// The hello of the last drb_link_say() could not be sent: the next one takes its number.
void drb_link_unsay(struct drb_link *l);
// Returns when drb_link_check() is due again if nothing arrives. UINT64_MAX: never.
uint64_t drb_link_due_ns(const struct drb_link *l);
// The caller could not check for this time, so silence in it does not count. Times of arrival move
// on by it, at most to now.
static inline void drb_link_excuse(struct drb_link *l, uint64_t ns, uint64_t now_ns)
{
	l->hello_ns = l->hello_ns + ns < now_ns ? l->hello_ns + ns : now_ns;
	l->last_ns = l->last_ns + ns < now_ns ? l->last_ns + ns : now_ns;
}
// True if traffic may be sent over the link.
static inline bool drb_link_is_usable(const struct drb_link *l)
{
	return l->state == DRB_LINK_UNKNOWN || l->state == DRB_LINK_UP;
}
// True if the link works, but is used only for packets without another path. One of its ends wants
// no new traffic over it, or it is not trusted.
static inline bool drb_link_is_spare(const struct drb_link *l)
{
	return l->state == DRB_LINK_DRAINED || l->state == DRB_LINK_DRAINED_BY_NEIGHBOUR ||
	       l->state == DRB_LINK_FLAPPING || l->state == DRB_LINK_LOSSY;
}
// True if anything arrived from the neighbour within the hold time, as DRB_HELLO_HEARS reports.
static inline bool drb_link_hears_neighbour(const struct drb_link *l, uint64_t now_ns)
{
	return l->heard && now_ns <= l->last_ns + drb_link_hold_ns(l);
}
