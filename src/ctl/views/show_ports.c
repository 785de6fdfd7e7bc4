// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: the views of ports, which are ports, links and xdp.
#include "ctl/views/show.h"

#include "common/cli/log.h"

static void begin_row(struct show *s, const struct drb_switch_all *all,
		      const struct drb_switch_port *port)
{
	ctl_show_begin_row(s, all);
	drb_table_text(s->rows, "port", NULL, port->name);
}

void ctl_show_ports(const struct drb_switch_all *all, struct show *s)
{
	s->multicast = drb_sum(s->multicast, all->drops.reason[DRB_DROP_multicast]);
	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_port_counters *c = &all->ports[i].count;
		begin_row(s, all, &all->ports[i]);
#define X(key, meaning)                                                                            \
	(&c->key == &c->in_missed || &c->key == &c->ring_packets                                   \
		 ? ctl_show_loss                                                                   \
		 : ctl_show_count)(s, #key, meaning, c->key);
		DRB_PORT_COUNTERS(X)
#undef X
		drb_table_row_end(s->rows);
	}
}

void ctl_show_links(const struct drb_switch_all *all, struct show *s)
{
	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_switch_port *p = &all->ports[i];
		begin_row(s, all, p);
		ctl_show_text(s, "peer", NULL, p->peer);
		drb_table_bad(s->rows, ctl_port_stands_out(p));
		ctl_show_text(s, "state", NULL, p->state);
		ctl_show_text(s, "neighbour", NULL, p->neighbour);
		ctl_show_text(s, "rate", NULL, p->rate);
		drb_table_real(s->rows, "loss_in_percent", "loss in %", 2,
			       drb_real_of(p->loss_in) / 1e4);
		drb_table_real(s->rows, "loss_out_percent", "loss out %", 2,
			       drb_real_of(p->loss_out) / 1e4);
		drb_table_count(s->rows, "queue", "queue limit pkts", p->queue);
		ctl_show_text(s, "occupancy", NULL, p->occupancy);
		ctl_show_text(s, "driver", NULL, p->driver);
		ctl_show_text(s, "device", NULL, p->device);
		drb_table_row_end(s->rows);
	}
}

void ctl_show_xdp(const struct drb_switch_all *all, struct show *s)
{
	bool shown = false;

	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_switch_port *p = &all->ports[i];
		if (!p->steered)
			continue;
		begin_row(s, all, p);
#define X(key, meaning) ctl_show_count(s, #key, meaning, p->xdp.key);
		DRB_XDP_COUNTERS(X)
#undef X
		drb_table_row_end(s->rows);
		shown = true;
	}
	if (!shown)
		drb_info("%s: no port has an XDP program with counters", all->info.name);
}
