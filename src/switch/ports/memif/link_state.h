// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One memif link (link.c) and all links of a switch (links.c). The control thread owns them.

#include "switch/ports/memif/link.h"
#include "switch/ports/memif/memif_port.h"

struct event;

enum drb_memif_link_state {
	DRB_MEMIF_LINK_ALONE, // there is no peer
	DRB_MEMIF_LINK_CALLS, // a client connects its socket `fd`
	DRB_MEMIF_LINK_TALKS, // the handshake is under way
	DRB_MEMIF_LINK_JOINS, // workers are getting the rings; fd -1: the peer is gone again
	DRB_MEMIF_LINK_UP,    // workers have the rings
	DRB_MEMIF_LINK_LEAVES // the channel has ended, and workers are giving up the rings
};

struct drb_memif_link {
	struct drb_memif_links *all;
	struct drb_port *port;
	enum drb_memif_link_state state;
	int fd;              // the channel's socket; -1: none
	struct event *hears; // a message came; NULL: no socket
	struct event *opens; // a client connects to this server; NULL: this end is a client
	struct event *again; // timer of the next try
	struct drb_memif_channel channel;
	struct drb_memif_answer joined; // sent to the peer once workers have the rings
	char complaint[160];            // last one logged, as peers may retry many times a second
	bool has_come;                  // the link was up before
	bool rests;                     // it is logged that a doorbell of the peer rests
};

struct drb_memif_links {
	const struct drb_memif_host *host;
	bool settled; // see drb_memif_links_look()
	uint32_t count;
	struct drb_memif_link link[];
};

// False: out of memory. drb_memif_link_end() also frees such a link.
bool drb_memif_link_begin(struct drb_memif_link *l, struct drb_memif_links *all,
			  struct drb_port *port);
void drb_memif_link_end(struct drb_memif_link *l);
