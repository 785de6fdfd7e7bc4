// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hellos between the ports and links/liveness. Worker 0 owns liveness and calls it between two iterations of
// its loop. The other workers pass it the hellos they receive, and read what it publishes.

#include "switch/datapath/worker/worker.h"

// After the ports are attached, before worker 0 runs. 0 or -errno, with a message printed.
int drb_hellos_init(struct drb_worker *w, const struct drb_setup *setup, struct rte_mempool *pool);
void drb_hellos_free(struct drb_worker *w);
// As a change of the worker, or before it runs: ports came or went, or hellos have other periods.
void drb_hellos_set(struct drb_worker *w, const struct drb_setup *setup);

// Worker 0, at the end of an iteration: what is due, or came by a socket of hellos, or was handed over.
void drb_hellos_service(struct drb_worker *w);
// Worker 0: a hello frame of port `in`. What is refused counts as a packet that was dropped, unless the caller will
// count it.
enum drb_hello_result drb_hellos_hear(struct drb_worker *w, uint32_t in,
				      const struct drb_hello_frame *frame, bool counted);
// Another worker, at the end of an iteration: tells worker 0 that frames came.
void drb_hellos_publish_frames(struct drb_worker *w);
// True if another worker handed over a hello, or a socket of hellos has one that says something new.
bool drb_hellos_waiting(const struct drb_worker *w);

// Any worker: takes a hello frame that came in by port `in` from a switch, or a copy of one that its socket has; the
// caller counts it as no packet. False, and m is still the caller's: it is malformed.
bool drb_hellos_receive(struct drb_worker *w, uint32_t in, struct rte_mbuf *m);
// Any worker, at the beginning of an iteration: takes over what worker 0 has published.
void drb_hellos_read_links(struct drb_worker *w);
// Any worker, at the end of an iteration in which it answers the heartbeat: whether the switch is silent, and
// nothing goes to other switches, which would take a frame for a sign of life.
void drb_hellos_read_silence(struct drb_worker *w);
