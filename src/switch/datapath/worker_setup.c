// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/transmit.h"

void drb_worker_choose(struct drb_worker *w, const struct drb_setup *s)
{
	w->scheme = s->scheme.like;
	w->choice = s->choice;
	memcpy(w->param, s->scheme.param, sizeof(w->param));
	w->choice.param = w->param;
	if (w->scheme == DRB_SCHEME_COUNT) {
		w->guarded = drb_guard(s->choice.ops, &w->routing.scheme_errors);
		w->choice.ops = &w->guarded.ops;
	}
	w->packet_choice = w->choice;
}

int drb_worker_init(struct drb_worker *w, const struct drb_setup *s)
{
	memset(w, 0, sizeof(*w));
	w->hop = s->hop;
	w->addr = s->addr;
	w->mtu = s->mtu;
	w->down_ports = s->down_ports;
	w->up_ports = s->up_ports;
	w->ports = s->down_ports + s->up_ports;
	w->burst = s->burst;
	w->tx_burst = s->burst;
	w->poll = s->idle == DRB_IDLE_POLL;
	w->owner = w;
	drb_worker_choose(w, s);
	w->node = (struct drb_detour_node){.hop = s->hop,
					   .layer = s->layer,
					   .down_ports = s->down_ports,
					   .up_ports = s->up_ports};
	drb_threshold_init(w, s);
	w->rng = drb_rng_seed(s->seed, (uint64_t)s->layer << 32 | s->label);
	w->epoll_fd = w->kick_fd = w->changes_fd = -1;
	w->review_ns = UINT64_MAX;
	w->liveness.due_ns = w->hello_io.look_ns = UINT64_MAX;
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++)
		w->hello_io.port[i].fd = -1;
	// Decisions number racks by destination / d, so a single switch has two.
	w->routes = calloc(drb_routes_fit(&s->tree) ? s->tree.hosts / s->tree.arity : 1,
			   sizeof(*w->routes));
	if (!w->routes ||
	    drb_class_tables_init(&w->class_tables, &w->hop, drb_frame_max(s->mtu)) < 0 ||
	    drb_scheme_state_init(&w->scheme_state, s) < 0) {
		drb_worker_free(w);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t queue = drb_worker_share(s, p->queue);
		struct drb_link_model link = drb_worker_link(s, p);
		w->port[i].host = p->peer.layer == 0 ? p->peer.label : DRB_NO_LABEL;
		w->delayed |= (uint64_t)(p->on_link > 0) << i;
		if (drb_egress_init(&w->egress[i], queue, &link) < 0 ||
		    drb_delay_line_init(&w->line[i], p->on_link ? p->delay_ns : 0,
					drb_worker_share(s, p->on_link)) < 0) {
			drb_worker_free(w);
			return -ENOMEM;
		}
		w->egress[i].limit = 0; // until a device is attached
	}
	w->backoff_ns = DRB_BACKOFF_MIN_NS;
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

	if (w->up_ports < 2 || s->unit == DRB_UNIT_FLOW ||
	    s->choice.ops->compares == DRB_COMPARES_NONE)
		return 0;
	for (uint32_t u = 0; u < w->up_ports; u++) {
		const struct drb_port_queue *q = w->port[w->down_ports + u].queue;
		bool wanted = s->ports[w->down_ports + u].occupancy == DRB_OCCUPANCY_RING;
		rings |= (uint32_t)(wanted && q && q->in_ring) << u;
	}
	return rings;
}

void drb_worker_configure(struct drb_worker *w, const struct drb_setup *s)
{
	w->assigns = s->unit != DRB_UNIT_PACKET && w->up_ports > 0;
	w->timed = w->assigns || (s->threshold_auto && w->up_ports > 0) || w->scheme_state.timed;
	w->rings = rings_of(w, s);
	w->outside = w->rings || w->shared_load.count > 0;
	memset(w->ring_load.packets, 0, sizeof(w->ring_load.packets));
	w->hellos = 0;
	w->paced = false;
	w->open = true;
	w->pairs = !w->rings && w->choice.choices <= 2;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t source =
			s->check_source != DRB_CHECK_SOURCE_OFF ? w->port[i].host : DRB_NO_LABEL;
		w->hellos |= (uint64_t)(p->peer.layer > 0 && p->hello_ns > 0) << i;
		w->port[i].source = (struct drb_source_rule){0};
		w->port[i].checked =
			drb_classifier_at(&w->class_tables, &w->addr, i < w->down_ports, source,
					  s->layer == 1 && i >= w->down_ports);
		w->port[i].classifier = w->port[i].checked;
		if (source != DRB_NO_LABEL) {
			w->port[i].source = drb_source_rule_of(
				&w->addr, source, s->check_source == DRB_CHECK_SOURCE_IP);
			drb_classifier_require(&w->port[i].classifier, &w->port[i].source);
		}
		w->port[i].host_burst = w->port[i].host != DRB_NO_LABEL && w->egress[i].paced
						? drb_worker_share(s, p->host_burst)
						: 0;
		w->paced |= w->egress[i].paced;
		w->open &=
			p->driver != DRB_DRIVER_NONE && drb_worker_share(s, p->queue) >= s->burst;
	}
	w->waits = w->paced || w->rings;
}

void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue)
{
	if (queue && queue->send_max && w->tx_burst > queue->send_max)
		w->tx_burst = queue->send_max;
	w->port[index].queue = queue;
	w->port[index].active = true;
	w->links.usable |= UINT64_C(1) << index;
	w->egress[index].limit = limit;
}

void drb_worker_free(struct drb_worker *w)
{
	free(w->routes);
	w->routes = NULL;
	for (uint32_t i = 0; i < w->ports; i++) {
		drb_transmit_free(w, i);
		drb_egress_free(&w->egress[i]);
		drb_delay_line_free(&w->line[i]);
	}
	struct drb_assign_memory memory = {0};
	drb_assign_exchange(w, &memory);
	drb_assign_free(&memory);
	drb_class_tables_free(&w->class_tables);
	drb_scheme_state_free(&w->scheme_state);
	if (w->changes_fd >= 0)
		close(w->changes_fd);
	w->changes_fd = -1;
}
