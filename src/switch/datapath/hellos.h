// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hellos between the ports and links/liveness. Worker 0 owns liveness and calls it between two
// iterations of its loop. The other workers pass worker 0 the hellos that they receive, and read
// what it publishes.

#include "switch/datapath/worker/worker.h"

// Call after the ports are attached, before worker 0 runs. 0 or -errno, with a message printed.
int drb_hellos_init(struct drb_worker *w, const struct drb_setup *setup, struct rte_mempool *pool);
void drb_hellos_free(struct drb_worker *w);
// Applies new ports or hello periods. Call as a change of worker 0 (ports/change.h), or before it
// runs.
void drb_hellos_set(struct drb_worker *w, const struct drb_setup *setup);

// Worker 0, at the end of an iteration: sends hellos that are due, and takes those from hello
// sockets and from other workers.
void drb_hellos_service(struct drb_worker *w);
// Worker 0: takes a hello frame of port `in`. A refused hello counts as a dropped packet. counted:
// the caller counts a malformed one itself.
enum drb_hello_result drb_hellos_hear(struct drb_worker *w, uint32_t in,
				      const struct drb_hello_frame *frame, bool counted);
// Any other worker, at the end of an iteration: publishes for worker 0 how many frames came.
void drb_hellos_publish_frames(struct drb_worker *w);
// True if another worker has handed over a hello, or a hello socket holds one with news.
bool drb_hellos_waiting(const struct drb_worker *w);

// Any worker: takes a hello frame that came in by port `in` from a switch, or a copy of one that
// the port's hello socket holds. The caller does not count it as a packet. False: it is malformed,
// and m stays the caller's.
bool drb_hellos_receive(struct drb_worker *w, uint32_t in, struct rte_mbuf *m);
// Any worker, at the beginning of an iteration: reads the links that worker 0 has published.
void drb_hellos_read_links(struct drb_worker *w);
// Any worker, at the end of an iteration in which it answers the heartbeat: reads whether the
// switch is silent. A silent switch sends nothing to other switches, which would take a frame for a
// sign of life.
void drb_hellos_read_silence(struct drb_worker *w);
