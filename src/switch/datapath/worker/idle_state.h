// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sleep of one worker: what wakes it, and when it last woke. loop.c, idle.c and bulk_policy.c
// write it.

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"

struct drb_idle_state {
	bool poll;             // spin instead of sleeping; constant
	bool has_doorbells;    // some port has a doorbell
	bool no_wakeup;        // some port has neither descriptor nor doorbell: poll
	uint64_t receive_ns;   // when to poll all ports even if nothing wakes the worker
	uint64_t backoff_ns;   // the next sleep, at most, if no_wakeup
	int epoll_fd, kick_fd; // the set has the kick, doorbells, hello sockets
	// Descriptors that wake a sleeping worker: the epoll set, then the sockets of ports. With a
	// socket in the set, every packet makes the kernel search for a sleeper, even while the
	// worker is awake. A socket outside is polled twice with every sleep, even if nothing
	// comes. Sockets of ports therefore enter the set after a second without packets, and leave
	// it at the next packet. Hello sockets are in the set at other times.
	struct pollfd watched[DRB_PORTS_MAX + 1];
	uint32_t watched_count;
	bool all_in_set;
	bool hellos_tell;  // hello sockets are in the set, and wake the worker
	uint64_t woken_ns; // when a packet last ended a sleep
	struct {
		bool may_wait, waits; // waits: it is SCHED_BATCH
		uint64_t since_ns;    // begin of the current span
		uint64_t octets;      // bytes received before it
		uint64_t bulk_ns;     // when a span last had bulk traffic; 0: never
	} bulk;
};
