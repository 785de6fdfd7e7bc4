// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker_setup.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/transmit.h"

int drb_worker_init(struct drb_worker *w, const struct drb_setup *s)
{
	memset(w, 0, sizeof(*w));
	w->hop = s->hop;
	w->choice = s->choice;
	w->addr = s->addr;
	w->down_ports = s->down_ports;
	w->up_ports = s->up_ports;
	w->ports = s->down_ports + s->up_ports;
	w->packet_choice = s->choice;
	w->node = (struct drb_detour_node){.hop = s->hop,
					   .layer = s->layer,
					   .down_ports = s->down_ports,
					   .up_ports = s->up_ports};
	drb_threshold_init(w, s);
	w->burst = s->burst;
	w->tx_burst = s->burst;
	w->poll = s->idle == DRB_IDLE_POLL;
	w->rng = drb_rng_seed(s->seed, (uint64_t)s->layer << 32 | s->label);
	w->epoll_fd = w->kick_fd = w->changes_fd = -1;
	w->review_ns = UINT64_MAX;
	w->owner = w;
	w->liveness.due_ns = UINT64_MAX;
	if (drb_class_tables_init(&w->class_tables, &w->hop) < 0 ||
	    drb_scheme_state_init(&w->scheme_state, s) < 0) {
		drb_worker_free(w);
		return -ENOMEM;
	}
	w->timed |= w->scheme_state.timed;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t queue = drb_worker_share(s, p->queue);
		struct drb_link_model link = drb_worker_link(s, p);
		w->port[i].host = p->peer.layer == 0 ? p->peer.label : DRB_NO_LABEL;
		if (drb_egress_init(&w->egress[i], queue, &link) < 0) {
			drb_worker_free(w);
			return -ENOMEM;
		}
		w->egress[i].limit = 0; // until a device is attached
	}
	w->backoff_ns = DRB_BACKOFF_MIN_NS;
	drb_worker_set_ports(w, s);
	return 0;
}

void drb_worker_set_ports(struct drb_worker *w, const struct drb_setup *s)
{
	w->paced = false;
	w->open = true;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t source = s->check_source ? w->port[i].host : DRB_NO_LABEL;
		w->port[i].classifier =
			drb_classifier_at(&w->class_tables, &w->addr, i < w->down_ports, source,
					  s->layer == 1 && i >= w->down_ports);
		w->paced |= p->rate.value > 0;
		w->open &=
			p->driver != DRB_DRIVER_NONE && drb_worker_share(s, p->queue) >= s->burst;
	}
}

void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue)
{
	w->port[index].queue = queue;
	w->port[index].active = true;
	w->links.usable |= UINT64_C(1) << index;
	w->egress[index].limit = limit;
}

void drb_worker_free(struct drb_worker *w)
{
	for (uint32_t i = 0; i < w->ports; i++) {
		drb_transmit_free(w, i);
		drb_egress_free(&w->egress[i]);
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
