// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/reconfigure.h"

#include <errno.h>
#include <string.h>

#include <rte_mbuf.h>

#include "common/cli/clock.h"
#include "switch/datapath/hellos.h"
#include "switch/datapath/worker_setup.h"

static uint32_t size_of(const void *packet)
{
	return ((const struct rte_mbuf *)packet)->pkt_len;
}

int drb_reconfigure_make(struct drb_reconfigure *c, const struct drb_worker *w,
			 const struct drb_setup *from, const struct drb_setup *to)
{
	memset(c, 0, sizeof(*c));
	c->setup = to;
	c->another_unit = from->unit != to->unit;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		struct drb_link_model link = drb_worker_link(to, &to->ports[i]);
		uint32_t limit = drb_worker_share(to, to->ports[i].queue);
		if (drb_egress_ring_for(&w->egress.queue[i], limit, &link.rate, size_of,
					&c->ring[i]) < 0)
			goto fail;
	}
	c->another_state = !drb_scheme_state_stays(from, to);
	if (c->another_state && drb_scheme_state_init(&c->scheme_state, to) < 0)
		goto fail;
	if (!c->another_unit || drb_assign_make(&c->memory, to) == 0)
		return 0;
fail:
	drb_reconfigure_free(c);
	return -ENOMEM;
}

void drb_reconfigure_free(struct drb_reconfigure *c)
{
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++)
		drb_egress_ring_free(&c->ring[i]);
	drb_assign_free(&c->memory);
	drb_scheme_state_free(&c->scheme_state);
}

void drb_reconfigure_apply(struct drb_worker *w, struct drb_reconfigure *c)
{
	const struct drb_setup *s = c->setup;

	w->egress.now_ns = drb_clock_now();
	drb_worker_choose(&w->decide, s);
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		struct drb_link_model link = drb_worker_link(s, p);
		uint32_t limit = w->port[i].active ? drb_worker_share(s, p->queue) : 0;
		drb_egress_change(&w->egress.queue[i], limit, &link, w->egress.now_ns, &c->ring[i]);
	}
	if (c->another_state) {
		const struct drb_scheme_state old = w->decide.scheme_state;
		w->decide.scheme_state = c->scheme_state;
		c->scheme_state = old;
	}
	drb_worker_configure(w, s);
	drb_hellos_set(w, s);
	if (c->another_unit)
		drb_assign_exchange(&w->decide, &c->memory);
	drb_assign_set(&w->decide, s);
	drb_threshold_set(&w->decide, s);
}
