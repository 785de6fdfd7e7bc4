// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/packet_parts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/skip.h"

#include "sim/models/crew.h"

#define PIECES_MAX 4 // of a thread's share of a layer: others may take them if it is late
#define LEAST 2048   // ports of a piece; smaller ones would cost more in skips than they save
#define THREADS_MAX 64
#define PARTS_MAX (DRB_LAYERS_MAX * PIECES_MAX * THREADS_MAX)

// Some switches of a layer.
struct part {
	// A copy of the run with draws, counts and free rings of its own. Tables and queues are
	// those of the run. Only the thread that works on the part touches it.
	struct drb_packet_sim sim;
	struct drb_layer *layer; // in sim.fabric
	struct drb_range range;
};

struct drb_packet_parts {
	struct drb_packet_sim *whole;
	struct drb_crew *crew;
	struct drb_skip skip;
	// Parts are in the order in which one thread would work. All layers have the same number of
	// parts. In each layer, a thread has `pieces` adjacent parts as its own.
	struct part *part;
	uint32_t threads, pieces, count;
	uint64_t draws[PARTS_MAX]; // [part]: numbers that it draws in this slot
	// [part]: the number of slots that it has worked, written after its last draw.
	_Atomic uint32_t slots[PARTS_MAX];
	bool failed[PARTS_MAX]; // [part]: its queues outgrew the memory
};

// Each thread has one item for births and one for each of its parts. Only the item of the first
// thread makes the births. Returns the number of the part, or UINT32_MAX for births.
static uint32_t part_of(const struct drb_packet_parts *parts, uint32_t item)
{
	const uint32_t pieces = parts->pieces, each = parts->count / parts->threads + 1;
	const uint32_t thread = item / each, at = item % each;

	if (at == 0)
		return UINT32_MAX;
	return (at - 1) / pieces * pieces * parts->threads + thread * pieces + (at - 1) % pieces;
}

static uint64_t draws_below(const struct drb_layer *l, uint32_t s, const struct drb_hop *hop,
			    uint32_t *down)
{
	const uint64_t *below = l->from_below.now + (uint64_t)s * l->down;
	uint32_t turns = 0, all = 0;

	for (uint32_t i = 0; i < l->down; i++) {
		turns += (uint32_t)below[i] - hop->first < hop->span;
		all += below[i] != DRB_NO_PACKET;
	}
	*down += turns;
	return all - turns;
}

// The number of draws of a switch in this slot. An order of n packets takes n - 1 draws, in fabrics
// with failures n. A decision takes one draw.
static uint64_t draws_of(const struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s)
{
	const struct drb_hop hop = drb_hop_at(&sim->fabric.tree, l->layer, s);
	const uint64_t *above = l->from_above.now + (uint64_t)s * l->up;
	uint32_t down = 0;

	for (uint32_t i = 0; i < l->up; i++)
		down += above[i] != DRB_NO_PACKET;
	const uint64_t up = draws_below(l, s, &hop, &down);
	if (sim->detour_mask)
		return 2 * (up + down);
	return up + (up ? up - 1 : 0) + (down ? down - 1 : 0);
}

// A job of the crew: copies the slot and the lines of the run into the part, and counts draws.
static void begin_item(void *context, uint32_t item)
{
	struct drb_packet_parts *parts = context;
	const uint32_t i = part_of(parts, item);
	uint64_t draws = 0;

	if (i == UINT32_MAX)
		return;
	struct part *p = &parts->part[i];
	p->sim.slot = parts->whole->slot;
	memcpy(p->sim.fabric.layer, parts->whole->fabric.layer, sizeof(p->sim.fabric.layer));
	for (uint32_t s = p->range.first; s < p->range.last; s++)
		draws += draws_of(&p->sim, p->layer, s);
	parts->draws[i] = draws;
}

// The generator after the draws of all parts before part i.
static struct drb_rng rng_of(const struct drb_packet_parts *parts, uint32_t i)
{
	struct drb_rng rng = parts->whole->rng;
	uint64_t skipped = 0;

	if (i > 0 && atomic_load_explicit(&parts->slots[i - 1], memory_order_acquire) ==
			     parts->whole->slot + 1)
		return parts->part[i - 1].sim.rng;
	for (uint32_t k = 0; k < i; k++)
		skipped += parts->draws[k];
	drb_rng_skip(&parts->skip, &rng, skipped);
	return rng;
}

// A job of the crew.
static void work_item(void *context, uint32_t item)
{
	struct drb_packet_parts *parts = context;
	const uint32_t i = part_of(parts, item);

	if (item == 0)
		drb_packet_births(parts->whole);
	if (i == UINT32_MAX)
		return;
	struct part *p = &parts->part[i];
	struct drb_packet_sim *sim = &p->sim;
	const uint64_t before = sim->delivered;
	sim->rng = rng_of(parts, i);
	parts->failed[i] = drb_packet_switches(sim, p->layer, p->range) < 0;
	atomic_store_explicit(&parts->slots[i], sim->slot + 1, memory_order_release);
	if (is_measured(sim))
		sim->delivered_measuring += sim->delivered - before;
	if (sim->slot < sim->setup.slots)
		drb_growth_switches(&sim->growth, p->layer, p->range, sim->slot);
}

