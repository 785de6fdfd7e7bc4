// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/rig.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/links/port_sets.h"
#include "core/routing/decide.h"

#include "drb/threshold.h"

#define GUARD 4096 // guard bytes before and after the state
#define FLOWS 64   // number of flows that repeat
#define OCTETS 1538

static const char *volatile called_here;
const char *volatile *drb_rig_called = &called_here;

static struct drb_choice choice_of(const struct drb_rig *rig, const struct drb_scheme_variant *v)
{
	const struct drb_rig_kind *k = &rig->kind;

	return (struct drb_choice){
		.ops = v->ops,
		.uplinks = drb_tree_up_ports(&rig->tree, k->layer),
		.choices = isnan(v->choices) ? k->choices : (uint32_t)v->choices,
		.margin = drb_margin(isnan(v->threshold) ? k->threshold : v->threshold),
		.salt = drb_salt(7, k->layer, 1),
		.param = v->param,
	};
}

// True if rates are in bytes, as with the clock of a switch; otherwise they are in packets.
static bool counts_octets(const struct drb_rig_kind *kind)
{
	return kind->packet_time > 1;
}

static int begin_state(struct drb_rig *rig, char why[DRB_TRIAL_WHY])
{
	const struct drb_scheme_ops *ops = rig->s.choice.ops;
	const uint32_t time = rig->kind.packet_time;
	double rates[DRB_RIG_UPLINKS_MAX];
	struct drb_scheme_setup setup = {.tree = &rig->tree,
					 .layer = rig->kind.layer,
					 .choice = &rig->s.choice,
					 .packet_time = time,
					 .rate = time ? 1 : 0};

	for (uint32_t u = 0; u < rig->s.choice.uplinks; u++)
		rates[u] = (double)OCTETS / (time ? time : 1);
	if (counts_octets(&rig->kind))
		setup.rates = rates;
	*drb_rig_called = "state_size()";
	rig->size = ops->state_size(&setup);
	if (rig->size > DRB_SCHEME_STATE_MAX) {
		snprintf(why, DRB_TRIAL_WHY,
			 "state_size() is %.1f MiB at a switch of F(3,%u), and may be %d MiB",
			 (double)rig->size / (1 << 20), rig->kind.arity,
			 DRB_SCHEME_STATE_MAX >> 20);
		return -EINVAL;
	}
	if (rig->size != ops->state_size(&setup))
		return drb_rig_wrong(rig, "returns another size when asked again, first octets",
				     (uint32_t)rig->size, why);
	rig->memory = malloc(rig->size + 2 * GUARD);
	if (!rig->memory)
		return -ENOMEM;
	memset(rig->memory, rig->fill, rig->size + 2 * GUARD);
	rig->s.state = rig->memory + GUARD;
	*drb_rig_called = "init()";
	ops->init(rig->s.state, &setup);
	return 0;
}

int drb_rig_begin(struct drb_rig *rig, const struct drb_scheme_variant *v,
		  const struct drb_rig_kind *kind, unsigned char fill, char why[DRB_TRIAL_WHY])
{
	*rig = (struct drb_rig){.kind = *kind, .fill = fill, .rng = drb_rng_seed(kind->arity, 1)};
	drb_tree_init_uplinks(&rig->tree, 3, kind->arity, kind->uplinks);
	rig->hop = drb_hop_at(&rig->tree, kind->layer, 1);
	rig->s.choice = choice_of(rig, v);
	return v->ops->state_size ? begin_state(rig, why) : 0;
}

void drb_rig_end(struct drb_rig *rig)
{
	free(rig->memory);
	rig->memory = NULL;
}

static void draw_loads(struct drb_rig *rig)
{
	struct drb_rig_input *in = &rig->in;
	const uint32_t form = drb_rng_below(&rig->rng, 8);
	const uint32_t below = form == 0 ? 1 : form == 1 ? DRB_LOAD_MAX : 12;
	const uint32_t equal = drb_rng_below(&rig->rng, below);

	in->unloaded = true;
	for (uint32_t u = 0; u < rig->s.choice.uplinks; u++) {
		in->load[u] = form == 2 ? equal : drb_rng_below(&rig->rng, below);
		in->unloaded &= in->load[u] == 0;
	}
}

static uint64_t draw_usable(struct drb_rig *rig)
{
	const uint32_t uplinks = rig->s.choice.uplinks;
	const uint64_t all = drb_ports_below(uplinks);

	switch (drb_rng_below(&rig->rng, 4)) {
	case 0:
		return drb_rng_next(&rig->rng) & all;
	case 1:
		return UINT64_C(1) << drb_rng_below(&rig->rng, uplinks);
	default:
		return all;
	}
}

void drb_rig_draw_packet(struct drb_rig *rig)
{
	struct drb_decision *d = &rig->in.packet;
	struct drb_rng *r = &rig->rng;

	*d = (struct drb_decision){.draw = drb_rng_next(r)};
	do
		d->dest = drb_rng_below(r, rig->tree.hosts);
	while (drb_hop_below(&rig->hop, d->dest));
	d->def = drb_hop_default(&rig->hop, d->dest);
	d->flow = drb_rng_below(r, 2) ? drb_rng_next(r) : drb_mix64(drb_rng_below(r, FLOWS));
	d->size = counts_octets(&rig->kind) ? 64 + drb_rng_below(r, OCTETS - 63) : 1;
	// Hosts send no marks.
	d->mark = (uint8_t)drb_rng_below(r, 1u << rig->s.choice.ops->mark_bits);
	if (rig->kind.layer == 1)
		d->mark = 0;
}

