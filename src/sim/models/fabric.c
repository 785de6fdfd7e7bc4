// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/fabric.h"

#include <stdlib.h>
#include <sys/mman.h>

static uint64_t ports_of(const struct drb_layer *l)
{
	return (uint64_t)l->switches * (l->up + l->down);
}

static struct drb_layer shape_of(const struct drb_tree *t, uint32_t layer)
{
	return (struct drb_layer){
		.layer = layer,
		.switches = drb_tree_switches(t, layer),
		.up = drb_tree_up_ports(t, layer),
		.down = drb_tree_down_ports(t, layer),
	};
}

uint64_t drb_fabric_bytes(const struct drb_tree *t)
{
	uint64_t bytes = 0;

	for (uint32_t m = 1; m <= t->layers; m++) {
		struct drb_layer l = shape_of(t, m);
		bytes += ports_of(&l) * (sizeof(*l.len) + sizeof(*l.fifo) +
					 DRB_FIFO_HOME * sizeof(uint64_t) + 2 * sizeof(uint64_t));
		bytes += (uint64_t)l.switches * (sizeof(*l.up_to) + sizeof(*l.down_to));
	}
	return bytes;
}

// Entry of the receiving array that the other end of a port stands for.
static uint32_t entry(const struct drb_fabric *f, struct drb_end end)
{
	const struct drb_layer *l = &f->layer[end.layer];

	return end.label * (end.up ? l->up : l->down) + end.port;
}

static uint32_t up_entry(const struct drb_fabric *f, uint32_t m, uint32_t s, uint32_t port)
{
	return entry(f, drb_tree_up_peer(&f->tree, m, s, port));
}

static uint32_t down_entry(const struct drb_fabric *f, uint32_t m, uint32_t s, uint32_t port)
{
	return entry(f, drb_tree_down_peer(&f->tree, m, s, port));
}

// The entries of the ports of one switch are evenly spaced: they differ in one digit of the peer.
static void link_layer(struct drb_fabric *f, struct drb_layer *l)
{
	uint32_t m = l->layer;

	for (uint32_t s = 0; s < l->switches; s++) {
		if (l->up)
			l->up_to[s] = up_entry(f, m, s, 0);
		if (m > 1)
			l->down_to[s] = down_entry(f, m, s, 0);
	}
	if (l->up > 1)
		l->up_stride = up_entry(f, m, 0, 1) - l->up_to[0];
	if (m > 1 && l->down > 1)
		l->down_stride = down_entry(f, m, 0, 1) - l->down_to[0];
}

static uint64_t *no_packets(uint64_t count)
{
	uint64_t *word = malloc((count ? count : 1) * sizeof(*word));

	for (uint64_t i = 0; word && i < count; i++)
		word[i] = DRB_NO_PACKET;
	return word;
}

static int fill_layer(struct drb_layer *l, uint64_t first_fifo)
{
	uint64_t ports = ports_of(l);

	l->first_fifo = first_fifo;
	l->len = calloc(ports, sizeof(*l->len));
	l->fifo = malloc(ports * sizeof(*l->fifo));
	l->up_to = calloc(l->switches, sizeof(*l->up_to));
	l->down_to = calloc(l->switches, sizeof(*l->down_to));
	for (int x = 0; x < 2; x++) {
		l->from_below[x] = no_packets((uint64_t)l->switches * l->down);
		l->from_above[x] = no_packets((uint64_t)l->switches * l->up);
		if (!l->from_below[x] || !l->from_above[x])
			return -ENOMEM;
	}
	if (!l->len || !l->fifo || !l->up_to || !l->down_to)
		return -ENOMEM;
	for (uint64_t i = 0; i < ports; i++)
		l->fifo[i] = drb_fifo_at_home(first_fifo + i);
	return 0;
}

int drb_fabric_init(struct drb_fabric *f, const struct drb_tree *t, uint64_t memory)
{
	uint64_t fifos = 0, tables = drb_fabric_bytes(t);
	int rc;

	*f = (struct drb_fabric){.tree = *t};
	if (tables > memory)
		return -ENOMEM;
	for (uint32_t m = 1; m <= t->layers; m++) {
		f->layer[m] = shape_of(t, m);
		fifos += ports_of(&f->layer[m]);
	}
	uint64_t homes = fifos * DRB_FIFO_HOME * sizeof(uint64_t);
	rc = drb_fifo_pool_init(&f->pool, fifos, memory - tables + homes);
	// One line of cache per queue, all of them walked every slot.
	if (rc == 0)
		madvise(f->pool.word, homes, MADV_HUGEPAGE);
	fifos = 0;
	for (uint32_t m = 1; rc == 0 && m <= t->layers; m++) {
		rc = fill_layer(&f->layer[m], fifos);
		fifos += ports_of(&f->layer[m]);
	}
	for (uint32_t m = 1; rc == 0 && m <= t->layers; m++)
		link_layer(f, &f->layer[m]);
	if (rc < 0)
		drb_fabric_free(f);
	return rc < 0 ? -ENOMEM : 0;
}

void drb_fabric_free(struct drb_fabric *f)
{
	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		struct drb_layer *l = &f->layer[m];
		free(l->len);
		free(l->fifo);
		free(l->up_to);
		free(l->down_to);
		for (int x = 0; x < 2; x++) {
			free(l->from_below[x]);
			free(l->from_above[x]);
		}
	}
	drb_fifo_pool_free(&f->pool);
	*f = (struct drb_fabric){0};
}

static uint64_t on_links(const uint64_t word[], uint64_t count)
{
	uint64_t packets = 0;

	for (uint64_t i = 0; i < count; i++)
		packets += word[i] != DRB_NO_PACKET;
	return packets;
}

uint64_t drb_fabric_packets(const struct drb_fabric *f, uint32_t slot)
{
	uint64_t packets = 0;

	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		for (uint64_t i = 0; i < ports_of(l); i++)
			packets += l->len[i];
		packets += on_links(l->from_below[slot & 1], (uint64_t)l->switches * l->down);
		packets += on_links(l->from_above[slot & 1], (uint64_t)l->switches * l->up);
	}
	return packets;
}
