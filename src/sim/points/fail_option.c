// SPDX-License-Identifier: BSD-3-Clause
// The option --fail: dead links and switches, by number or by name.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#include "sim/engine/shared_file.h"
#include "sim/models/links.h"
#include "sim/points/fabric_options.h"

static void add_known(struct sim_links *links, const struct drb_dead *dead)
{
	struct drb_dead *more = realloc(links->known, (links->fail.count + 1) * sizeof(*more));

	if (!more)
		drb_die("--fail: not enough memory");
	more[links->fail.count++] = *dead;
	links->fail.known = links->known = more;
}

static void failure_add(struct sim_links *links, const struct drb_tree *t, const char *name)
{
	const char *count = strchr(name, ':');
	const bool is_links = strncmp(name, "link:", 5) == 0,
		   is_switches = strncmp(name, "switch:", 7) == 0;
	struct drb_dead dead;

	if (is_links || is_switches) {
		if (drb_parse_u32(count + 1, 0, UINT32_MAX,
				  is_links ? &links->fail.links : &links->fail.switches) == 0)
			return;
	} else if (drb_dead_named(t, name, &dead)) {
		add_known(links, &dead);
		return;
	}
	drb_die("--fail %s: must be link:N, switch:N, or a link between switches or a switch of "
		"F(%u,%u), such as s%u-0.u0 or s%u-0",
		name, t->layers, t->arity, t->layers - (t->layers > 1), t->layers);
}

void sim_fail_read(struct sim_links *links, const struct drb_tree *t)
{
	char name[DRB_END_NAME_MAX];

	links->fail = (struct drb_fail){0};
	links->known = NULL;
	for (const char *p = links->fail_text;; p++) {
		const size_t length = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, p);
		failure_add(links, t, name);
		p += length;
		if (!*p)
			break;
	}
	if (sim_is_broken(links) && 2 * t->arity > 64)
		drb_die("--fail: switches of at most 64 ports, F(%u,%u) has such of %u", t->layers,
			t->arity, 2 * t->arity);
	if (links->fail.links > drb_links_between(t) || links->fail.switches > drb_fail_switches(t))
		drb_die("--fail: F(%u,%u) has %" PRIu64 " links between switches and %" PRIu64
			" switches above layer 1",
			t->layers, t->arity, drb_links_between(t), drb_fail_switches(t));
}

void sim_links_release(struct sim_links *links)
{
	free(links->known);
	links->known = NULL;
	if (links->file)
		sim_shared_release(links->file);
}

int sim_failed_names(const struct sim_links *links, const struct drb_tree *t, uint64_t seed,
		     void **names)
{
	struct drb_dead *dead = NULL;
	uint32_t count = 0;
	size_t size;
	FILE *out = open_memstream((char **)names, &size);
	int rc = out ? drb_failures_list(t, links->fail, seed, &dead, &count) : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		char name[DRB_END_NAME_MAX];
		if (dead[i].is_switch)
			drb_node_name(name, dead[i].end.layer, dead[i].end.label);
		else
			drb_end_name(name, &dead[i].end);
		fprintf(out, "%s%s", i ? " " : "", name);
	}
	free(dead);
	if (out && fclose(out) != 0)
		rc = -ENOMEM;
	return rc;
}
