// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Decides which ports of a switch can be used. Sends hellos when they are due, receives those of
// neighbours, checks carriers, keeps the state of every port and publishes the result. This module
// knows no worker and no driver: the caller owns the clock and passes ports through struct
// drb_liveness_io (datapath/hellos.c does, on worker 0, between two iterations of its loop).

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

// Link state that the owner of struct drb_liveness publishes to the workers, one bit per port.
struct drb_links {
	uint64_t dead;         // takes no traffic
	uint64_t drained;      // spare: used only where packets would be lost otherwise
	uint64_t no_alternate; // down-ports to switches that cannot turn a packet back up
	uint64_t off;          // down by order: packets in or out are dropped
};

// The same in shared memory, which every worker reads in every iteration. Zeroed: nothing is
// published yet. Written by one thread.
struct drb_published_links {
	atomic_uint version; // odd while it is being written
	atomic_ullong dead, drained, no_alternate, off;
	struct drb_published_routes routes; // they have a version of their own
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

// True if there are news since *version, which becomes the version of *links. All fields are of one
// write: a port that changes from dead to drained never seems to be neither.
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
	bool watched; // hellos, or at least the carrier, are checked
	enum drb_link_state state;
	bool off;    // by order
	bool needed; // drained, and used because there is no other path
	uint64_t since_ns;
	uint64_t hellos_in, hellos_out;
	bool heard;            // a hello has ever come; the last one:
	struct drb_hello last; // valid if heard
	uint32_t hello_faults; // a bit each, enum drb_hello_fault
	uint32_t loss_in;      // share of the neighbour's packets, in millionths
	bool short_only;       // only short frames arrive
	bool lossy;            // losses were seen here; else the neighbour reports them
	uint64_t held_ns;      // if lossy: least time until the link is trusted again
};

// Functions by which liveness reads the state and the counters of ports, and sends frames.
struct drb_liveness_io {
	void *context;
	bool (*has_carrier)(void *context, uint32_t port);
	// MTU of the port's device in bytes; 0: unknown.
	uint16_t (*mtu)(void *context, uint32_t port);
	// Valid frames that came in by this port so far, without hellos.
	uint64_t (*count_frames)(void *context, uint32_t port);
	// Packets given to the link so far, and packets received, without hellos. Unless `missed`
	// is NULL, *missed becomes true if packets were lost in this switch, for lack of buffers,
	// since the last call with it. That may take a system call.
	uint64_t (*count_sent)(void *context, uint32_t port);
	struct drb_arrivals (*count_arrivals)(void *context, uint32_t port, bool *missed);
	// Sends a frame ahead of all queued packets. False: not sent; the caller tries again soon.
	bool (*send)(void *context, uint32_t port, const uint8_t *frame, uint32_t len);
};

// A frame that claims to be a hello.
struct drb_hello_frame {
	const uint8_t *octets;
	uint32_t length;
	uint64_t waited_ns; // since it came
};

// Result of a hello.
enum drb_hello_result {
	DRB_HELLO_HEARD, // or ignored, because hellos are off here
	DRB_HELLO_BAD,   // malformed
	DRB_HELLO_VERSION_DIFFERS,
	DRB_HELLO_FORGED,  // not signed with this fabric's key
	DRB_HELLO_REPLAYED // sent before, or not by the neighbour of this port
};

// Hellos in a period while the neighbour suspects a loss.
#define DRB_HELLO_PROBES 10

// Limits the lines that a neighbour can make a switch log: at most this number for a port in each
// window. The switch then logs how many lines it left out.
#define DRB_LOG_LINES 8
#define DRB_LOG_WINDOW_NS UINT64_C(10000000000)

struct drb_log_budget {
	uint64_t since_ns; // when the window began
	uint32_t lines, left_out;
};

// One port. Only the owner, worker 0, writes and reads it, by the functions below. Others use
// drb_links_read() and the copies of drb_liveness_view().
struct drb_liveness_port {
	// Written by drb_liveness_init(). drb_liveness_set() writes the flags, and the periods and
	// limits in `setup` and link.setup.
	struct drb_port_setup setup;
	bool watched; // hellos, or at least the carrier, are checked
	bool starts;  // watched from the next check on, which clears it
	// Written by drb_liveness_service() and drb_liveness_hear().
	struct drb_link link;           // its state; drb_liveness_drain() sets `drained`
	uint64_t hello_due_ns;          // when the next is due; UINT64_MAX: none is sent
	uint64_t hellos_in, hellos_out; // taken; sent
	uint8_t refused;                // failed attempts to send the next hello
	bool rests;                     // at rest: the next hello is sent later
	bool has_said;                  // a hello was sent
	uint8_t said;                   // flags of the last hello sent
	uint32_t said_version;          // version of the outages in that hello
	uint16_t mtu;                   // bytes, of the device; 0: unknown
	uint64_t frames;                // valid frames received until looked_ns
	int64_t missing; // packets sent by the neighbour and not received, at its last hello
	struct drb_hello_faults faults;
	struct drb_log_budget log; // of lines about its state
};

