// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The outages of the fabric, as far as a switch knows them from its own ports and its neighbours' hellos, and
// the routes around them. Owned by liveness.

#include <stdbool.h>
#include <stdint.h>

#include "core/links/outages.h"
#include "core/routing/routes.h"

#include "common/config/config.h"
#include "switch/links/published_routes.h"

struct drb_liveness;
struct drb_port_knowledge;

struct drb_known_outages {
	struct drb_outages outages; // as our hellos tell them
	uint32_t version;           // of these
	struct drb_routes routes;
	struct drb_published_routes *published;
	uint64_t own_dead;    // own ports that the routes leave out
	uint64_t own_spare;   // own ports that are spare
	bool routed;          // the routes hold: some outage is known
	bool settled;         // and the neighbours know it, too
	bool waits;           // a neighbour has told something else than before. Set by liveness
	uint64_t gathered_ns; // when news were last looked for
	uint64_t
		paced_ns; // when they could be again, were they never looked for sooner than on average
	uint64_t settled_ns; // when the neighbours will know; UINT64_MAX: they do
	uint64_t told_ns;    // when hellos last had to go out because of news
};

// 0 or -ENOMEM with a message printed. published must outlive k.
int drb_known_outages_init(struct drb_known_outages *k, const struct drb_setup *setup,
			   struct drb_published_routes *published);
void drb_known_outages_free(struct drb_known_outages *k);
// What neighbours tell, or own ports, a bit each, may have changed: dead, spare, or not there. Publishes, and has
// hellos sent if neighbours must be told.
void drb_known_outages_update(struct drb_liveness *l, const struct drb_port_knowledge *ports,
			      uint64_t now_ns);
// When there is work without news; UINT64_MAX: never.
uint64_t drb_known_outages_due_ns(const struct drb_known_outages *k);
