// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/rows.h"

#include <math.h>

void sim_put_tree(struct drb_table *table, const struct drb_tree *t)
{
	drb_table_count(table, "layers", "l", t->layers);
	drb_table_count(table, "arity", "d", t->arity);
	if (t->uplinks < t->arity)
		drb_table_count(table, "uplinks", "u", t->uplinks);
}

void sim_put_threshold(struct drb_table *table, enum drb_scheme scheme, double threshold)
{
	drb_table_real(table, "threshold", "T", 2,
		       drb_scheme_has_threshold(scheme) ? threshold : NAN);
}
