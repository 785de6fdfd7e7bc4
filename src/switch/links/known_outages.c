// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/known_outages.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "core/links/port_selection.h"
#include "switch/links/liveness.h"

// Neighbours whose outages change all the time must not flood others. The switch gathers outages,
// finds routes and sends news no sooner than this after the last time.
#define AGAIN_NS 20000000
// After this many times in a row the interval is PACE_NS. Where hundreds of switches start on a few
// CPUs, all links are outages at first, and the work for these must not make hellos late.
#define IN_A_ROW 32
#define PACE_NS 100000000
// Time in which hellos carry the news to all switches. Until then, packets use the routes only if
// their path goes up and then down, or if they are on a detour already.
#define SETTLE_NS 250000000

int drb_known_outages_init(struct drb_known_outages *k, const struct drb_setup *s,
			   struct drb_published_routes *published)
{
	*k = (struct drb_known_outages){.published = published, .settled_ns = UINT64_MAX};
	*published = (struct drb_published_routes){0};
	if (drb_routes_init(&k->routes, &s->tree, s->layer, s->label) == 0 && !k->routes.node)
		return 0; // the fabric is too large for routes
	published->racks = k->routes.racks;
	published->to = k->routes.node ? calloc(published->racks, sizeof(*published->to)) : NULL;
	if (published->to)
		return 0;
	drb_known_outages_free(k);
	drb_error("no memory for routes");
	return -ENOMEM;
}

void drb_known_outages_free(struct drb_known_outages *k)
{
	drb_routes_free(&k->routes);
	if (!k->published)
		return; // never initialised
	free(k->published->to);
	*k->published = (struct drb_published_routes){0};
}

static struct drb_outages gather(const struct drb_liveness *l)
{
	const struct drb_known_outages *k = &l->known;
	struct drb_outage_sources s = {.tree = &k->routes.tree,
				       .layer = l->layer,
				       .label = l->label,
				       .dead = k->own_dead,
				       .spare = k->own_spare};
	struct drb_outages o;

	for (uint32_t i = 0; i < l->ports; i++) {
		if (l->port[i].watched && l->port[i].link.heard)
			s.heard[i] = &l->port[i].link.hello.outages;
	}
	drb_outages_gather(&o, &s);
	return o;
}

// False if some outages are left out, because then switches know different ones.
static bool can_route(const struct drb_outages *o)
{
	return o->count > 0 && !o->more;
}

static bool is_published(const struct drb_known_outages *k)
{
	for (uint32_t i = 0; i < k->published->racks; i++) {
		if (atomic_load_explicit(&k->published->to[i], memory_order_relaxed) !=
		    drb_routes_to(&k->routes, i))
			return false;
	}
	return true;
}

// Finds the routes. If no hello has come, the neighbours know no outages, so there are only
// detours. News that change no route need no time to settle.
static void routes_find(struct drb_known_outages *k, bool hears, uint64_t now_ns)
{
	const bool before = k->routed;

	k->routed = hears && can_route(&k->outages);
	if (k->routed)
		drb_routes_find(&k->routes, &k->outages, k->own_dead);
	if (before && k->routed && is_published(k))
		return;
	k->settled = false;
	k->settled_ns = k->routed ? now_ns + SETTLE_NS : UINT64_MAX;
}

// Has hellos with the news sent to all neighbours, soon.
static void tell(struct drb_liveness *l, uint64_t now_ns)
{
	struct drb_known_outages *k = &l->known;

	if (k->told_ns <= now_ns)
		k->told_ns = k->told_ns + AGAIN_NS > now_ns ? k->told_ns + AGAIN_NS : now_ns;
	drb_liveness_send_soon(l, UINT64_MAX, k->told_ns);
}

static uint64_t next_ns(const struct drb_known_outages *k)
{
	const uint64_t again = k->gathered_ns + AGAIN_NS, ahead = IN_A_ROW * (uint64_t)PACE_NS;

	return k->paced_ns > again + ahead ? k->paced_ns - ahead : again;
}

// Gathers the outages that are known now, and updates routes and hellos if they changed.
static void look_for_news(struct drb_liveness *l, bool is_own, uint64_t now_ns)
{
	struct drb_known_outages *k = &l->known;
	const struct drb_outages now = gather(l);
	const bool begins = l->heard_any && can_route(&now) && !k->routed;
	const bool is_elsewhere = is_own || begins || !drb_outages_same(&now, &k->outages);
	const bool is_news = !drb_outages_equal(&now, &k->outages);
	const bool more = now.more > 0;

	// Changes at own ports are handled at once, but advance paced_ns, too. The limit bounds how
	// long they delay later news.
	const uint64_t most = now_ns + (IN_A_ROW + 1) * (uint64_t)PACE_NS;

	k->waits = false;
	k->gathered_ns = now_ns;
	k->paced_ns = (k->paced_ns > now_ns ? k->paced_ns : now_ns) + PACE_NS;
	k->paced_ns = k->paced_ns < most ? k->paced_ns : most;
	if (more != (k->outages.more > 0))
		drb_liveness_log_outages(l, more, now_ns);
	k->outages = now;
	k->version += is_news;
	if (is_elsewhere)
		routes_find(k, l->heard_any, now_ns);
	if (is_news)
		tell(l, now_ns);
}

void drb_known_outages_update(struct drb_liveness *l, const struct drb_port_knowledge *ports,
			      uint64_t now_ns)
{
	struct drb_known_outages *k = &l->known;
	const uint64_t own_dead = ports->dead | ~(ports->downs | ports->ups);
	const bool is_own = own_dead != k->own_dead || ports->drained != k->own_spare;

	if (!k->routes.node)
		return;
	k->own_dead = own_dead;
	k->own_spare = ports->drained;
	if (is_own || (k->waits && now_ns >= next_ns(k)))
		look_for_news(l, is_own, now_ns);
	else if (k->waits && next_ns(k) < l->due_ns)
		l->due_ns = next_ns(k);
	if (now_ns >= k->settled_ns) {
		k->settled = true;
		k->settled_ns = UINT64_MAX;
	}
	drb_routes_publish(k->published, &k->routes, k->routed, k->settled);
}

uint64_t drb_known_outages_due_ns(const struct drb_known_outages *k)
{
	const uint64_t news = k->waits ? next_ns(k) : UINT64_MAX;

	return news < k->settled_ns ? news : k->settled_ns;
}
