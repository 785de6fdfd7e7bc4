// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which ports of a switch can be used: sends hellos when they are due, receives those of neighbours, checks
// carriers, keeps the state of every port and publishes the result. It knows no worker and no driver: the
// caller owns the clock and passes ports through struct drb_liveness_io (datapath/hellos.c does, on worker 0,
// between two iterations of its loop).

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/links/link_state.h"

#include "common/config/config.h"
#include "switch/links/hello_faults.h"
#include "switch/links/hello_key.h"
#include "switch/links/known_outages.h"
#include "switch/links/published_routes.h"

// What the owner of struct drb_liveness tells the workers; a bit per port.
struct drb_links {
	uint64_t dead;         // takes no traffic
	uint64_t drained;      // of those: used for packets that would be lost otherwise
	uint64_t no_alternate; // down-ports to switches that cannot turn a packet back up
	uint64_t off;          // what goes in or out there is dropped, by order
};

// The same for every worker to look at in every iteration. Zeroed: nothing yet. Written by one thread.
struct drb_published_links {
	atomic_uint version; // odd while it is being written
	atomic_ullong dead, drained, no_alternate, off;
	struct drb_published_routes routes; // versions of their own
};

static inline void drb_links_publish(struct drb_published_links *p, const struct drb_links *links)
{
	unsigned version = atomic_load_explicit(&p->version, memory_order_relaxed);

	atomic_store_explicit(&p->version, version + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&p->dead, links->dead, memory_order_relaxed);
	atomic_store_explicit(&p->drained, links->drained, memory_order_relaxed);
	atomic_store_explicit(&p->no_alternate, links->no_alternate, memory_order_relaxed);
	atomic_store_explicit(&p->off, links->off, memory_order_relaxed);
	atomic_store_explicit(&p->version, version + 2, memory_order_release);
}

// True if there is news since *version, which then is that of *links. All of one writing: a port
// never seems to be neither dead nor drained on its way from one to the other.
static inline bool drb_links_read(const struct drb_published_links *p, unsigned *version,
				  struct drb_links *links)
{
	unsigned before = atomic_load_explicit(&p->version, memory_order_acquire);

	if (before == *version || (before & 1))
		return false;
	links->dead = atomic_load_explicit(&p->dead, memory_order_relaxed);
	links->drained = atomic_load_explicit(&p->drained, memory_order_relaxed);
	links->no_alternate = atomic_load_explicit(&p->no_alternate, memory_order_relaxed);
	links->off = atomic_load_explicit(&p->off, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&p->version, memory_order_relaxed) != before)
		return false;
	*version = before;
	return true;
}

// One port as readers of counters see it.
struct drb_port_link {
	bool watched; // hellos or at least the carrier are looked at
	enum drb_link_state state;
	bool off;    // by order
	bool needed; // drained, and used because there is no other path
	uint64_t since_ns;
	uint64_t hellos_in, hellos_out;
	bool heard;            // a hello came, ever; the last one:
	struct drb_hello last; // valid if heard
	uint32_t hello_faults; // a bit each, enum drb_hello_fault
	uint32_t loss_in;      // of what the neighbour sends, in millionths
	bool short_only;       // longer frames do not come
	bool lossy;            // by what comes here; else the neighbour says so
	uint64_t held_ns;      // lossy: so long it will be held back yet, at least
};

// How liveness reaches the ports of its switch.
struct drb_liveness_io {
	void *context;
	bool (*has_carrier)(void *context, uint32_t port);
	// Of the port's device; 0: not known.
	uint16_t (*mtu)(void *context, uint32_t port);
	// Valid frames that came in by this port so far, hellos left out.
	uint64_t (*count_frames)(void *context, uint32_t port);
	// Packets handed to the link so far, and what came, hellos left out. missed: unless NULL, becomes
	// whether packets were lost for want of room in this switch since it was asked last, which may take
	// a system call.
	uint64_t (*count_sent)(void *context, uint32_t port);
	struct drb_arrivals (*count_arrivals)(void *context, uint32_t port, bool *missed);
	// Sends a frame ahead of all that waits. False: not sent, to be tried again soon.
	bool (*send)(void *context, uint32_t port, const uint8_t *frame, uint32_t len);
};

// A frame that says it is a hello.
struct drb_hello_frame {
	const uint8_t *octets;
	uint32_t length;
	uint64_t waited_ns; // since it came
};

// What became of a hello.
enum drb_hello_result {
	DRB_HELLO_HEARD,   // or not listened to here
	DRB_HELLO_BAD,     // malformed
	DRB_HELLO_FORGED,  // not with our key
	DRB_HELLO_REPLAYED // sent before, or not by the neighbour of this port
};

// Hellos in the time of one, for a neighbour that suspects a loss.
#define DRB_HELLO_PROBES 10

// What a neighbour can make a switch log: a few lines a port, then how many were left out.
#define DRB_LOG_LINES 8
#define DRB_LOG_WINDOW_NS UINT64_C(10000000000)

struct drb_log_budget {
	uint64_t since_ns; // when the window began
	uint32_t lines, left_out;
};

