// SPDX-License-Identifier: BSD-3-Clause
// The options --faults and --detect.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"

#include "sim/engine/shared_file.h"
#include "sim/points/fabric_options.h"

#define DETECT_NS 100000.0
#define SLOT_NS 81.92 // 4096 bytes at 400 Gbit/s, if a slot has no known length

static void free_list(void *list)
{
	struct drb_fault_list *faults = list;

	free((void *)(uintptr_t)faults->fault);
	free(faults);
}

static struct drb_fault_list *read_file(const char *path, const struct drb_tree *t, double slot_ns)
{
	const struct drb_faults_scale scale = {t, slot_ns};
	struct drb_fault_list *list = calloc(1, sizeof(*list));
	char why[DRB_FAULTS_WHY_MAX];
	FILE *in = drb_file_read(path);

	if (!in)
		drb_die("--faults %s: %s", path, drb_file_error(errno));
	if (!list)
		drb_die("--faults %s: not enough memory", path);
	int rc = drb_faults_read(drb_file_name(path), in, &scale, list, why);
	fclose(in);
	if (rc < 0)
		drb_die("--faults %s", why);
	return list;
}

// The number of faults that come when this number of slots is over.
static uint32_t late_of(const struct drb_fault_list *list, uint64_t slots)
{
	uint32_t late = 0;

	while (late < list->count && list->fault[list->count - 1 - late].slot >= slots)
		late++;
	return late;
}

void sim_faults_warn(const struct sim_links *links, uint64_t slots, struct sim_outcome *out)
{
	const uint32_t late = late_of(&links->faults, slots);

	if (late && !*out->warning)
		snprintf(out->warning, sizeof(out->warning),
			 "--faults %s: %u of %u faults come after the run has ended, in slot "
			 "%" PRIu64,
			 links->faults_path, late, links->faults.count, slots);
}

// Warns of faults after the end of the run. slots: its length; 0: unknown.
static void warn_late(const char *path, const struct drb_fault_list *list, uint32_t slots)
{
	const uint32_t late = slots ? late_of(list, slots) : 0;

	if (late)
		drb_warn("--faults %s: %u of %u faults come after the %u slots of the run: take "
			 "earlier ones or more --slots",
			 path, late, list->count, slots);
}

void sim_faults_check(struct sim_links *links, const struct drb_tree *t, double slot_ns,
		      uint32_t slots)
{
	const double ns = slot_ns > 0 ? slot_ns : SLOT_NS;
	char purpose[96];

	links->faults.detect = links->detect ? links->detect - 1 : (uint32_t)ceil(DETECT_NS / ns);
	if (!links->faults_path)
		return;
	snprintf(purpose, sizeof(purpose), "faults of F(%u,%u), %u, %.9g", t->layers, t->arity,
		 t->uplinks, slot_ns);
	links->file = sim_shared_find(links->faults_path, purpose);
	if (!links->file) {
		links->file = read_file(links->faults_path, t, slot_ns);
		sim_shared_add(links->faults_path, purpose, links->file, free_list);
		warn_late(links->faults_path, links->file, slots);
	}
	links->faults.fault = links->file->fault;
	links->faults.count = links->file->count;
	if (drb_faults_cut(&links->faults) && 2 * t->arity > 64)
		drb_die("--faults: switches of at most 64 ports, F(%u,%u) has such of %u",
			t->layers, t->arity, 2 * t->arity);
}
