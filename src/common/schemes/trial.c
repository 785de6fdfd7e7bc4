// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/tree.h"
#include "core/links/port_sets.h"
#include "core/math/random.h"
#include "core/routing/decide.h"

#define ROUNDS 4000
#define GUARD 64 // octets behind the state

// Two switches that are given the same.
struct twins {
	struct drb_tree tree;
	struct drb_decider s[2];
	size_t size;
	struct drb_rng rng;
};

static int wrong(char why[DRB_TRIAL_WHY], const char *what, uint32_t value, uint32_t uplinks)
{
	snprintf(why, DRB_TRIAL_WHY, "%s %u at a switch with %u uplinks", what, value, uplinks);
	return -EINVAL;
}

static int begin(struct twins *t, const struct drb_choice *choice, char why[DRB_TRIAL_WHY])
{
	const struct drb_scheme_ops *ops = choice->ops;
	const struct drb_scheme_setup setup = {
		.tree = &t->tree, .layer = 1, .choice = choice, .packet_time = 1, .rate = 1};

	t->size = ops->state_size ? ops->state_size(&setup) : 0;
	if (t->size > DRB_SCHEME_STATE_MAX)
		return wrong(why, "keeps MiB", (uint32_t)(t->size >> 20), choice->uplinks);
	for (int i = 0; i < 2; i++) {
		t->s[i] = (struct drb_decider){.choice = *choice};
		if (!ops->state_size)
			continue;
		t->s[i].state = malloc(t->size + GUARD);
		if (!t->s[i].state)
			return -ENOMEM;
		memset(t->s[i].state, 0xa5, t->size + GUARD);
		ops->init(t->s[i].state, &setup);
	}
	return 0;
}

static bool is_guarded(const struct twins *t)
{
	for (int i = 0; i < 2; i++) {
		const unsigned char *state = t->s[i].state;
		for (size_t k = 0; state && k < GUARD; k++) {
			if (state[t->size + k] != 0xa5)
				return false;
		}
	}
	return true;
}

static struct drb_decision draw_packet(struct twins *t, const struct drb_choice *c)
{
	struct drb_decision d = {.dest = drb_rng_below(&t->rng, t->tree.hosts),
				 .flow = drb_rng_next(&t->rng),
				 .draw = drb_rng_next(&t->rng),
				 .size = 1,
				 .def = drb_rng_below(&t->rng, c->uplinks)};

	d.mark = (uint8_t)drb_rng_below(&t->rng, 1u << c->ops->mark_bits);
	return d;
}

// What comes between decisions.
static void pass_time(struct twins *t, const struct drb_scheme_ops *ops, uint32_t now)
{
	uint8_t mark = (uint8_t)drb_rng_below(&t->rng, 1u << ops->mark_bits);
	uint32_t waiting[64];

	for (uint32_t p = 0; p < drb_tree_down_ports(&t->tree, 1); p++)
		waiting[p] = drb_rng_below(&t->rng, 1000);
	for (int i = 0; i < 2; i++) {
		if (ops->hear)
			ops->hear(t->s[i].state, mark);
		if (ops->tick && ops->tick(t->s[i].state, now, 1) && ops->look)
			ops->look(t->s[i].state, waiting);
		if (ops->own_mark)
			t->s[i].mark = ops->own_mark(t->s[i].state);
	}
}

