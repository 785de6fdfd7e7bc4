// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DECISIONS 1000 // number of decisions on each kind of switch

const char *drb_scheme_flaw(const struct drb_scheme_ops *ops)
{
	if (ops->abi == 0)
		return "has no .abi: add .abi = DRB_SCHEME_ABI";
	if (ops->abi != DRB_SCHEME_ABI)
		return "is made for another version of drb/scheme.h: compile it again";
	if (!ops->name)
		return "has no .name";
	if (!ops->help)
		return "has no .help, a few words on which uplink it takes";
	if (!ops->choose)
		return "has no .choose, the function that decides";
	if (!ops->name[0] || ops->name[strspn(ops->name, "abcdefghijklmnopqrstuvwxyz0123456789")])
		return "must have a name of lower case letters and digits";
	if (!ops->state_size != !ops->init)
		return "has one of state_size() and init() without the other";
	if (ops->state_size && !ops->choose_among)
		return "keeps something, so it needs choose_among()";
	if (!ops->mark_bits != !ops->own_mark)
		return "has one of mark_bits and own_mark() without the other";
	if (!ops->state_size && (ops->hear || ops->tick || ops->own_mark || ops->count))
		return "keeps nothing, but hears, counts or sees the time";
	if (ops->count && !(ops->needs & DRB_DEFAULT_UNLOADED))
		return "has count(), so it needs DRB_DEFAULT_UNLOADED";
	if (ops->look && !ops->tick)
		return "has look(), so it needs tick()";
	if ((ops->mark_down || ops->hear) && !ops->mark_bits)
		return "has hear() or mark_down(), so it needs mark_bits";
	if (ops->mark_bits > DRB_MARK_BITS_MAX)
		return "has more bits of marks than packets carry";
	for (int i = 0; ops->params && ops->params[i].name; i++) {
		if (i == DRB_SCHEME_PARAMS_MAX)
			return "has more than 16 parameters";
	}
	return NULL;
}

int drb_scheme_trial(const struct drb_scheme_variant *v, char why[DRB_TRIAL_WHY])
{
	const char *flaw = drb_scheme_flaw(v->ops);
	int rc = 0;

	why[0] = '\0';
	if (flaw) {
		snprintf(why, DRB_TRIAL_WHY, "%s", flaw);
		return -EINVAL;
	}
	for (const struct drb_property *p = drb_properties; rc == 0 && p->name; p++) {
		if (!p->by_chance && (!p->is_promised || p->is_promised(v->ops)))
			rc = drb_property_holds(p, v, DECISIONS, why);
	}
	return rc;
}
