// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/timing_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#include "sim/models/links.h"
#include "sim/runs/options.h"

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

static void parse_fail(const struct drb_option *o, const char *text, void *value)
{
	struct drb_fail *fail = value;
	const char *count = strchr(text, ':');
	bool links = strncmp(text, "link:", 5) == 0, switches = strncmp(text, "switch:", 7) == 0;

	(void)o;
	*fail = (struct drb_fail){0};
	if ((!links && !switches) ||
	    drb_parse_u32(count + 1, 0, UINT32_MAX, links ? &fail->links : &fail->switches) < 0)
		drb_die("--fail %s: must be link:N or switch:N", text);
}

static void parse_slow(const struct drb_option *o, const char *text, void *into)
{
	struct drb_slow *slow = into;

	sim_parse_links(o, text, &slow->links, &slow->slots);
}

static void parse_delay(const struct drb_option *o, const char *text, void *into)
{
	struct sim_timing *timing = into;
	struct drb_reals slots = sim_reals(o->name, text, o->least, o->most);

	timing->delays = (uint32_t)slots.count;
	for (size_t i = 0; i < slots.count; i++) {
		if (i == DRB_LAYERS_MAX || slots.value[i] != floor(slots.value[i]))
			drb_die("--delay %s: must be whole slots, of all links or layer by layer, "
				"such as 3 or 0,3,3",
				text);
		timing->delay.link[1 + i] = (uint32_t)slots.value[i];
	}
	free(slots.value);
}

#define AT(field) offsetof(struct sim_timing, field)

const struct drb_option sim_timing_options[] = {
	{"--fail", "KIND:N",
	 "Let N random links between switches (link:N) or switches above layer 1 (switch:N) be "
	 "dead",
	 .kind = DRB_OPTION_OTHER, AT(fail), .parse = parse_fail},
	{"--slow", "link:N:K",
	 "A packet takes K slots on N random links between switches, in both directions",
	 .kind = DRB_OPTION_OTHER, AT(slow), 1, DRB_SLOW_MAX, parse_slow},
	{"--delay", "SLOTS",
	 "Slots that a link adds: every link, or layer by layer from those of hosts on, such as "
	 "0,3,3 (default 0)",
	 .kind = DRB_OPTION_OTHER, 0, 0, DRB_DELAY_MAX, parse_delay},
	{"--stale", "SLOTS", "How old the queue lengths are that switches know (default 0)",
	 .kind = DRB_OPTION_U32, AT(delay.loads), 0, DRB_DELAY_MAX},
	{0},
};

void sim_links_fit(const char *option, uint32_t links, const struct drb_tree *t)
{
	if (links > drb_links_between(t))
		drb_die("%s: F(%u,%u) has %" PRIu64 " links between switches", option, t->layers,
			t->arity, drb_links_between(t));
}

static void check_fail(const struct drb_fail *fail, const struct drb_tree *t)
{
	if ((fail->links || fail->switches) && 2 * t->arity > 64)
		drb_die("--fail: switches of at most 64 ports, F(%u,%u) has such of %u", t->layers,
			t->arity, 2 * t->arity);
	if (fail->links > drb_links_between(t) || fail->switches > drb_fail_switches(t))
		drb_die("--fail: F(%u,%u) has %" PRIu64 " links between switches and %" PRIu64
			" switches above layer 1",
			t->layers, t->arity, drb_links_between(t), drb_fail_switches(t));
}

void sim_timing_fits(struct sim_timing *timing, const struct drb_tree *t)
{
	check_fail(&timing->fail, t);
	sim_links_fit("--slow", timing->slow.links, t);
	if (timing->delays > 1 && timing->delays != t->layers)
		drb_die("--delay: must be one number, or %u for the layers of F(%u,%u)", t->layers,
			t->layers, t->arity);
	for (uint32_t m = 2; timing->delays == 1 && m <= t->layers; m++)
		timing->delay.link[m] = timing->delay.link[1];
}
