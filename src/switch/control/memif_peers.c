// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/memif_peers.h"

#include <errno.h>

#include "switch/control/switch.h"
#include "switch/datapath/changes.h"
#include "switch/ports/memif/memif_port.h"
#include "switch/startup/broker.h"

// Peers start in any order. If none has connected during one such period, a message names the
// missing ones.
#define LOOK_EVERY_S 5

static struct drb_memif_wish *new_wish(struct drb_switch *s, uint32_t port,
				       void (*done)(void *link, int rc), void *link)
{
	struct drb_memif_wish *wish = &s->memif.wish[port];

	*wish = (struct drb_memif_wish){.s = s, .port = port, .done = done, .link = link};
	return wish;
}

static void connect_now(void *wish)
{
	struct drb_memif_wish *c = wish;

	c->rc = drb_broker_connect(c->port, c->fd);
}

static void is_connected(void *wish)
{
	const struct drb_memif_wish *c = wish;

	c->done(c->link, c->rc);
}

static void connect_later(void *context, uint32_t port, int fd, void (*done)(void *link, int rc),
			  void *link)
{
	struct drb_switch *s = context;
	struct drb_memif_wish *wish = new_wish(s, port, done, link);

	wish->fd = fd;
	drb_background_run(&s->background, connect_now, is_connected, wish);
}

// When a worker gets the link for the first time, it also attaches the port.
static void make_change(struct drb_worker *w, uint32_t n, void *wish)
{
	const struct drb_memif_wish *c = wish;
	struct drb_port *port = &c->s->ports.port[c->port];

	drb_memif_port_change(n, port);
	if (c->has_link && !w->port[c->port].active)
		drb_worker_attach_port(w, port, &c->s->setup);
	else if (w->owner == w)
		drb_liveness_look(&w->liveness);
}

static void is_changed(void *wish, int rc)
{
	const struct drb_memif_wish *c = wish;

	c->done(c->link, rc);
}

static void change(void *context, uint32_t port, bool has_link, void (*done)(void *link, int rc),
		   void *link)
{
	struct drb_switch *s = context;
	struct drb_memif_wish *wish = new_wish(s, port, done, link);

	wish->has_link = has_link;
	wish->change = (struct drb_change){.make = make_change,
					   .done = is_changed,
					   .context = wish,
					   .patient = !has_link,
					   .sockets = true};
	drb_change_post(&s->workers, &wish->change);
}

static void peers_look(int fd, short events, void *context)
{
	struct drb_switch *s = context;
	struct drb_memif_peers *p = &s->memif;
	const uint32_t missing = drb_memif_links_missing(p->links);
	const bool settle = missing == 0 || missing >= p->missing;

	(void)fd, (void)events;
	p->missing = missing;
	drb_memif_links_look(p->links, settle);
}

int drb_memif_peers_open(struct drb_switch *s)
{
	struct drb_memif_peers *p = &s->memif;

	p->host = (struct drb_memif_host){s->base, &s->ports, connect_later, change, s};
	p->links = drb_memif_links_begin(&p->host);
	if (!p->links)
		return -ENOMEM;
	p->missing = drb_memif_links_missing(p->links);
	p->looks = drb_switch_every(s, LOOK_EVERY_S * 1000000, peers_look);
	if (p->looks)
		return 0;
	drb_memif_links_end(p->links);
	return -ENOMEM;
}

void drb_memif_peers_close(struct drb_switch *s)
{
	event_free(s->memif.looks);
	drb_memif_links_end(s->memif.links);
}
