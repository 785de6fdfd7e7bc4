// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/packet_mean.h"

#include <math.h>

#include "core/fabric/names.h"

static void add(double *to, double value, uint32_t runs)
{
	*to += value / runs;
}

#define LARGER(to, value) ((to) = (value) > (to) ? (value) : (to))

static void add_use(struct drb_link_use *to, struct drb_link_use use, uint32_t runs)
{
	add(&to->mean, use.mean, runs);
	LARGER(to->max, use.max);
}

static void add_detail(struct drb_packet_detail *to, const struct drb_packet_detail *d,
		       uint32_t runs)
{
	add(&to->latency.mean, d->latency.mean, runs);
	add(&to->latency.p50, d->latency.p50, runs);
	add(&to->latency.p99, d->latency.p99, runs);
	add(&to->latency.p999, d->latency.p999, runs);
	LARGER(to->latency.max, d->latency.max);
	to->order.packets += d->order.packets;
	to->order.reordered += d->order.reordered;
	LARGER(to->order.extent, d->order.extent);
	LARGER(to->order.buffer, d->order.buffer);
	for (uint32_t m = 0; m <= DRB_LAYERS_MAX; m++) {
		add_use(&to->up[m], d->up[m], runs);
		add_use(&to->down[m], d->down[m], runs);
	}
}

static void add_result(struct drb_packet_result *to, const struct drb_packet_result *r,
		       uint32_t runs)
{
	add(&to->latency, r->latency, runs);
	add(&to->tail, r->tail, runs);
	add(&to->redirected, r->redirected, runs);
	add(&to->throughput, r->throughput, runs);
	add(&to->lost, r->lost, runs);
	to->growing |= r->growing;
	to->unclear |= r->unclear;
	to->out_of_memory |= r->out_of_memory;
	LARGER(to->growing_links, r->growing_links);
	to->undelivered += r->undelivered;
	for (uint32_t m = 0; m <= DRB_LAYERS_MAX; m++) {
		add(&to->up_mean[m], r->up_mean[m], runs);
		add(&to->down_mean[m], r->down_mean[m], runs);
		LARGER(to->up_max[m], r->up_max[m]);
		LARGER(to->down_max[m], r->down_max[m]);
	}
	add_detail(&to->detail, &r->detail, runs);
}

struct sim_packet_mean sim_packet_mean_of(const struct drb_packet_result result[], uint32_t runs)
{
	struct sim_packet_mean mean = {.result = {.drift = NAN}};

	for (uint32_t i = 0; i < runs; i++) {
		add_result(&mean.result, &result[i], runs);
		sim_sample_add(&mean.latency, result[i].latency);
		sim_sample_add(&mean.tail, result[i].tail);
	}
	return mean;
}

void sim_put_link(struct drb_table *table, const struct drb_tree *t,
		  const struct drb_link_figures *link)
{
	const struct drb_end from = link->from;
	struct drb_end peer = from.up ? drb_tree_up_peer(t, from.layer, from.label, from.port)
				      : drb_tree_down_peer(t, from.layer, from.label, from.port);
	char name[DRB_NAME_MAX], port[DRB_NAME_MAX], other[DRB_END_NAME_MAX];

	drb_node_name(name, from.layer, from.label);
	drb_end_port(port, &from);
	drb_end_name(other, &peer);
	drb_table_count(table, from.layer);
	drb_table_text(table, name);
	drb_table_text(table, port);
	drb_table_text(table, other);
	drb_table_real(table, link->use);
	drb_table_real(table, link->queue_mean);
	drb_table_count(table, link->queue_max);
	drb_table_text(table, drb_growth_word(link->growing));
}
