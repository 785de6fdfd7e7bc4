// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/transmit.h"

void drb_worker_choose(struct drb_decide_state *d, const struct drb_setup *s)
{
	d->scheme = s->scheme.like;
	d->choice = s->choice;
	memcpy(d->param, s->scheme.param, sizeof(d->param));
	d->choice.param = d->param;
	if (d->scheme == DRB_SCHEME_COUNT) {
		d->guarded = drb_guard(s->choice.ops, &d->routing.scheme_errors);
		d->choice.ops = &d->guarded.ops;
	}
	d->packet_choice = d->choice;
}

int drb_worker_init(struct drb_worker *w, const struct drb_setup *s)
{
	memset(w, 0, sizeof(*w));
	w->hop = s->hop;
	w->addr = s->addr;
	w->mtu = s->mtu;
	w->egress.down_ports = s->down_ports;
	w->egress.up_ports = s->up_ports;
	w->egress.ports = s->down_ports + s->up_ports;
	w->receive.burst = s->burst;
	w->egress.tx_burst = s->burst;
	w->idle.poll = s->idle == DRB_IDLE_POLL;
	w->owner = w;
	drb_worker_choose(&w->decide, s);
	w->links.node = (struct drb_detour_node){.hop = s->hop,
						 .layer = s->layer,
						 .down_ports = s->down_ports,
						 .up_ports = s->up_ports};
	drb_threshold_init(&w->decide, s);
	w->decide.rng = drb_rng_seed(s->seed, (uint64_t)s->layer << 32 | s->label);
	w->idle.epoll_fd = w->idle.kick_fd = w->egress.changes_fd = -1;
	w->egress.review_ns = UINT64_MAX;
	w->liveness.due_ns = w->hello_io.look_ns = UINT64_MAX;
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++)
		w->hello_io.port[i].fd = -1;
	// Decisions number racks by destination / d, so a single switch has two.
	w->links.routes = calloc(drb_routes_fit(&s->tree) ? s->tree.hosts / s->tree.arity : 1,
				 sizeof(*w->links.routes));
	if (!w->links.routes ||
	    drb_class_tables_init(&w->class_tables, &w->hop, drb_frame_max(s->mtu)) < 0 ||
	    drb_scheme_state_init(&w->decide.scheme_state, s) < 0) {
		drb_worker_free(w);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t queue = drb_worker_share(s, p->queue);
		struct drb_link_model link = drb_worker_link(s, p);
		w->port[i].host = p->peer.layer == 0 ? p->peer.label : DRB_NO_LABEL;
		w->egress.delayed |= (uint64_t)(p->on_link > 0) << i;
		if (drb_egress_init(&w->egress.queue[i], queue, &link) < 0 ||
		    drb_delay_line_init(&w->egress.line[i], p->on_link ? p->delay_ns : 0,
					drb_worker_share(s, p->on_link)) < 0) {
			drb_worker_free(w);
			return -ENOMEM;
		}
		w->egress.queue[i].limit = 0; // until a device is attached
	}
	w->idle.backoff_ns = DRB_BACKOFF_MIN_NS;
	drb_worker_configure(w, s);
	return 0;
}

void drb_worker_join(struct drb_worker *w, struct drb_worker *owner, uint32_t number)
{
	w->number = number;
	w->owner = owner;
}

// Returns the uplinks whose rings are part of the load, one bit each. Flow unit has none, because
// it compares flows, not packets.
static uint32_t rings_of(const struct drb_worker *w, const struct drb_setup *s)
{
	uint32_t rings = 0;

	if (w->egress.up_ports < 2 || s->unit == DRB_UNIT_FLOW ||
	    s->choice.ops->compares == DRB_COMPARES_NONE)
		return 0;
	for (uint32_t u = 0; u < w->egress.up_ports; u++) {
		const struct drb_port_queue *q = w->port[w->egress.down_ports + u].queue;
		bool wanted = s->ports[w->egress.down_ports + u].occupancy == DRB_OCCUPANCY_RING;
		rings |= (uint32_t)(wanted && q && q->in_ring) << u;
	}
	return rings;
}

static void set_paced(struct drb_port_queue *q, bool paced)
{
	if (!q || q->paced == paced)
		return;
	q->paced = paced;
	if (q->review)
		q->review(q);
}

void drb_worker_configure(struct drb_worker *w, const struct drb_setup *s)
{
	w->decide.assigns = s->unit != DRB_UNIT_PACKET && w->egress.up_ports > 0;
	w->timed = w->decide.assigns || (s->threshold_auto && w->egress.up_ports > 0) ||
		   w->decide.scheme_state.timed;
	w->egress.rings = rings_of(w, s);
	w->decide.outside = w->egress.rings || w->decide.shared_load.count > 0;
	memset(w->decide.ring_load.packets, 0, sizeof(w->decide.ring_load.packets));
	w->hellos = 0;
	w->egress.paced = false;
	w->egress.open = true;
	w->decide.pairs = !w->egress.rings && w->decide.choice.choices <= 2;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t source =
			s->check_source != DRB_CHECK_SOURCE_OFF ? w->port[i].host : DRB_NO_LABEL;
		w->hellos |= (uint64_t)(p->peer.layer > 0 && p->hello_ns > 0) << i;
		w->port[i].source = (struct drb_source_rule){0};
		w->port[i].checked =
			drb_classifier_at(&w->class_tables, &w->addr, i < w->egress.down_ports,
					  source, s->layer == 1 && i >= w->egress.down_ports);
		w->port[i].classifier = w->port[i].checked;
		if (source != DRB_NO_LABEL) {
			w->port[i].source = drb_source_rule_of(
				&w->addr, source, s->check_source == DRB_CHECK_SOURCE_IP);
			drb_classifier_require(&w->port[i].classifier, &w->port[i].source);
		}
		w->port[i].host_burst = w->port[i].host != DRB_NO_LABEL && w->egress.queue[i].paced
						? drb_worker_share(s, p->host_burst)
						: 0;
		w->egress.paced |= w->egress.queue[i].paced;
		set_paced(w->port[i].queue, w->egress.queue[i].paced);
		w->egress.open &=
			p->driver != DRB_DRIVER_NONE && drb_worker_share(s, p->queue) >= s->burst;
	}
	w->egress.waits = w->egress.paced || w->egress.rings;
}

void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue)
{
	if (queue && queue->send_max && w->egress.tx_burst > queue->send_max)
		w->egress.tx_burst = queue->send_max;
	w->port[index].queue = queue;
	w->port[index].active = true;
	w->links.ports.usable |= UINT64_C(1) << index;
	w->egress.queue[index].limit = limit;
}

void drb_worker_free(struct drb_worker *w)
{
	free(w->links.routes);
	w->links.routes = NULL;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		drb_transmit_free(w, i);
		drb_egress_free(&w->egress.queue[i]);
		drb_delay_line_free(&w->egress.line[i]);
	}
	struct drb_assign_memory memory = {0};
	drb_assign_exchange(&w->decide, &memory);
	drb_assign_free(&memory);
	drb_class_tables_free(&w->class_tables);
	drb_scheme_state_free(&w->decide.scheme_state);
	if (w->egress.changes_fd >= 0)
		close(w->egress.changes_fd);
	w->egress.changes_fd = -1;
}
