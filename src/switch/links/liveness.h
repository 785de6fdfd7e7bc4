// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which ports of a switch can be used. Worker 0 says and hears hellos, looks at carriers and keeps
// the state of every port, between two turns of its loop; the others hand it the hellos they
// receive and read what it publishes.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/routing/detour.h"
#include "core/links/link_state.h"

#include "common/config/config.h"

struct rte_mbuf;
struct rte_mempool;
struct rte_ring;
struct drb_worker;

// What worker 0 tells the others: written by it when it changes, read by each at every turn.
struct drb_published_links {
	// A bit per port: not to be used. From bit 32 on: drained, to be used by what would be lost
	// otherwise; in one word, as a port without either would be of no use.
	atomic_ullong dead;
	atomic_uint no_alternate; // down-ports to switches that cannot turn a packet
};

// A port as readers of counters see it.
struct drb_port_link {
	bool watched; // hellos or at least the carrier are looked at
	enum drb_link_state state;
	bool needed; // drained, and used because there is no other way
	uint64_t since_ns;
	uint64_t hellos_in, hellos_out;
	bool heard;            // ever; from:
	struct drb_hello last; // the neighbour's last hello
};

// Of worker 0 alone, but for the ring.
struct drb_liveness {
	uint32_t layer, label;
	struct drb_port_setup *setup; // of each port. Owned
	struct rte_mempool *pool;
	struct rte_ring *ring; // hellos that other workers received; NULL: there are no others
	int fd;                // to ask the kernel by
	uint64_t fabric;
	uint64_t due_ns;   // when to look again; UINT64_MAX: nothing is watched
	uint64_t ask_ns;   // when to ask for carriers again
	bool others;       // a hello was heard on some port
	bool no_alternate; // we have fewer than two uplinks in use
	uint32_t needs;    // a bit per port: our drained uplinks, of which we need one
	uint32_t needed;   // those and drained down-ports to switches that need us
	bool changed;      // something is switched on or off
	bool watched[DRB_PORTS_MAX];
	bool begins[DRB_PORTS_MAX];     // watched from the next look on
	uint64_t say_ns[DRB_PORTS_MAX]; // when the next hello is due; UINT64_MAX: never
	uint64_t in[DRB_PORTS_MAX], out[DRB_PORTS_MAX];
	struct drb_link port[DRB_PORTS_MAX];
};

// After the ports are attached, before the worker runs. pool: for hellos. workers: of this switch.
// 0 or -errno, with a message printed.
int drb_liveness_init(struct drb_worker *w, const struct drb_setup *setup, struct rte_mempool *pool,
		      uint32_t workers);
// While the worker is parked: other periods, or off.
void drb_liveness_set(struct drb_worker *w, const struct drb_setup *setup);
// While the worker is parked: port i shall take no new traffic, or shall again.
void drb_liveness_drain(struct drb_worker *w, uint32_t i, bool drained);
void drb_liveness_free(struct drb_worker *w);

// Worker 0, once w->now_ns has reached due_ns or another worker handed over hellos: says, hears,
// judges, publishes.
void drb_liveness_turn(struct drb_worker *w);
// True if another worker handed over hellos.
bool drb_liveness_handed(const struct drb_liveness *l);

// Any worker: takes a hello frame that came in by port index from a switch; no packet any more.
// False, and m is still the caller's: it is malformed.
bool drb_liveness_hear_hello(struct drb_worker *w, uint32_t in, struct rte_mbuf *m);
// Any worker, at the beginning of a turn: what worker 0 has published.
void drb_liveness_read(struct drb_worker *w);
// Worker 0, for a snapshot.
void drb_liveness_view(const struct drb_worker *w, struct drb_port_link view[DRB_PORTS_MAX]);
// What a port's state is called.
const char *drb_liveness_state(const struct drb_port_link *view);
// Says in the log what became of port i, that was in state `before`, and what to do about it; or
// that it is drained and used nevertheless, or not any more.
void drb_liveness_log(const struct drb_worker *w, uint32_t i, enum drb_link_state before);
void drb_liveness_log_needed(const struct drb_worker *w, uint32_t i, bool needed);
// How many ports can be used; text becomes what is wrong with the others and which cable to move
// where, "" if nothing is.
uint32_t drb_liveness_trouble(const struct drb_setup *setup,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size);
