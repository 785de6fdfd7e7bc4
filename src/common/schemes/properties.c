// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/properties.h"

const struct drb_rig_kind drb_rig_kinds[] = {
	{2, 2, 1, false, 1, 2, 1},
	{3, 3, 2, false, 1, 3, 0},
	{8, 8, 1, false, 1, 2, 2.5},
	{8, 3, 1, false, 1, 64, 1},
	{64, 64, 2, false, 1, 4, 1},
	{2, 2, 2, true, 100, 2, 0},
	{5, 5, 1, true, 1, 3, 1},
	{8, 8, 2, true, 200, 2, 1},
	{4, 4, 1, true, 0, 2, 1},
	{32, 32, 1, true, 200, 64, 3},
	{0},
};

int drb_scheme_begins(const struct drb_scheme_variant *v, char why[DRB_TRIAL_WHY])
{
	struct drb_rig rig;
	int rc = 0;

	for (const struct drb_rig_kind *kind = drb_rig_kinds; rc == 0 && kind->arity; kind++) {
		rc = drb_rig_begin(&rig, v, kind, 0xa5, why);
		drb_rig_end(&rig);
	}
	return rc;
}

static int check_decisions(const struct drb_property *p, const struct drb_scheme_variant *v,
			   uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	struct drb_decision d;
	struct drb_rig rig;
	int rc = 0;

	for (const struct drb_rig_kind *kind = drb_rig_kinds; rc == 0 && kind->arity; kind++) {
		rc = drb_rig_begin(&rig, v, kind, 0xa5, why);
		for (uint32_t i = 0; rc == 0 && i < decisions; i++) {
			drb_rig_draw(&rig);
			uint32_t up = drb_rig_decide(&rig, &d);
			rc = p->each(&rig, up, &d, why);
			if (i % 4 == 3)
				drb_rig_pass_time(&rig);
		}
		drb_rig_end(&rig);
	}
	return rc;
}

static int check_uplink(struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
			char why[DRB_TRIAL_WHY])
{
	if (up >= rig->s.choice.uplinks)
		return drb_rig_wrong(rig, "takes uplink", up, why);
	if (d->def >= rig->s.choice.uplinks)
		return drb_rig_wrong(rig, "names as default uplink", d->def, why);
	return 0;
}

static int check_alive(struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
		       char why[DRB_TRIAL_WHY])
{
	const uint64_t usable = rig->in.usable;

	(void)d;
	return !usable || up >= rig->s.choice.uplinks || (usable >> up & 1)
		       ? 0
		       : drb_rig_wrong(rig, "takes dead uplink", up, why);
}

static int check_marks(struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
		       char why[DRB_TRIAL_WHY])
{
	const struct drb_scheme_ops *ops = rig->s.choice.ops;
	const uint8_t came = rig->in.packet.mark;
	const uint8_t down = drb_rig_mark_down(rig, came, true);

	(void)up;
	if (d->mark >> ops->mark_bits)
		return drb_rig_wrong(rig, "marks packets with", d->mark, why);
	if (rig->s.mark >> ops->mark_bits)
		return drb_rig_wrong(rig, "has as its own mark", rig->s.mark, why);
	if (down >> ops->mark_bits)
		return drb_rig_wrong(rig, "marks downward packets with", down, why);
	return 0;
}

static int check_memory(struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
			char why[DRB_TRIAL_WHY])
{
	(void)up, (void)d;
	return drb_rig_is_guarded(rig) ? 0
				       : drb_rig_wrong(rig, "writes beside its state of octets",
						       (uint32_t)rig->size, why);
}

// Tries the scheme at switches that never ask it for a decision, because they have one uplink or
// none.
static int is_there_unasked(const struct drb_scheme_variant *v, uint32_t decisions,
			    char why[DRB_TRIAL_WHY])
{
	static const struct drb_rig_kind kinds[] = {{4, 1, 1, false, 1, 2, 1},
						    {4, 1, 1, true, 200, 2, 1},
						    {2, 2, 3, false, 1, 2, 1},
						    {8, 8, 3, true, 200, 2, 1}};
	const struct drb_scheme_ops *ops = v->ops;
	const int count = (ops->needs & DRB_AT_CORES) ? 4 : 2;
	struct drb_rig rig;
	int rc = 0;

	for (int k = 0; rc == 0 && k < count; k++) {
		rc = drb_rig_begin(&rig, v, &kinds[k], 0xa5, why);
		for (uint32_t i = 0; rc == 0 && i < decisions; i++) {
			drb_rig_pass_time(&rig);
			drb_rig_mark_down(&rig, 0, false);
		}
		if (rc == 0 && !drb_rig_is_guarded(&rig))
			rc = drb_rig_wrong(&rig, "writes beside its state of octets",
					   (uint32_t)rig.size, why);
		drb_rig_end(&rig);
	}
	return rc;
}

static bool says_uniform(const struct drb_scheme_ops *ops)
{
	return ops->needs & DRB_UNIFORM;
}

const struct drb_property drb_properties[] = {
	{"uplinks", "takes uplinks that exist", .each = check_uplink},
	{"dead", "takes no dead uplink while one is alive", .each = check_alive},
	{"marks", "marks packets with as many bits as it declares", .each = check_marks},
	// Reads thousands of bytes.
	{"memory", "uses as much memory as it declares, and writes nowhere else",
	 .each = check_memory, .seldom = 10},
	{"cores", "can be set up where it is never asked", .whole = is_there_unasked},
	{"repeatable", "decides alike with the same seed", .whole = drb_scheme_repeats},
	{"hosts", "decides alike in switch and simulator", .whole = drb_scheme_has_one_rule},
	{"uniform", "takes uplinks of equal load equally often, by a chi-square at 1 in 100000",
	 .by_chance = true, .is_promised = says_uniform, .whole = drb_scheme_is_uniform},
	{0},
};

int drb_property_holds(const struct drb_property *p, const struct drb_scheme_variant *v,
		       uint32_t decisions, char why[DRB_TRIAL_WHY])
{
	if (!p->each)
		return p->whole(v, decisions, why);
	return check_decisions(p, v, p->seldom ? decisions / p->seldom + 1 : decisions, why);
}
