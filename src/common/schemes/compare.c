// SPDX-License-Identifier: BSD-3-Clause
// Properties that are checked by comparison of two switches with equal input, or of counts.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/schemes/properties.h"
#include "core/math/chi2.h"
#include "core/links/port_sets.h"

static uint32_t take_step(struct drb_rig *rig, uint32_t i, struct drb_decision *d)
{
	if (i % 4 == 0)
		drb_rig_pass_time(rig);
	drb_rig_draw(rig);
	return drb_rig_decide(rig, d);
}

// Compares three runs with equal input: one run alone, then two runs side by side. The initial
// contents of memory differ between them.
static int repeats_on(const struct drb_scheme_variant *v, const struct drb_rig_kind *kind,
		      uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	uint32_t *before = malloc(decisions * sizeof(*before));
	struct drb_rig one = {0}, two = {0};
	struct drb_decision d;
	int rc = before ? drb_rig_begin(&one, v, kind, 0xa5, why) : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < decisions; i++)
		before[i] = take_step(&one, i, &d);
	drb_rig_end(&one);
	if (rc == 0)
		rc = drb_rig_begin(&one, v, kind, 0x3c, why);
	if (rc == 0)
		rc = drb_rig_begin(&two, v, kind, 0x5a, why);
	for (uint32_t i = 0; rc == 0 && i < decisions; i++) {
		const uint32_t first = take_step(&one, i, &d), second = take_step(&two, i, &d);
		if (first != second || first != before[i])
			rc = drb_rig_wrong(&two,
					   "decides differently when asked the same again, by "
					   "uplink",
					   first == before[i] ? second : first, why);
	}
	drb_rig_end(&one);
	drb_rig_end(&two);
	free(before);
	return rc;
}

int drb_scheme_repeats(const struct drb_scheme_variant *v, uint32_t decisions,
		       char why[DRB_TRIAL_WHY])
{
	int rc = 0;

	for (const struct drb_rig_kind *kind = drb_rig_kinds; rc == 0 && kind->arity; kind++)
		rc = repeats_on(v, kind, decisions, why);
	return rc;
}

// The result of a decision.
struct outcome {
	uint32_t up;
	struct drb_decision d;
};

// True if the scheme promises the default here (DRB_DEFAULT_UNLOADED). The switch then does not
// call the scheme.
static bool must_be_default(const struct drb_rig *rig)
{
	return (rig->s.choice.ops->needs & DRB_DEFAULT_UNLOADED) && rig->in.unloaded &&
	       !rig->in.packet.mark && !rig->s.mark &&
	       rig->in.usable == drb_ports_below(rig->s.choice.uplinks);
}

// [0] of rig and o is the simulator, [1] the switch.
static int compare_hosts(const struct drb_rig rig[2], const struct outcome o[2],
			 char why[DRB_TRIAL_WHY])
{
	if (must_be_default(&rig[0]) && o[0].up != rig[0].in.packet.def)
		return drb_rig_wrong(&rig[0],
				     "declares DRB_DEFAULT_UNLOADED, but without loads takes "
				     "uplink",
				     o[0].up, why);
	if (o[0].up != o[1].up || o[0].d.def != o[1].d.def)
		return drb_rig_wrong(&rig[1],
				     "decides differently in the switch, which passes only what "
				     "it declares that it reads, than in the simulator: by uplink",
				     o[1].up, why);
	if (o[0].d.mark != o[1].d.mark || rig[0].s.mark != rig[1].s.mark)
		return drb_rig_wrong(&rig[1],
				     "marks otherwise in the switch than in the simulator: with",
				     o[1].d.mark, why);
	return 0;
}

// Compares two simulators and two switches. If a scheme does not repeat its own decisions, another
// property reports that.
static int is_one_rule_on(const struct drb_scheme_variant *v, struct drb_rig_kind kind,
			  uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	struct drb_rig rig[4] = {0};
	struct outcome o[4];
	int rc = 0;

	for (int k = 0; rc == 0 && k < 4; k++) {
		kind.as_switch = k % 2;
		rc = drb_rig_begin(&rig[k], v, &kind, 0xa5, why);
	}
	for (uint32_t i = 0; rc == 0 && i < decisions; i++) {
		for (int k = 0; k < 4; k++)
			o[k].up = take_step(&rig[k], i, &o[k].d);
		if (o[0].up != o[2].up || o[1].up != o[3].up)
			break;
		rc = compare_hosts(rig, o, why);
	}
	for (int k = 0; k < 4; k++)
		drb_rig_end(&rig[k]);
	return rc;
}

// Members that declare how little a scheme reads. Without the declaration, the scheme gets all
// data.
enum member { COMPARES, DRAW, UNLOADED, FLOW, SIZE, MEMBERS };

static void undeclare(struct drb_scheme_ops *ops, int member)
{
	if (member == COMPARES)
		ops->compares = DRB_COMPARES_ALL;
	else if (member == DRAW)
		ops->draw = DRB_DRAW_WORD;
	else if (member == UNLOADED)
		ops->unloaded = DRB_DRAW_WORD;
	else
		ops->needs |= member == FLOW ? DRB_READS_FLOW : DRB_READS_SIZE;
}

