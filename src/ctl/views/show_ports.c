// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: what is about ports: ports, links, xdp.
#include "ctl/views/show.h"

#include "common/cli/log.h"

int ctl_show_ports(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	struct drb_switch_ports ports;
	struct drb_switch_drops drops;
	int rc = drb_read_drops(t, &drops);

	if (rc < 0 || (rc = drb_read_ports(t, &ports)) < 0)
		return rc;
	s->multicast += drops.reason[DRB_DROP_multicast];
	for (uint32_t i = 0; i < ports.count; i++) {
		const struct drb_port_counters *c = &ports.port[i].count;
		ctl_show_begin_row(s, info);
		ctl_text(s->rows, "port", NULL, NULL, ports.port[i].name);
#define X(key, meaning)                                                                            \
	(&c->key == &c->in_missed || &c->key == &c->ring_packets ? ctl_loss : ctl_count)(          \
		s->rows, #key, ctl_show_title(#key), meaning, c->key);
		DRB_PORT_COUNTERS(X)
#undef X
		ctl_row_end(s->rows);
	}
	drb_switch_ports_free(&ports);
	return 0;
}

typedef void (*link_cells)(struct show *s, const struct drb_switch_link *link);

// A row of every port, or of the steered ones alone. Their number, or a negative errno.
static int each_link(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s,
		     bool steered, link_cells cells)
{
	struct drb_switch_ports ports;
	int shown = 0;
	int rc = drb_read_ports(t, &ports);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < ports.count; i++) {
		struct drb_switch_link link;
		rc = drb_read_link(t, ports.port[i].name, &link);
		if (rc < 0)
			break;
		if (steered && !link.steered)
			continue;
		ctl_show_begin_row(s, info);
		ctl_text(s->rows, "port", NULL, NULL, link.name);
		cells(s, &link);
		ctl_row_end(s->rows);
		shown++;
	}
	drb_switch_ports_free(&ports);
	return rc < 0 ? rc : shown;
}

static void cells_of_link(struct show *s, const struct drb_switch_link *link)
{
	ctl_text(s->rows, "peer", NULL, NULL, link->peer);
	ctl_text(s->rows, "state", NULL, NULL, link->state);
	ctl_text(s->rows, "neighbour", NULL, NULL, link->neighbour);
	ctl_text(s->rows, "rate", NULL, NULL, link->rate);
	ctl_real(s->rows, "loss_in_percent", "loss in %", NULL,
		 ctl_decimal((double)link->loss_in / 1e4, 2));
	ctl_real(s->rows, "loss_out_percent", "loss out %", NULL,
		 ctl_decimal((double)link->loss_out / 1e4, 2));
	ctl_count(s->rows, "queue", "queue limit pkts", NULL, link->queue);
	ctl_text(s->rows, "occupancy", NULL, NULL, link->occupancy);
	ctl_text(s->rows, "driver", NULL, NULL, link->driver);
	ctl_text(s->rows, "device", NULL, NULL, link->device);
}

int ctl_show_links(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	int shown = each_link(t, info, s, false, cells_of_link);

	return shown < 0 ? shown : 0;
}

static void cells_of_xdp(struct show *s, const struct drb_switch_link *link)
{
#define X(key, meaning) ctl_count(s->rows, #key, ctl_show_title(#key), meaning, link->xdp.key);
	DRB_XDP_COUNTERS(X)
#undef X
}

int ctl_show_xdp(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	int shown = each_link(t, info, s, true, cells_of_xdp);

	if (shown == 0)
		drb_info("%s: no port has an XDP program with counters", info->name);
	return shown < 0 ? shown : 0;
}
