// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The outages of the fabric, as far as a switch knows them from its own ports and its neighbours'
// hellos, and the routes around them. Owned by liveness.

#include <stdbool.h>
#include <stdint.h>

#include "core/links/outages.h"
#include "core/routing/routes.h"

#include "common/config/config.h"
#include "switch/links/published_routes.h"

struct drb_liveness;
struct drb_port_knowledge;

struct drb_known_outages {
	struct drb_outages outages; // as this switch's hellos report them
	uint32_t version;           // of outages
	struct drb_routes routes;
	struct drb_published_routes *published;
	uint64_t own_dead;    // own ports that the routes leave out
	uint64_t own_spare;   // own ports that are spare
	bool routed;          // the routes are valid: some outage is known
	bool settled;         // the neighbours know the outages, too
	bool waits;           // a neighbour has reported other outages. Set by liveness
	uint64_t gathered_ns; // when outages were last gathered
	uint64_t paced_ns;    // virtual clock, a step of PACE_NS for each gathering
	uint64_t settled_ns;  // when neighbours will know; UINT64_MAX: nothing settles
	uint64_t told_ns;     // when hellos with news were last due
};

// 0 or -ENOMEM with a message printed. published must outlive k.
int drb_known_outages_init(struct drb_known_outages *k, const struct drb_setup *setup,
			   struct drb_published_routes *published);
void drb_known_outages_free(struct drb_known_outages *k);
// Call when outages that neighbours report, or own ports, may have changed. Publishes routes, and
// has hellos sent if neighbours must know.
void drb_known_outages_update(struct drb_liveness *l, const struct drb_port_knowledge *ports,
			      uint64_t now_ns);
// Returns when drb_known_outages_update() has work even without changes. UINT64_MAX: never.
uint64_t drb_known_outages_due_ns(const struct drb_known_outages *k);
