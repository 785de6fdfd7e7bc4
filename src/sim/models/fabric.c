// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t layer_ports(const struct drb_layer *l)
{
	return (uint64_t)l->switches * (l->up + l->down);
}

// Hosts are layer 0.
static struct drb_layer shape_of(const struct drb_tree *t, uint32_t layer)
{
	return (struct drb_layer){
		.layer = layer,
		.switches = layer ? drb_tree_switches(t, layer) : t->hosts,
		.up = layer ? drb_tree_up_ports(t, layer) : 1,
		.down = layer ? drb_tree_down_ports(t, layer) : 0,
	};
}

// Packets arrive at a switch at the beginning of a slot, and at a host at the end of a slot. Lines
// to hosts therefore have one strip less.
static void shape_lines(struct drb_layer *l, const struct drb_delay *delay)
{
	uint32_t slots = l->layer ? 2 : 1;

	l->from_below.links = (uint64_t)l->switches * l->down;
	l->from_below.strips = l->from_below.links ? slots + delay->link[l->layer] : 0;
	l->from_above.links = (uint64_t)l->switches * l->up;
	l->from_above.strips = l->from_above.links ? slots + delay->link[l->layer + 1] : 0;
}

static uint64_t line_words(const struct drb_line *line)
{
	return line->links * line->strips;
}

uint64_t drb_fabric_bytes(const struct drb_tree *t, const struct drb_delay *delay)
{
	uint64_t bytes = 0;

	for (uint32_t m = 0; m <= t->layers; m++) {
		struct drb_layer l = shape_of(t, m);
		shape_lines(&l, delay);
		bytes += (line_words(&l.from_below) + line_words(&l.from_above)) * sizeof(uint64_t);
		if (m == 0)
			continue;
		bytes += layer_ports(&l) * ((1 + delay->loads) * sizeof(*l.len) + sizeof(*l.fifo) +
					    DRB_FIFO_HOME * sizeof(uint64_t));
		bytes += (uint64_t)l.switches * (sizeof(*l.up_to) + sizeof(*l.down_to));
	}
	return bytes;
}

// The index, in the receiving array, of the entry for the other end of a port.
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

// The entries of the ports of one switch are evenly spaced, because the peers differ in one digit.
static void link_layer(struct drb_fabric *f, struct drb_layer *l)
{
	uint32_t m = l->layer;

	for (uint32_t s = 0; s < l->switches; s++) {
		if (l->up)
			l->up_to[s] = up_entry(f, m, s, 0);
		l->down_to[s] = down_entry(f, m, s, 0);
	}
	if (l->up > 1)
		l->up_stride = up_entry(f, m, 0, 1) - l->up_to[0];
	if (l->down > 1)
		l->down_stride = down_entry(f, m, 0, 1) - l->down_to[0];
}

static int fill_line(struct drb_line *line)
{
	static uint64_t none; // a valid address for layers without links
	uint64_t words = line_words(line);

	line->now = line->next = &none;
	if (words == 0)
		return 0;
	line->word = malloc(words * sizeof(*line->word));
	for (uint64_t i = 0; line->word && i < words; i++)
		line->word[i] = DRB_NO_PACKET;
	return line->word ? 0 : -ENOMEM;
}

static int fill_lines(struct drb_layer *l)
{
	return fill_line(&l->from_below) < 0 ? -ENOMEM : fill_line(&l->from_above);
}

static int fill_layer(struct drb_layer *l, const struct drb_delay *delay, uint64_t first_fifo)
{
	uint64_t ports = layer_ports(l);

	l->first_fifo = first_fifo;
	l->seen = l->len = calloc(ports, sizeof(*l->len));
	l->old = calloc(delay->loads * ports + 1, sizeof(*l->old));
	l->fifo = malloc(ports * sizeof(*l->fifo));
	l->up_to = calloc(l->switches, sizeof(*l->up_to));
	l->down_to = calloc(l->switches, sizeof(*l->down_to));
	if (!l->len || !l->old || !l->fifo || !l->up_to || !l->down_to)
		return -ENOMEM;
	for (uint64_t i = 0; i < ports; i++)
		l->fifo[i] = drb_fifo_at_home(first_fifo + i);
	return fill_lines(l);
}