// One port. The owner alone, worker 0, writes and reads it, by the functions below: others have
// drb_links_read() and the copies of drb_liveness_view().
struct drb_liveness_port {
	// Written by drb_liveness_init(); the periods and limits in both setups and what follows by drb_liveness_set().
	struct drb_port_setup setup;
	bool watched; // hellos or at least the carrier are looked at
	bool starts;  // watched from the next look on, which clears it
	// Written by drb_liveness_service() and drb_liveness_hear().
	struct drb_link link;           // whether it can be used; `drained` by drb_liveness_drain()
	uint64_t hello_due_ns;          // of the next; UINT64_MAX: no hello is sent there
	uint64_t hellos_in, hellos_out; // that were taken; that were sent
	uint8_t refused;                // tries of the next hello that failed
	bool rests;                     // so the next one comes later
	bool has_said;                  // a hello was sent, ever, and in the last one were
	uint8_t said;                   // these flags, and
	uint32_t said_version;          // outages of this version
	uint16_t mtu;                   // octets, of the device; 0: not known
	uint64_t frames;                // valid ones received, as counted at looked_ns
	int64_t missing; // packets sent by the neighbour and not here, as of its last hello
	struct drb_hello_faults faults;
	struct drb_log_budget log; // of lines about its state
};

// Written and read by its owner alone; *published is what others read.
struct drb_liveness {
	// Set by drb_liveness_init().
	struct drb_liveness_io io;
	struct drb_published_links *published;
	struct drb_liveness_port *port; // owned. NULL before init
	uint32_t ports, down_ports;
	uint32_t layer, label;
	uint16_t fabric_mtu;
	bool counts; // packets are counted: with one worker
	struct drb_hello_key key;
	struct drb_hello self; // what all our hellos have in common
	// Set by drb_liveness_set(); a bit per port.
	uint64_t active;  // a device is behind the port
	uint64_t awaited; // a memif port that has not met its peer
	// State.
	uint64_t due_ns;         // when drb_liveness_service() has work; UINT64_MAX: never
	uint64_t planned_ns;     // the same as of the last look, though one was asked for since
	uint64_t carrier_due_ns; // when carriers are asked for again
	uint64_t looked_ns;      // the last look
	bool heard_any;          // a hello came on some port, ever
	bool no_alternate;       // this switch has fewer than two uplinks in use
	bool changed;            // something was switched on or off since the last look
	bool silent;             // no hello is sent. Set by the owner
	bool rests;              // all links do on which hellos are sent
	uint64_t off; // a bit per port: taken down by drb_down_set(), hellos pass neither way
	uint64_t needs_upstream; // a bit per port: drained uplinks of which this switch needs one
	uint64_t needed;         // those, and drained down-ports to switches that need this one
	struct drb_known_outages known;
	struct drb_log_budget outages_log;
};

// published must outlive l. 0, -ENOMEM or -EINVAL (the key file) with a message printed.
int drb_liveness_init(struct drb_liveness *l, const struct drb_setup *setup,
		      const struct drb_liveness_io *io, struct drb_published_links *published);
void drb_liveness_free(struct drb_liveness *l);

// The ports that are there, and their periods: at the start, when a memif port meets or loses its
// peer, and after a reload. Publishes. Nothing before drb_liveness_init().
void drb_liveness_set(struct drb_liveness *l, const struct drb_setup *setup, uint64_t active,
		      uint64_t awaited, uint64_t now_ns);
// The port takes no new traffic, or does again: published at the next look, which is due at once.
void drb_liveness_drain(struct drb_liveness *l, uint32_t port, bool drained);

static inline bool drb_liveness_sends(const struct drb_liveness_port *p)
{
	return p->hello_due_ns != UINT64_MAX;
}
// What all hellos by this port say.
void drb_liveness_said_by(const struct drb_liveness *l, const struct drb_liveness_port *p,
			  struct drb_hello *hello);
// Sends a hello by the port if one is due. When to look at the port again.
uint64_t drb_liveness_send_due(struct drb_liveness *l, uint32_t port, uint64_t now_ns);
// The neighbours at these ports, a bit each, get a hello at this time, or before.
void drb_liveness_send_soon(struct drb_liveness *l, uint64_t ports, uint64_t at_ns);

// Something has changed at an interface: carriers are asked for at the next look, which is due at once.
void drb_liveness_look(struct drb_liveness *l);

// Sends, checks and publishes what is due. Call once now_ns has reached due_ns.
void drb_liveness_service(struct drb_liveness *l, uint64_t now_ns);
// It came in by this port. Publishes if anything follows from it.
enum drb_hello_result drb_liveness_hear(struct drb_liveness *l, uint32_t port,
					const struct drb_hello_frame *frame, uint64_t now_ns);

// Hellos that came in by this port were lost for want of room in this switch.
void drb_liveness_lost_here(struct drb_liveness *l, uint32_t port, uint64_t now_ns);

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX],
		       uint64_t now_ns);
struct drb_port_link drb_liveness_view_port(const struct drb_liveness *l, uint32_t port,
					    uint64_t now_ns);
// What a lossy link loses, or, where it no longer does, that it lost and is held back.
void drb_liveness_lossy_text(const struct drb_port_link *view, const char *peer, char *text,
			     size_t size);
// The word for a port's state: drb_link_state_name(), and whether a drained port is still needed.
const char *drb_liveness_state(const struct drb_port_link *view);
// Logs that port's state changed from `before`, and what to do about it.
void drb_liveness_log(struct drb_liveness *l, uint32_t port, enum drb_link_state before,
		      uint64_t now_ns);
// Logs that a drained port is used because there is no other path, or no longer.
void drb_liveness_log_needed(struct drb_liveness *l, uint32_t port, bool needed, uint64_t now_ns);
// Logs that hellos have no room for all outages any more, or have again.
void drb_liveness_log_outages(struct drb_liveness *l, bool more, uint64_t now_ns);
// How many ports can be used. What is wrong with the others, and which cable to move where, is added to text.
uint32_t drb_liveness_trouble(const struct drb_setup *setup,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size);
