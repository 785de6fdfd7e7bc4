// SPDX-License-Identifier: BSD-3-Clause
// A scheme at one switch, for programs that link libdrb. It calls the functions of the scheme in
// the same way as the switch and the simulator.
#include <errno.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"
#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "drb/detour.h"
#include "drb/threshold.h"

struct drb_chooser {
	struct drb_hop hop;
	struct drb_detour_node node;
	struct drb_decider decider;
	struct drb_rng rng;
	uint64_t state[]; // state of the scheme
};

const struct drb_scheme_ops *drb_scheme_find(const char *name)
{
	enum drb_scheme scheme;

	return drb_scheme_parse(name, &scheme) == 0 ? drb_scheme_ops(scheme) : NULL;
}

const struct drb_scheme_ops *drb_scheme_at(uint32_t i)
{
	return i < DRB_SCHEME_COUNT ? drb_scheme_ops((enum drb_scheme)i) : NULL;
}

static bool is_right(const struct drb_chooser_setup *s)
{
	return s->layer >= 1 && s->layer < s->tree->layers &&
	       s->label < drb_tree_switches(s->tree, s->layer) && s->threshold >= 0 &&
	       s->choices <= DRB_CHOICES_MAX && s->choices != 1;
}

struct drb_chooser *drb_chooser_new(const struct drb_scheme_ops *ops,
				    const struct drb_chooser_setup *s)
{
	if (!is_right(s)) {
		errno = EINVAL;
		return NULL;
	}
	const uint32_t ups = drb_tree_up_ports(s->tree, s->layer);
	const struct drb_choice choice = {.ops = ops,
					  .uplinks = ups,
					  .choices = s->choices ? s->choices : 2,
					  .margin = drb_margin(s->threshold),
					  .salt = drb_salt(s->seed, s->layer, s->label)};
	const struct drb_scheme_setup setup = {.tree = s->tree,
					       .layer = s->layer,
					       .choice = &choice,
					       .packet_time = s->packet_time,
					       .rate = s->packet_time ? 1.0 / s->packet_time : 0};
	const size_t size = ops->state_size ? ops->state_size(&setup) : 0;
	struct drb_chooser *c = calloc(1, sizeof(*c) + size);

	if (!c)
		return NULL;
	c->hop = drb_hop_at(s->tree, s->layer, s->label);
	c->node = (struct drb_detour_node){c->hop, s->layer, drb_tree_down_ports(s->tree, s->layer),
					   ups};
	c->decider = (struct drb_decider){.choice = choice, .state = size ? c->state : NULL};
	c->rng = drb_rng_seed(s->seed, choice.salt);
	if (ops->init)
		ops->init(c->state, &setup);
	return c;
}

void drb_chooser_free(struct drb_chooser *c)
{
	free(c);
}

// Fills in what depends on the destination and on the time.
static void prepare(struct drb_chooser *c, struct drb_decision *d)
{
	const struct drb_scheme_ops *ops = c->decider.choice.ops;

	d->def = drb_hop_default(&c->hop, d->dest);
	d->draw = drb_rng_next(&c->rng);
	d->walks = d->detoured = false;
	if (ops->own_mark)
		c->decider.mark = ops->own_mark(c->state);
}

uint32_t drb_chooser_choose(struct drb_chooser *c, const uint32_t load[], struct drb_decision *d)
{
	prepare(c, d);
	return drb_decide_uplink(&c->decider, (struct drb_loads){load}, d);
}

uint32_t drb_chooser_choose_among(struct drb_chooser *c, uint64_t usable, const uint32_t load[],
				  struct drb_decision *d)
{
	prepare(c, d);
	if (c->decider.choice.uplinks > DRB_USABLE_UPLINKS_MAX)
		usable = 0;
	return drb_decide_among(&c->decider, usable, load, d);
}

int32_t drb_chooser_detour(struct drb_chooser *c, const struct drb_usable_ports *ports,
			   const uint32_t load[], struct drb_decision *d)
{
	prepare(c, d);
	return drb_decide(&c->decider, &c->node, *ports, load, d);
}

void drb_chooser_hear(struct drb_chooser *c, uint8_t mark)
{
	const struct drb_scheme_ops *ops = c->decider.choice.ops;

	if (ops->hear)
		ops->hear(c->state, mark);
}

bool drb_chooser_tick(struct drb_chooser *c, uint32_t now, uint32_t sent)
{
	const struct drb_scheme_ops *ops = c->decider.choice.ops;

	return ops->tick && ops->tick(c->state, now, sent) && ops->look && c->node.layer > 1;
}

void drb_chooser_look(struct drb_chooser *c, const uint32_t waiting[])
{
	const struct drb_scheme_ops *ops = c->decider.choice.ops;

	if (ops->look)
		ops->look(c->state, waiting);
}

uint8_t drb_chooser_mark_down(struct drb_chooser *c, uint8_t mark, bool from_below)
{
	const struct drb_scheme_ops *ops = c->decider.choice.ops;

	if (c->node.layer == 1)
		return 0;
	return ops->mark_down ? ops->mark_down(c->state, mark, from_below) : mark;
}
