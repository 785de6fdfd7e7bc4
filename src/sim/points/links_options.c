// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#include "sim/models/links.h"
#include "sim/points/fabric_options.h"

void sim_parse_links(const struct drb_option *o, const char *text, uint32_t *links, uint32_t *k)
{
	char count[16] = "";
	const char *rest = strncmp(text, "link:", 5) == 0 ? strchr(text + 5, ':') : NULL;

	if (rest && rest - text - 5 < (ptrdiff_t)sizeof(count))
		memcpy(count, text + 5, (size_t)(rest - text - 5));
	if (!rest || drb_parse_u32(count, 0, UINT32_MAX, links) < 0 ||
	    drb_parse_u32(rest + 1, (uint32_t)o->least, (uint32_t)o->most, k) < 0)
		drb_die("%s %s: must be link:N:K, with a K of %g to %.0f", o->name, text, o->least,
			o->most);
}

static void parse_slow(const struct drb_option *o, const char *text, void *into)
{
	struct drb_slow *slow = into;

	sim_parse_links(o, text, &slow->links, &slow->slots);
}

static void parse_delay(const struct drb_option *o, const char *text, void *into)
{
	struct sim_links *links = into;
	struct drb_reals slots;

	if (drb_parse_reals(text, o->least, o->most, &slots) < 0)
		drb_die("%s %s: must be numbers from %g to %g, such as 3 or 0,3,3", o->name, text,
			o->least, o->most);
	links->delays = (uint32_t)slots.count;
	for (size_t i = 0; i < slots.count; i++) {
		if (i == DRB_LAYERS_MAX || slots.value[i] != floor(slots.value[i]))
			drb_die("%s %s: must be whole slots, of all links or layer by layer, such "
				"as 3 or 0,3,3",
				o->name, text);
		links->delay.link[1 + i] = (uint32_t)slots.value[i];
	}
	free(slots.value);
}

static void parse_detect(const struct drb_option *o, const char *text, void *into)
{
	uint32_t slots;

	if (drb_parse_u32(text, (uint32_t)o->least, (uint32_t)o->most, &slots) < 0)
		drb_die("%s %s: must be a whole number of slots up to %.0f", o->name, text,
			o->most);
	*(uint32_t *)into = slots + 1;
}

#define AT(field) offsetof(struct sim_links, field)

const struct drb_option sim_links_options[] = {
	{"--fail", "LIST",
	 "Let links and switches be dead: N random links between switches (link:N) or switches "
	 "above layer 1 (switch:N), or those with names, such as s2-10.u1,s3-4",
	 .kind = DRB_OPTION_TEXT, AT(fail_text)},
	{"--slow", "link:N:K",
	 "A packet takes K slots on N random links between switches, in both directions",
	 .kind = DRB_OPTION_OTHER, AT(slow), 1, DRB_SLOW_MAX, parse_slow},
	{"--faults", "FILE",
	 "Faults in time, lines TIME VERB NAME...: cut and mend links, kill and start switches, "
	 "gray links or switches, slow LINK SLOTS",
	 .kind = DRB_OPTION_TEXT, AT(faults_path)},
	{"--detect", "SLOTS",
	 "Slots after which switches know of a cut, a mended link, or a neighbour that was killed "
	 "or started (default: 100 us)",
	 .kind = DRB_OPTION_OTHER, AT(detect), 0, 1e9, parse_detect, .unit = "slots"},
	{"--delay", "SLOTS",
	 "Slots that a link adds: every link, or layer by layer from those of hosts on, such as "
	 "0,3,3",
	 .kind = DRB_OPTION_OTHER, 0, 0, DRB_DELAY_MAX, parse_delay, .initial = "0",
	 .unit = "slots"},
	{"--stale", "SLOTS", "How old the queue lengths are that switches know",
	 .kind = DRB_OPTION_U32, AT(delay.loads), 0, DRB_DELAY_MAX, .initial = "0",
	 .unit = "slots"},
	{0},
};

void sim_links_fit(const char *option, uint32_t links, const struct drb_tree *t)
{
	if (links > drb_links_between(t))
		drb_die("%s: F(%u,%u) has %" PRIu64 " links between switches", option, t->layers,
			t->arity, drb_links_between(t));
}

void sim_links_check(struct sim_links *links, const struct drb_tree *t)
{
	if (links->fail_text)
		sim_fail_read(links, t);
	sim_links_fit("--slow", links->slow.links, t);
	if (links->delays > 1 && links->delays != t->layers)
		drb_die("--delay: must be one number, or %u for the layers of F(%u,%u)", t->layers,
			t->layers, t->arity);
	for (uint32_t m = 2; links->delays == 1 && m <= t->layers; m++)
		links->delay.link[m] = links->delay.link[1];
}

bool sim_is_broken(const struct sim_links *links)
{
	return !drb_fail_nothing(&links->fail);
}

bool sim_may_break(const struct sim_links *links)
{
	return sim_is_broken(links) || drb_faults_cut(&links->faults);
}

bool sim_is_slow(const struct sim_links *links)
{
	return links->slow.links > 0 && links->slow.slots > 1;
}

int sim_slow_names(const struct sim_links *links, const struct drb_tree *t, uint64_t seed,
		   void **names)
{
	struct drb_slow_links slow = {{0}};
	const char *before = "";
	size_t size;
	FILE *out = open_memstream((char **)names, &size);
	int rc = out ? drb_slow_make(&slow, t, links->slow, seed) : -ENOMEM;

	for (uint64_t i = 0; rc == 0 && i < drb_links_between(t); i++) {
		const struct drb_end lower = drb_link_numbered(t, i);
		char name[DRB_END_NAME_MAX];
		if (drb_slow_pace(&slow, t, lower)->slots == 1)
			continue;
		drb_end_name(name, &lower);
		fprintf(out, "%s%s", before, name);
		before = " ";
	}
	if (rc == 0)
		drb_slow_free(&slow);
	if (out && fclose(out) != 0)
		rc = -ENOMEM;
	return rc;
}
