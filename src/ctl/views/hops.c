// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/hops.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "ctl/ctl.h"

// Packets that left a switch at one port by the same decision, or were dropped there for the same
// reason.
struct hop {
	const struct session *session;
	uint32_t port;
	bool dropped;
	const char *way; // from session_way()
	uint64_t packets, queue_sum;
	uint32_t queue_max;
};

// Finds the hop of a packet, or adds it for the first packet.
static struct hop *hop_of(struct hops *hops, const struct session *s,
			  const struct drb_capture_slot *p)
{
	const char *way = session_way(s, p);
	bool dropped = drb_capture_is_drop(p->kind);

	for (size_t i = 0; i < hops->count; i++) {
		struct hop *h = &hops->at[i];
		if (h->session == s && h->port == p->port && h->dropped == dropped && h->way == way)
			return h;
	}
	if (hops->count == hops->room) {
		hops->room = hops->room ? 2 * hops->room : 64;
		hops->at = realloc(hops->at, hops->room * sizeof(*hops->at));
		if (!hops->at)
			drb_die("out of memory");
	}
	hops->at[hops->count] =
		(struct hop){.session = s, .port = p->port, .dropped = dropped, .way = way};
	return &hops->at[hops->count++];
}

void hops_count(struct hops *hops, const struct session *s, const struct drb_capture_slot *p)
{
	struct hop *h = hop_of(hops, s, p);

	h->packets++;
	h->queue_sum += p->queue;
	h->queue_max = p->queue > h->queue_max ? p->queue : h->queue_max;
}

// Orders hops as packets pass them: up by layers, then down.
static int by_way(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;
	const struct drb_switch_info *s = &x->session->all.info, *r = &y->session->all.info;
	bool up = x->session->all.ports[x->port].name[0] == 'u';
	bool other_up = y->session->all.ports[y->port].name[0] == 'u';

	if (up != other_up)
		return up ? -1 : 1;
	if (s->layer != r->layer)
		return (s->layer < r->layer) == up ? -1 : 1;
	if (s->label != r->label)
		return s->label < r->label ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

static void print_hop(struct drb_table *rows, const struct hop *h, uint64_t sent)
{
	const struct drb_switch_all *all = &h->session->all;
	const struct drb_switch_port *p = &all->ports[h->port];
	double queue = (double)h->queue_sum / (double)h->packets;
	char way[2 * DRB_READER_TEXT_MAX];

	snprintf(way, sizeof(way), "%s%s", h->dropped ? "dropped: " : "", h->way);
	drb_table_text(rows, "switch", NULL, all->info.name);
	drb_table_text(rows, "port", NULL, p->name);
	drb_table_text(rows, "to", NULL, drb_known_text(p->peer));
	drb_table_count(rows, "packets", NULL, h->packets);
	drb_table_real(rows, "packets_percent", "% of packets", 1,
		       ctl_percent(h->packets, sent > h->packets ? sent - h->packets : 0));
	drb_table_bad(rows, h->dropped);
	drb_table_text(rows, "way", NULL, way);
	drb_table_text(rows, "scheme", NULL,
		       p->name[0] == 'u' ? drb_known_text(all->routing.scheme) : "");
	drb_table_real(rows, "queue_packets_mean", "queue pkts, mean", 2, queue);
	drb_table_count(rows, "queue_packets_max", "max", h->queue_max);
	drb_table_row_end(rows);
}

void hops_print(struct hops *hops, struct drb_table *rows, uint64_t sent)
{
	if (hops->count)
		qsort(hops->at, hops->count, sizeof(*hops->at), by_way);
	for (size_t i = 0; i < hops->count; i++)
		print_hop(rows, &hops->at[i], sent);
}

void hops_free(struct hops *hops)
{
	free(hops->at);
	*hops = (struct hops){0};
}