// Only its owner writes and reads it; others read *published.
struct drb_liveness {
	// Set by drb_liveness_init().
	struct drb_liveness_io io;
	struct drb_published_links *published;
	struct drb_liveness_port *port; // owned. NULL before init
	uint32_t ports, down_ports;
	uint32_t layer, label;
	uint16_t fabric_mtu;
	bool counts; // packets are counted, which only one worker can do
	struct drb_hello_key key;
	struct drb_hello self; // fields that all hellos of this switch have in common
	// Set by drb_liveness_set(); a bit per port.
	uint64_t active;  // a device is behind the port
	uint64_t awaited; // a memif port that has not met its peer
	// State.
	uint64_t due_ns;         // when drb_liveness_service() has work; UINT64_MAX: never
	uint64_t planned_ns;     // due_ns as the last check set it, before later requests
	uint64_t carrier_due_ns; // when carriers are checked again
	uint64_t looked_ns;      // when the last check was
	bool heard_any;          // a hello has ever come on some port
	bool no_alternate;       // this switch has fewer than two uplinks in use
	bool changed;            // something was switched on or off since the last check
	bool silent;             // no hello is sent. Set by the owner
	bool rests;              // all links with hellos are at rest
	uint64_t off;            // a bit per port: down by drb_port_order(), without hellos
	uint64_t needs_upstream; // a bit per port: drained uplinks; this switch needs one of them
	uint64_t needed;         // those, and drained down-ports to switches that need this one
	struct drb_known_outages known;
	struct drb_log_budget outages_log;
};

// published must outlive l. 0, -ENOMEM or -EINVAL (the key file) with a message printed.
int drb_liveness_init(struct drb_liveness *l, const struct drb_setup *setup,
		      const struct drb_liveness_io *io, struct drb_published_links *published);
void drb_liveness_free(struct drb_liveness *l);

// Sets the ports that exist, and their periods: at the start, when a memif port meets or loses its
// peer, and after a reload. Publishes. Does nothing before drb_liveness_init().
void drb_liveness_set(struct drb_liveness *l, const struct drb_setup *setup, uint64_t active,
		      uint64_t awaited, uint64_t now_ns);
// Drains or undrains the port. Published at the next check, which is due at once.
void drb_liveness_drain(struct drb_liveness *l, uint32_t port, bool drained);

static inline bool drb_liveness_sends(const struct drb_liveness_port *p)
{
	return p->hello_due_ns != UINT64_MAX;
}
// Fills in the fields that all hellos by this port have in common.
void drb_liveness_said_by(const struct drb_liveness *l, const struct drb_liveness_port *p,
			  struct drb_hello *hello);
// Sends a hello by the port if one is due. Returns when to check the port again.
uint64_t drb_liveness_send_due(struct drb_liveness *l, uint32_t port, uint64_t now_ns);
// Has these ports, one bit each, send a hello at at_ns or sooner.
void drb_liveness_send_soon(struct drb_liveness *l, uint64_t ports, uint64_t at_ns);

// An interface has changed: the next check, which is due at once, reads the carriers.
void drb_liveness_look(struct drb_liveness *l);

// Sends, checks and publishes what is due. Call once now_ns has reached due_ns.
void drb_liveness_service(struct drb_liveness *l, uint64_t now_ns);
// Takes a hello frame that came in by this port. Publishes if the use of ports may change.
enum drb_hello_result drb_liveness_hear(struct drb_liveness *l, uint32_t port,
					const struct drb_hello_frame *frame, uint64_t now_ns);

// Notes that hellos of this port were lost in this switch, for lack of buffers.
void drb_liveness_lost_here(struct drb_liveness *l, uint32_t port, uint64_t now_ns);

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX],
		       uint64_t now_ns);
struct drb_port_link drb_liveness_view_port(const struct drb_liveness *l, uint32_t port,
					    uint64_t now_ns);
// Writes what a lossy link loses or, if it no longer does, that it is still held back.
void drb_liveness_lossy_text(const struct drb_port_link *view, const char *peer, char *text,
			     size_t size);
// The word for a port's state: drb_link_state_name(), and whether a drained port is still needed.
const char *drb_liveness_state(const struct drb_port_link *view);
// Logs that port's state changed from `before`, and what to do about it.
void drb_liveness_log(struct drb_liveness *l, uint32_t port, enum drb_link_state before,
		      uint64_t now_ns);
// Logs that a drained port is used because there is no other path, or no longer.
void drb_liveness_log_needed(struct drb_liveness *l, uint32_t port, bool needed, uint64_t now_ns);
// Logs that hellos can no longer carry all outages, or can again.
void drb_liveness_log_outages(struct drb_liveness *l, bool more, uint64_t now_ns);
// Returns how many ports can be used. Adds to text what is wrong with the others, and which cable
// to move where.
uint32_t drb_liveness_trouble(const struct drb_setup *setup,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size);