static int decide_once(struct twins *t, uint32_t now, char why[DRB_TRIAL_WHY])
{
	const struct drb_choice *c = &t->s[0].choice;
	const uint64_t all = drb_ports_below(c->uplinks);
	const uint64_t usable = drb_rng_below(&t->rng, 2) ? all : drb_rng_next(&t->rng) & all;
	const struct drb_decision packet = draw_packet(t, c);
	uint32_t load[64], up[2];
	struct drb_decision d = packet;

	for (uint32_t u = 0; u < c->uplinks; u++)
		load[u] = now % 8 ? drb_rng_below(&t->rng, 12) : 0;
	for (int i = 0; i < 2; i++) {
		d = packet;
		up[i] = drb_decide_among(&t->s[i], usable, load, &d);
	}
	if (up[0] >= c->uplinks)
		return wrong(why, "takes uplink", up[0], c->uplinks);
	if (usable && !(usable >> up[0] & 1))
		return wrong(why, "takes dead uplink", up[0], c->uplinks);
	if (up[0] != up[1])
		return wrong(why, "decides otherwise when asked the same again, by uplink", up[1],
			     c->uplinks);
	if (d.def >= c->uplinks)
		return wrong(why, "names as default uplink", d.def, c->uplinks);
	if (d.mark >> c->ops->mark_bits)
		return wrong(why, "marks packets with", d.mark, c->uplinks);
	pass_time(t, c->ops, now);
	d.mark = c->ops->mark_down ? c->ops->mark_down(t->s[0].state, packet.mark) : 0;
	if (d.mark >> c->ops->mark_bits)
		return wrong(why, "marks what goes down with", d.mark, c->uplinks);
	return is_guarded(t)
		       ? 0
		       : wrong(why, "writes behind its state of", (uint32_t)t->size, c->uplinks);
}

static int try_at(const struct drb_choice *choice, char why[DRB_TRIAL_WHY])
{
	struct twins *t = calloc(1, sizeof(*t));
	int rc = -ENOMEM;

	if (t) {
		t->rng = drb_rng_seed(choice->uplinks, 0);
		drb_tree_init(&t->tree, 3, choice->uplinks);
		rc = begin(t, choice, why);
	}
	for (uint32_t now = 1; rc == 0 && now <= ROUNDS; now++)
		rc = decide_once(t, now, why);
	for (int i = 0; t && i < 2; i++)
		free(t->s[i].state);
	free(t);
	return rc;
}

// What can be seen without a call.
static const char *flaw_of(const struct drb_scheme_ops *ops)
{
	if (ops->abi != DRB_SCHEME_ABI)
		return "is made for another version of drb/scheme.h: compile it again";
	if (!ops->name || !ops->help || !ops->choose)
		return "has no name, no help or no choose()";
	if (!ops->state_size != !ops->init)
		return "has one of state_size() and init() without the other";
	if (ops->state_size && !ops->choose_among)
		return "keeps something, so it needs choose_among()";
	if (!ops->state_size && (ops->hear || ops->tick || ops->own_mark || ops->count))
		return "keeps nothing, but hears, counts or sees the time";
	if (ops->look && !ops->tick)
		return "looks at queues, so it needs tick()";
	if (ops->mark_down && !ops->own_mark)
		return "marks what goes down, so it needs own_mark()";
	if (ops->mark_bits > DRB_MARK_BITS_MAX)
		return "has more bits of marks than packets carry";
	for (int i = 0; ops->params && ops->params[i].name; i++) {
		if (i == DRB_SCHEME_PARAMS_MAX)
			return "has more than 8 parameters";
	}
	return NULL;
}

int drb_scheme_trial(const struct drb_scheme_ops *ops, char why[DRB_TRIAL_WHY])
{
	static const uint32_t uplinks[] = {2, 3, 8, 32};
	const char *flaw = flaw_of(ops);
	double param[DRB_SCHEME_PARAMS_MAX] = {0};
	int rc = 0;

	why[0] = '\0';
	if (flaw) {
		snprintf(why, DRB_TRIAL_WHY, "%s", flaw);
		return -EINVAL;
	}
	for (int i = 0; ops->params && ops->params[i].name; i++)
		param[i] = ops->params[i].initial;
	for (size_t i = 0; rc == 0 && i < sizeof(uplinks) / sizeof(uplinks[0]); i++) {
		const struct drb_choice choice = {.ops = ops,
						  .uplinks = uplinks[i],
						  .choices = 2,
						  .margin = 2,
						  .salt = 7,
						  .param = param};
		rc = try_at(&choice, why);
	}
	return rc;
}
