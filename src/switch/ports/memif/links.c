// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/link_state.h"

#include <stdlib.h>

#include "common/cli/log.h"

static bool is_memif(const struct drb_port *port)
{
	return port->kind == &drb_memif_port;
}

struct drb_memif_links *drb_memif_links_begin(const struct drb_memif_host *host)
{
	struct drb_memif_links *all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < host->ports->count; i++)
		count += is_memif(&host->ports->port[i]);
	all = calloc(1, sizeof(*all) + count * sizeof(all->link[0]));
	bool begun = all;
	if (all)
		all->host = host;
	for (uint32_t i = 0; begun && i < host->ports->count; i++) {
		if (is_memif(&host->ports->port[i]))
			begun = drb_memif_link_begin(&all->link[all->count++], all,
						     &host->ports->port[i]);
	}
	if (begun)
		return all;
	drb_error("out of memory for memif links");
	drb_memif_links_end(all);
	return NULL;
}

void drb_memif_links_end(struct drb_memif_links *all)
{
	for (uint32_t i = 0; all && i < all->count; i++)
		drb_memif_link_end(&all->link[i]);
	free(all);
}

uint32_t drb_memif_links_missing(const struct drb_memif_links *all)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < all->count; i++)
		missing += all->link[i].state != DRB_MEMIF_LINK_UP;
	return missing;
}

static void say_missing(const struct drb_memif_link *l)
{
	const struct drb_port_setup *p = l->port->setup;
	char peer[DRB_NAME_MAX];

	drb_node_name(peer, p->peer.layer, p->peer.label);
	drb_warn("port %s: %s has not come to %s, not used until it does", p->name, peer,
		 p->socket);
}

// Logs when a worker stops ringing a slow doorbell for a while (doorbell.h).
static void look_at_doorbells(struct drb_memif_link *l)
{
	const struct drb_memif_port *own = drb_memif_port_of(l->port);
	bool rests = false;

	for (uint32_t n = 0; n < l->port->workers; n++)
		rests |= atomic_load_explicit(&own->queue[n].tx.slow, memory_order_relaxed) >=
			 DRB_DOORBELL_RESTS;
	if (rests && !l->rests)
		drb_warn("port %s: its memif peer is not woken for a while: waking it takes "
			 "milliseconds, as when very many descriptors watch its doorbell",
			 l->port->setup->name);
	l->rests = rests;
}

void drb_memif_links_look(struct drb_memif_links *all, bool settle)
{
	for (uint32_t i = 0; i < all->count; i++) {
		look_at_doorbells(&all->link[i]);
		if (settle && !all->settled && !all->link[i].has_come)
			say_missing(&all->link[i]);
	}
	all->settled |= settle;
}
