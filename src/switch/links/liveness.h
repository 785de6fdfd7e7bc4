// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which ports of a switch can be used: sends hellos when they are due, hears those of neighbours,
// looks at carriers, keeps the state of every port and publishes the result. It knows no worker and
// no driver: the caller owns the clock and passes ports through struct drb_liveness_io
// (datapath/hellos.c does, on worker 0, between two iterations of its loop).

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/links/link_state.h"

#include "common/config/config.h"

// Written by the owner of struct drb_liveness when it changes, read by every worker in every iteration.
struct drb_published_links {
	// A bit per port: takes no traffic. From bit 32 on: drained, and used only for packets that
	// would be lost otherwise. One word, so that no reader sees one without the other.
	atomic_ullong dead;
	atomic_uint no_alternate; // down-ports to switches that cannot turn a packet back up
};

// One port as readers of counters see it.
struct drb_port_link {
	bool watched; // hellos or at least the carrier are looked at
	enum drb_link_state state;
	bool needed; // drained, and used because there is no other path
	uint64_t since_ns;
	uint64_t hellos_in, hellos_out;
	bool heard;            // a hello came, ever; the last one:
	struct drb_hello last; // valid if heard
};

// How liveness reaches the ports of its switch.
struct drb_liveness_io {
	void *context;
	bool (*has_carrier)(void *context, uint32_t port);
	// False: not sent; the next one is due a period later all the same.
	bool (*send)(void *context, uint32_t port, const struct drb_hello *hello);
};

// Written and read by its owner alone; *published is what others read.
struct drb_liveness {
	// Set by drb_liveness_init().
	struct drb_liveness_io io;
	struct drb_published_links *published;
	struct drb_port_setup *setup; // of each port; owned. NULL before init
	uint32_t ports, down_ports;
	uint32_t layer, label;
	uint64_t fabric; // drb_hello_fabric()
	// Set by drb_liveness_set(); a bit per port.
	uint32_t active;  // a device is behind the port
	uint32_t awaited; // a memif port that has not met its peer
	// State.
	uint64_t due_ns;         // when drb_liveness_turn() has work; UINT64_MAX: never
	uint64_t carrier_due_ns; // when carriers are asked for again
	bool heard_any;          // a hello came on some port, ever
	bool no_alternate;       // this switch has fewer than two uplinks in use
	bool changed;            // something was switched on or off since the last turn
	uint32_t needs_upstream; // a bit per port: drained uplinks of which this switch needs one
	uint32_t needed;         // those, and drained down-ports to switches that need this one
	bool watched[DRB_PORTS_MAX];
	bool starts[DRB_PORTS_MAX];           // watched from the next turn on
	uint64_t hello_due_ns[DRB_PORTS_MAX]; // UINT64_MAX: no hello is sent there
	uint64_t hellos_in[DRB_PORTS_MAX], hellos_out[DRB_PORTS_MAX];
	struct drb_link port[DRB_PORTS_MAX];
};

// published must outlive l. 0, or -ENOMEM with a message printed.
int drb_liveness_init(struct drb_liveness *l, const struct drb_setup *setup,
		      const struct drb_liveness_io *io, struct drb_published_links *published);
void drb_liveness_free(struct drb_liveness *l);

// The ports that are there, and their periods: at the start, when a memif port meets or loses its
// peer, and after a reload. Publishes. Nothing before drb_liveness_init().
void drb_liveness_set(struct drb_liveness *l, const struct drb_setup *setup, uint32_t active,
		      uint32_t awaited, uint64_t now_ns);
// The port takes no new traffic, or does again: published at the next turn, which is due at once.
void drb_liveness_drain(struct drb_liveness *l, uint32_t port, bool drained);

// Sends, checks and publishes what is due. Call once now_ns has reached due_ns.
void drb_liveness_turn(struct drb_liveness *l, uint64_t now_ns);
// A hello came in by this port. Publishes if anything follows from it.
void drb_liveness_hear(struct drb_liveness *l, uint32_t port, const struct drb_hello *hello,
		       uint64_t now_ns);

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX]);
// The word for a port's state: drb_link_state_name(), and whether a drained port is still needed.
const char *drb_liveness_state(const struct drb_port_link *view);
// Logs that port's state changed from `before`, and what to do about it.
void drb_liveness_log(const struct drb_liveness *l, uint32_t port, enum drb_link_state before);
// Logs that a drained port is used because there is no other path, or no longer.
void drb_liveness_log_needed(const struct drb_liveness *l, uint32_t port, bool needed);
// How many ports can be used; text becomes what is wrong with the others and which cable to move
// where, "" if nothing is.
uint32_t drb_liveness_trouble(const struct drb_setup *setup,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size);