int drb_parts_slot(struct drb_packet_parts *parts)
{
	bool failed = false;

	drb_crew_run(parts->crew, begin_item, parts);
	drb_crew_run(parts->crew, work_item, parts);
	parts->whole->rng = parts->part[parts->count - 1].sim.rng;
	for (uint32_t i = 0; i < parts->count; i++)
		failed |= parts->failed[i];
	// A fault that empties queues reduces up_now and down_now of the run, not of a part.
	// Therefore the sums of the run include these changes.
	for (uint32_t m = 1; is_measured(parts->whole) && m <= DRB_LAYERS_MAX; m++) {
		struct layer_meter *meter = &parts->whole->meter[m];
		meter->up_sum += meter->up_now;
		meter->down_sum += meter->down_now;
	}
	return failed ? -ENOMEM : 0;
}

// The lengths of queues, up_now and down_now, stay with the part. It adds to them in its next slot.
static void add_layer(struct layer_meter *to, struct layer_meter *from)
{
	const struct layer_meter now = *from;

	to->up_sum += now.up_sum;
	to->down_sum += now.down_sum;
	to->decided += now.decided;
	to->redirected += now.redirected;
	to->kept += now.kept;
	to->up_max = now.up_max > to->up_max ? now.up_max : to->up_max;
	to->down_max = now.down_max > to->down_max ? now.down_max : to->down_max;
	*from = (struct layer_meter){.up_now = now.up_now, .down_now = now.down_now};
}

void drb_parts_sum(struct drb_packet_parts *parts)
{
	struct drb_packet_sim *whole = parts->whole;

	for (uint32_t i = 0; i < parts->count; i++) {
		struct drb_packet_sim *sim = &parts->part[i].sim;
		for (size_t k = 0; k < sizeof(sim->counts) / sizeof(sim->counts[0]); k++)
			whole->counts[k] += sim->counts[k];
		memset(sim->counts, 0, sizeof(sim->counts));
		const uint32_t m = parts->part[i].layer->layer;
		add_layer(&whole->meter[m], &sim->meter[m]);
	}
}

static int make_part(struct drb_packet_parts *parts, uint32_t layer, struct drb_range range)
{
	struct part *p = &parts->part[parts->count];
	const size_t ports = 2 * (size_t)parts->whole->setup.tree.arity;

	p->sim = *parts->whole;
	p->sim.fabric.pool = drb_fifo_pool_part(&parts->whole->fabric.pool);
	p->sim.arrived_up = malloc(ports * sizeof(uint64_t));
	p->sim.arrived_down = malloc(ports * sizeof(uint64_t));
	p->layer = &p->sim.fabric.layer[layer];
	p->range = range;
	memset(p->sim.counts, 0, sizeof(p->sim.counts));
	memset(p->sim.meter, 0, sizeof(p->sim.meter));
	parts->count++;
	return p->sim.arrived_up && p->sim.arrived_down ? 0 : -ENOMEM;
}

// Cuts all layers into the same number of parts.
static int make_parts(struct drb_packet_parts *parts)
{
	const struct drb_fabric *f = &parts->whole->fabric;
	const uint32_t each = parts->threads * parts->pieces;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < each * f->tree.layers; i++) {
		const uint64_t switches = f->layer[1 + i / each].switches, at = i % each;
		rc = make_part(parts, 1 + i / each,
			       (struct drb_range){(uint32_t)(switches * at / each),
						  (uint32_t)(switches * (at + 1) / each)});
	}
	return rc;
}

int drb_parts_new(struct drb_packet_sim *sim)
{
	const uint32_t layers = sim->setup.tree.layers, threads = sim->setup.threads;
	const uint64_t ports = drb_packet_links(&sim->setup.tree) / layers;
	struct drb_packet_parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	parts->whole = sim;
	parts->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	const uint64_t pieces = ports / LEAST / parts->threads;
	parts->pieces = pieces == 0 ? 1 : pieces < PIECES_MAX ? (uint32_t)pieces : PIECES_MAX;
	parts->part = calloc((size_t)parts->threads * parts->pieces * layers, sizeof(*parts->part));
	int rc = parts->part ? make_parts(parts) : -ENOMEM;
	if (rc == 0)
		parts->crew = drb_crew_new(parts->threads, parts->count / parts->threads + 1);
	if (rc < 0 || !parts->crew) {
		drb_parts_free(parts);
		return -ENOMEM;
	}
	drb_skip_init(&parts->skip);
	sim->parts = parts;
	return 0;
}

void drb_parts_free(struct drb_packet_parts *parts)
{
	if (!parts)
		return;
	drb_crew_free(parts->crew);
	for (uint32_t i = 0; i < parts->count; i++) {
		free(parts->part[i].sim.arrived_up);
		free(parts->part[i].sim.arrived_down);
	}
	free(parts->part);
	free(parts);
}