// Names the member that declares too little. If this member is left out, the scheme decides alike.
static void name_member(const struct drb_scheme_variant *v, struct drb_rig_kind kind,
			uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	static const char *const cure[MEMBERS] = {
		[COMPARES] = "reads loads that .compares does not declare: leave .compares out",
		[DRAW] = "reads bits of d->draw that .draw does not declare: leave .draw out",
		[UNLOADED] = "reads bits of d->draw that .unloaded does not declare: leave it out",
		[FLOW] = "reads d->flow: add DRB_READS_FLOW to .needs",
		[SIZE] = "reads d->size: add DRB_READS_SIZE to .needs",
	};
	char otherwise[DRB_TRIAL_WHY], shown[DRB_TRIAL_WHY];

	for (int m = 0; m < MEMBERS; m++) {
		struct drb_scheme_ops ops = *v->ops;
		struct drb_scheme_variant more = *v;
		undeclare(&ops, m);
		more.ops = &ops;
		if (memcmp(&ops, v->ops, sizeof(ops)) == 0 ||
		    is_one_rule_on(&more, kind, decisions, otherwise) < 0)
			continue;
		snprintf(shown, sizeof(shown), "%s", why);
		snprintf(why, DRB_TRIAL_WHY, "%s; %.*s", cure[m],
			 (int)(DRB_TRIAL_WHY - strlen(cure[m]) - 3), shown);
		return;
	}
}

int drb_scheme_has_one_rule(const struct drb_scheme_variant *v, uint32_t decisions,
			    char why[DRB_TRIAL_WHY])
{
	int rc = 0;

	for (const struct drb_rig_kind *kind = drb_rig_kinds; rc == 0 && kind->arity; kind++) {
		rc = is_one_rule_on(v, *kind, decisions, why);
		if (rc < 0)
			name_member(v, *kind, decisions, why);
	}
	return rc;
}

// Draws a packet with this default uplink. All uplinks have the same load. If the scheme has a
// threshold, the default's load is higher by more than T.
static void draw_equal(struct drb_rig *rig, uint32_t def)
{
	const struct drb_choice *c = &rig->s.choice;

	do
		drb_rig_draw_packet(rig);
	while (rig->in.packet.def != def);
	rig->in.packet.mark = 0;
	rig->in.packet.flow = drb_rng_next(&rig->rng); // a new flow for each packet
	rig->in.usable = drb_ports_below(c->uplinks);
	rig->in.unloaded = false;
	for (uint32_t u = 0; u < c->uplinks; u++)
		rig->in.load[u] = 5;
	if (c->ops->needs & DRB_HAS_THRESHOLD)
		rig->in.load[def] += c->margin + 100;
}

static int judge_counts(const struct drb_rig *rig, uint32_t def, uint64_t seen[],
			char why[DRB_TRIAL_WHY])
{
	uint32_t cells = rig->s.choice.uplinks;

	if (rig->s.choice.ops->needs & DRB_HAS_THRESHOLD) {
		if (seen[def] > 0)
			return drb_rig_wrong(rig, "keeps to a default longer by more than T,", def,
					     why);
		seen[def] = seen[--cells];
	}
	const double chi2 = cells > 1 ? drb_chi2_uniform(seen, cells) : 0;
	const double critical = cells > 1 ? drb_chi2_critical(cells - 1) : 1;
	if (chi2 < critical)
		return 0;
	snprintf(why, DRB_TRIAL_WHY,
		 "takes uplinks of equal load unevenly at a switch with %u uplinks, by default %u: "
		 "chi-square %.1f, of at most %.1f",
		 rig->s.choice.uplinks, def, chi2, critical);
	return -EINVAL;
}

// Makes decisions with equal loads, but does not count the first ones, a tenth of `decisions`.
static int is_uniform_on(const struct drb_scheme_variant *v, const struct drb_rig_kind *kind,
			 uint32_t def, uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	uint64_t seen[DRB_RIG_UPLINKS_MAX] = {0};
	struct drb_decision d;
	struct drb_rig rig;
	int rc = drb_rig_begin(&rig, v, kind, 0xa5, why);

	for (uint32_t i = 0; rc == 0 && i < decisions + decisions / 10; i++) {
		draw_equal(&rig, def);
		uint32_t up = drb_rig_decide(&rig, &d);
		if (up >= rig.s.choice.uplinks) {
			drb_rig_end(&rig);
			return 0; // another property reports that
		}
		seen[up] += i >= decisions / 10;
	}
	if (rc == 0)
		rc = judge_counts(&rig, def, seen, why);
	drb_rig_end(&rig);
	return rc;
}

// A threshold that no load exceeds never redirects, so it is not checked.
int drb_scheme_is_uniform(const struct drb_scheme_variant *v, uint32_t decisions,
			  char why[DRB_TRIAL_WHY])
{
	int rc = 0;

	if (v->threshold >= DRB_LOAD_MAX / 2)
		return 0;
	for (const struct drb_rig_kind *kind = drb_rig_kinds; rc == 0 && kind->arity; kind++) {
		rc = is_uniform_on(v, kind, 0, decisions, why);
		if (rc == 0)
			rc = is_uniform_on(v, kind, kind->uplinks - 1, decisions, why);
	}
	return rc;
}
