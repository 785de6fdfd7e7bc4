// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/packet_mean.h"

#include <math.h>
#include <string.h>

#include "core/fabric/names.h"

#include "sim/runs/rows.h"

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
	add(&to->default_path, r->default_path, runs);
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

// Two columns of a kind of link: "queue_up1_mean" and "queue_up1_max", in tables without "queue_".
static void put_queue(struct drb_table *t, const char *direction, uint32_t layer, double mean,
		      uint32_t max)
{
	char key[24];

	snprintf(key, sizeof(key), "queue_%s%u_mean", direction, layer);
	drb_table_real(t, key, key + strlen("queue_"), 2, mean);
	snprintf(key, sizeof(key), "queue_%s%u_max", direction, layer);
	drb_table_count(t, key, key + strlen("queue_"), max);
}

static void put_use(struct drb_table *t, const char *direction, uint32_t layer,
		    struct drb_link_use use)
{
	char key[24];

	snprintf(key, sizeof(key), "use_%s%u_mean", direction, layer);
	drb_table_real(t, key, NULL, 3, use.mean);
	snprintf(key, sizeof(key), "use_%s%u_max", direction, layer);
	drb_table_real(t, key, NULL, 3, use.max);
}

// Named as those of drbgen.
static void put_detail(struct drb_table *t, const struct drb_packet_detail *d, uint32_t layers)
{
	drb_table_real(t, "latency_p50", "p50", 0, d->latency.p50);
	drb_table_real(t, "latency_p99", "p99", 0, d->latency.p99);
	drb_table_real(t, "latency_p999", "p99.9", 0, d->latency.p999);
	drb_table_real(t, "latency_max", "max", 0, d->latency.max);
	drb_table_real(t, "reordered_share", "reordered", 4, drb_reordering_share(&d->order));
	drb_table_count(t, "reorder_extent", "extent", d->order.extent);
	drb_table_count(t, "reorder_buffer", "buffer", d->order.buffer);
	for (uint32_t m = 1; m < layers; m++)
		put_use(t, "up", m, d->up[m]);
	for (uint32_t m = 1; m <= layers; m++)
		put_use(t, "down", m, d->down[m]);
}

void sim_packet_row(struct drb_table *t, const struct drb_packet_setup *setup,
		    const struct drb_packet_result *r)
{
	const uint32_t layers = setup->tree.layers;
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(setup->traffic, traffic);
	drb_table_text(t, "scheme", NULL, drb_scheme_name(setup->scheme));
	drb_table_real(t, "rho", "load", 3, setup->rho);
	drb_table_real(t, "latency", NULL, 2, r->latency);
	drb_table_real(t, "tail", NULL, 1, r->tail);
	drb_table_real(t, "redirected", NULL, 4, r->redirected);
	drb_table_real(t, "default_path", "default", 4, r->default_path);
	drb_table_real(t, "throughput", NULL, 4, r->throughput);
	drb_table_text(t, "growing", NULL, r->growing ? "yes" : r->unclear ? "unclear" : "no");
	drb_table_count(t, "growing_links", "links", r->growing_links);
	for (uint32_t m = 1; m < layers; m++)
		put_queue(t, "up", m, r->up_mean[m], r->up_max[m]);
	for (uint32_t m = 1; m <= layers; m++)
		put_queue(t, "down", m, r->down_mean[m], r->down_max[m]);
	if (setup->detail)
		put_detail(t, &r->detail, layers);
	drb_table_text(t, "traffic", NULL, traffic);
	sim_put_threshold(t, setup->scheme, setup->threshold);
	sim_put_tree(t, &setup->tree);
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
	drb_table_count(table, "layer", NULL, from.layer);
	drb_table_text(table, "switch", NULL, name);
	drb_table_text(table, "port", NULL, port);
	drb_table_text(table, "peer", NULL, other);
	drb_table_real(table, "use", NULL, 3, link->use);
	drb_table_real(table, "queue_mean", "mean queue", 2, link->queue_mean);
	drb_table_count(table, "queue_max", "longest", link->queue_max);
	drb_table_text(table, "growing", NULL, drb_growth_word(link->growing));
}
