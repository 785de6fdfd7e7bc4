// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a file of faults and as a topology file. They are refused with a reason, or give
// faults of this fabric ordered by slot, and a fat-tree.
#include "fuzz.h"

#include "sim/flows/topo.h"
#include "sim/models/faults.h"
#include "sim/models/slow.h"

static void check(const struct drb_tree *t, const struct drb_fault_list *list, uint32_t i)
{
	const struct drb_fault *f = &list->fault[i];
	const struct drb_end *end = &f->what.end;

	require(i == 0 || list->fault[i - 1].slot <= f->slot);
	require(end->layer >= 1 && end->layer <= t->layers);
	require(end->label < drb_tree_switches(t, end->layer));
	require(f->what.is_switch || (end->up && end->port < drb_tree_up_ports(t, end->layer)));
	require(f->kind != DRB_FAULT_SLOW ||
		(!f->what.is_switch && f->pace >= 1 && f->pace <= DRB_SLOW_MAX));
}

static void read_faults(FILE *in)
{
	struct drb_tree t;
	const struct drb_faults_scale scale = {&t, 100};
	struct drb_fault_list list = {0};
	char why[DRB_FAULTS_WHY_MAX] = "";

	require(drb_tree_init(&t, 3, 2) == 0);
	if (drb_faults_read("faults", in, &scale, &list, why) < 0) {
		require(*why && !list.fault);
		return;
	}
	for (uint32_t i = 0; i < list.count; i++)
		check(&t, &list, i);
	free((void *)(uintptr_t)list.fault);
}

static void read_topo(FILE *in)
{
	struct drb_topo topo;
	struct drb_tree t;
	char why[DRB_TOPO_WHY_MAX] = "";

	if (drb_topo_read("topo", in, &topo, why) < 0)
		require(*why);
	else
		require(drb_tree_init_uplinks(&t, topo.layers, topo.arity, topo.uplinks) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	read_faults(in);
	rewind(in);
	read_topo(in);
	fclose(in);
	return 0;
}
