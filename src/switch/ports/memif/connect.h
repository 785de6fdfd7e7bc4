// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// memif links find their peers: when switches start, in any order, and again after a peer has died
// and come back. The upper switch of a link is its client. The driver looks for a server only when
// a client's device is started, once; so devices of clients without a link are stopped and started
// when somebody listens on the link's socket.

#include <stdint.h>

#include <event2/event.h>

struct drb_port_set;

struct drb_memif_connect {
	struct drb_port_set *ports;
	// Port `index` has met its peer for the first time: gives it to the workers. 0, or -ETIMEDOUT: one is
	// stuck; it is tried again.
	int (*met)(void *context, uint32_t index);
	void *context;
};

// Before drb_memif_connect_begin(), any number of times: tries to connect clients without a link,
// and calls met() for ports that have met their peer. Returns how many memif ports have no
// link.
uint32_t drb_memif_connect(const struct drb_memif_connect *s);
// Says which memif ports have not met their peer.
void drb_memif_connect_log(const struct drb_memif_connect *s);

// From now on it is done four times a second, if there are memif ports. 0 or -errno, with a message printed. s
// stays the caller's.
int drb_memif_connect_begin(struct event_base *base, const struct drb_memif_connect *s);
// Before the ports are stopped.
void drb_memif_connect_end(void);