void drb_rig_draw(struct drb_rig *rig)
{
	drb_rig_draw_packet(rig);
	draw_loads(rig);
	rig->in.usable = draw_usable(rig);
}

// Decides like src/switch/datapath/decide/decide_burst.c, which passes only the data that a scheme
// reads, and calls the scheme only if it must.
static uint32_t decide_as_switch(struct drb_rig *rig, struct drb_decision *d)
{
	static const uint64_t random[] = {[DRB_DRAW_NONE] = 0,
					  [DRB_DRAW_OTHER] = UINT64_MAX << 32,
					  [DRB_DRAW_ANY] = UINT64_MAX << 32,
					  [DRB_DRAW_TWO] = UINT64_MAX,
					  [DRB_DRAW_WORD] = UINT64_MAX};
	const struct drb_scheme_ops *ops = rig->s.choice.ops;
	// Links whose load is in bytes have a rate, and are never without load.
	const bool unloaded = rig->in.unloaded && !counts_octets(&rig->kind);
	const bool none = unloaded || ops->compares == DRB_COMPARES_NONE;

	if (unloaded && ops->count && !d->mark && !rig->s.mark) {
		rig->by_default[d->def]++;
		return d->def;
	}
	if (!(ops->needs & DRB_READS_FLOW))
		d->flow = 0;
	if (!(ops->needs & DRB_READS_SIZE))
		d->size = 0;
	d->draw &= random[none ? ops->unloaded : drb_draw_of(&rig->s.choice)];
	return drb_decide_uplink(&rig->s, (struct drb_loads){none ? NULL : rig->in.load}, d);
}

uint32_t drb_rig_decide(struct drb_rig *rig, struct drb_decision *d)
{
	*d = rig->in.packet;
	rig->packets++;
	rig->sent++;
	const bool whole = rig->in.usable == drb_ports_below(rig->s.choice.uplinks);
	*drb_rig_called = whole || !rig->s.choice.ops->choose_among ? "choose()" : "choose_among()";
	if (rig->kind.as_switch && whole)
		return decide_as_switch(rig, d);
	return drb_decide_among(&rig->s, rig->in.usable, rig->in.load, d);
}

// In the simulator, tick() gets no count of packets, because the simulator knows the time.
void drb_rig_pass_time(struct drb_rig *rig)
{
	const struct drb_scheme_ops *ops = rig->s.choice.ops;
	uint32_t waiting[2 * DRB_RIG_UPLINKS_MAX];
	struct drb_rng *r = &rig->rng;
	const uint32_t heard = drb_rng_below(r, 2 * rig->s.choice.uplinks + 1);
	const uint8_t mark = (uint8_t)drb_rng_below(r, 1u << ops->mark_bits);

	for (uint32_t p = 0; p < drb_tree_down_ports(&rig->tree, rig->kind.layer); p++)
		waiting[p] = drb_rng_below(r, 1000);
	rig->now += drb_rng_below(r, 2 * rig->kind.packet_time + 1);
	*drb_rig_called = "hear()";
	for (uint32_t i = 0; ops->hear && i < heard; i++)
		ops->hear(rig->s.state, mark);
	*drb_rig_called = "count()";
	if (ops->count && rig->s.choice.uplinks)
		ops->count(rig->s.state, rig->by_default);
	memset(rig->by_default, 0, sizeof(rig->by_default));
	const bool is_simulator = !rig->kind.as_switch && rig->kind.packet_time;
	*drb_rig_called = "tick()";
	if (ops->tick && ops->tick(rig->s.state, rig->now, is_simulator ? 0 : rig->sent) &&
	    ops->look && rig->kind.layer > 1) {
		*drb_rig_called = "look()";
		ops->look(rig->s.state, waiting);
	}
	rig->sent = 0;
	*drb_rig_called = "own_mark()";
	if (ops->own_mark)
		rig->s.mark = ops->own_mark(rig->s.state);
}

uint8_t drb_rig_mark_down(struct drb_rig *rig, uint8_t mark, bool from_below)
{
	const struct drb_scheme_ops *ops = rig->s.choice.ops;

	*drb_rig_called = "mark_down()";
	return ops->mark_down ? ops->mark_down(rig->s.state, mark, from_below) : 0;
}

bool drb_rig_is_guarded(const struct drb_rig *rig)
{
	for (size_t i = 0; rig->memory && i < GUARD; i++) {
		if (rig->memory[i] != rig->fill || rig->memory[GUARD + rig->size + i] != rig->fill)
			return false;
	}
	return true;
}

int drb_rig_wrong(const struct drb_rig *rig, const char *what, uint32_t value,
		  char why[DRB_TRIAL_WHY])
{
	const struct drb_rig_input *in = &rig->in;
	const uint32_t uplinks = rig->s.choice.uplinks;
	char loads[100] = "";
	size_t used = 0;

	for (uint32_t u = 0; u < uplinks && u < 8; u++)
		used += (size_t)snprintf(loads + used, sizeof(loads) - used, " %u", in->load[u]);
	int n = snprintf(why, DRB_TRIAL_WHY, "%s %u at a switch with %u uplinks", what, value,
			 uplinks);
	if (rig->packets)
		snprintf(why + n, DRB_TRIAL_WHY - (size_t)n,
			 ": packet %u, to host %u by default %u, alive %#" PRIx64 ", draw %#" PRIx64
			 ", mark %u, loads%s%s",
			 rig->packets, in->packet.dest, in->packet.def, in->usable, in->packet.draw,
			 in->packet.mark, loads, uplinks > 8 ? " ..." : "");
	return -EINVAL;
}