int drb_fabric_init(struct drb_fabric *f, const struct drb_tree *t, const struct drb_delay *delay,
		    uint64_t memory)
{
	uint64_t fifos = 0, tables = drb_fabric_bytes(t, delay);
	int rc;

	*f = (struct drb_fabric){.tree = *t, .delay = *delay};
	if (tables > memory)
		return -ENOMEM;
	for (uint32_t m = 0; m <= t->layers; m++) {
		f->layer[m] = shape_of(t, m);
		shape_lines(&f->layer[m], delay);
		fifos += m ? layer_ports(&f->layer[m]) : 0;
	}
	uint64_t homes = fifos * DRB_FIFO_HOME * sizeof(uint64_t);
	rc = drb_fifo_pool_init(&f->pool, fifos, memory - tables + homes);
	// Each queue's home is one cache line, and every slot visits all of them.
	if (rc == 0)
		madvise(f->pool.word, homes, MADV_HUGEPAGE);
	fifos = 0;
	if (rc == 0)
		rc = fill_lines(&f->layer[0]);
	for (uint32_t m = 1; rc == 0 && m <= t->layers; m++) {
		rc = fill_layer(&f->layer[m], delay, fifos);
		fifos += layer_ports(&f->layer[m]);
	}
	for (uint32_t m = 1; rc == 0 && m <= t->layers; m++)
		link_layer(f, &f->layer[m]);
	if (rc < 0) {
		drb_fabric_free(f);
		return -ENOMEM;
	}
	drb_fabric_turn(f, 0);
	return 0;
}

void drb_fabric_free(struct drb_fabric *f)
{
	for (uint32_t m = 0; m <= f->tree.layers; m++) {
		struct drb_layer *l = &f->layer[m];
		free(l->len);
		free(l->old);
		free(l->fifo);
		free(l->up_to);
		free(l->down_to);
		free(l->from_below.word);
		free(l->from_above.word);
	}
	drb_fifo_pool_free(&f->pool);
	*f = (struct drb_fabric){0};
}

static void turn(struct drb_line *line, uint32_t slot)
{
	if (line->strips == 0)
		return;
	line->now = line->word + slot % line->strips * line->links;
	line->next = line->word + (slot + line->strips - 1) % line->strips * line->links;
}

// Keeps the lengths at the end of the slot before until switches may know them.
static void remember(struct drb_layer *l, uint32_t slot, uint32_t age)
{
	uint64_t ports = layer_ports(l);

	memcpy(l->old + (slot + age - 1) % age * ports, l->len, ports * sizeof(*l->len));
	l->seen = l->old + slot % age * ports;
}

void drb_fabric_turn(struct drb_fabric *f, uint32_t slot)
{
	for (uint32_t m = 0; m <= f->tree.layers; m++) {
		struct drb_layer *l = &f->layer[m];
		turn(&l->from_below, slot);
		turn(&l->from_above, slot);
		if (m > 0 && f->delay.loads)
			remember(l, slot, f->delay.loads);
	}
}

static uint64_t on_line(const struct drb_line *line)
{
	uint64_t packets = 0;

	for (uint64_t i = 0; i + line->links < line_words(line); i++)
		packets += drb_line_word(line, i) != DRB_NO_PACKET;
	return packets;
}

uint64_t drb_fabric_packets(const struct drb_fabric *f)
{
	uint64_t packets = 0;

	for (uint32_t m = 0; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		for (uint64_t i = 0; m > 0 && i < layer_ports(l); i++)
			packets += l->len[i];
		packets += on_line(&l->from_below) + on_line(&l->from_above);
	}
	return packets;
}
