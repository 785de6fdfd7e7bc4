// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/topo.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cli/file.h"
#include "common/cli/quantity.h"

#define TIERS_MAX DRB_LAYERS_MAX
#define NS_MAX 1e9

enum key {
	NODES,
	TIERS,
	PODSIZE,
	SPEED,
	UP,
	DOWN,
	OVERSUBSCRIBED,
	BUNDLE,
	LINK_NS,
	SWITCH_NS,
	KEYS
};

static const char *const names[KEYS] = {
	[NODES] = "nodes",
	[TIERS] = "tiers",
	[PODSIZE] = "podsize",
	[SPEED] = "downlink_speed_gbps",
	[UP] = "radix_up",
	[DOWN] = "radix_down",
	[OVERSUBSCRIBED] = "oversubscribed",
	[BUNDLE] = "bundle",
	[LINK_NS] = "downlink_latency_ns",
	[SWITCH_NS] = "switch_latency_ns",
};

struct reader {
	double all[KEYS];             // settings before the tiers; 0: not given
	double tier[TIERS_MAX][KEYS]; // settings of each tier; 0: not given
	int at;                       // the tier that is being read; -1: none yet
	uint32_t line;
	char *why;
};

#define WRONG(r, ...) (snprintf((r)->why, DRB_TOPO_WHY_MAX, __VA_ARGS__), -EINVAL)

static int read_setting(struct reader *r, char *line)
{
	char *word = strtok(line, " \t\r\n"), *value = strtok(NULL, " \t\r\n");
	uint32_t tier;
	int key = 0;
	double number;

	if (!word || *word == '#')
		return 0;
	if (strcasecmp(word, "tier") == 0) {
		if (!value || drb_parse_u32(value, 0, TIERS_MAX - 1, &tier) < 0)
			return WRONG(r, "Tier must be 0 to %d", TIERS_MAX - 1);
		r->at = (int)tier;
		return 0;
	}
	while (key < KEYS && strcasecmp(word, names[key]) != 0)
		key++;
	if (key == KEYS)
		return WRONG(r, "'%.40s' is not read: of a fabric it has no counterpart here",
			     word);
	if (!value || drb_parse_real(value, 0, NS_MAX, &number) < 0)
		return WRONG(r, "%.40s must be a number from 0", word);
	if (key >= SPEED && r->at < 0)
		return WRONG(r, "%.40s must stand behind a Tier", word);
	double *setting = key < SPEED ? &r->all[key] : &r->tier[r->at][key];
	if (*setting > 0)
		return WRONG(r, "%.40s is given twice", word);
	if (key != SPEED && key != OVERSUBSCRIBED && key < LINK_NS && number != floor(number))
		return WRONG(r, "%.40s must be a whole number", word);
	const char *more = strtok(NULL, " \t\r\n");
	if (more && *more != '#')
		return WRONG(r, "%.40s has one value", word);
	*setting = number;
	return 0;
}

static const char *topo_line(void *reader, char *line)
{
	struct reader *r = reader;

	return read_setting(r, line) < 0 ? r->why : NULL;
}

// Checks that the tiers are those of F(layers, arity) with this many uplinks. 0 or -EINVAL.
static int check_shape(struct reader *r, const struct drb_topo *topo)
{
	struct drb_tree t;
	const uint32_t top = topo->layers - 1;

	if (drb_tree_init_uplinks(&t, topo->layers, topo->arity, topo->uplinks) < 0)
		return WRONG(r, "Tiers %u, Radix_Down %u and Radix_Up %u make no fat-tree",
			     topo->layers, topo->arity, topo->uplinks);
	if (r->all[NODES] != t.hosts)
		return WRONG(r,
			     "Nodes %.0f: F(%u,%u) of these tiers has %u hosts, and only a full "
			     "fat-tree is read",
			     r->all[NODES], topo->layers, topo->arity, t.hosts);
	if (r->all[PODSIZE] > 0 && topo->layers == 3 &&
	    r->all[PODSIZE] * 2 * topo->arity != t.hosts)
		return WRONG(r, "Podsize %.0f: a pod of F(%u,%u) has %u hosts", r->all[PODSIZE],
			     topo->layers, topo->arity, t.hosts / (2 * topo->arity));
	for (uint32_t i = top + 1; i < TIERS_MAX; i++) {
		if (r->tier[i][SPEED] + r->tier[i][DOWN] + r->tier[i][UP] > 0)
			return WRONG(r, "Tier %u: there are Tiers %u", i, topo->layers);
	}
	for (uint32_t i = 0; i <= top; i++) {
		const double *tier = r->tier[i];
		const double up = i < top ? tier[UP] * r->tier[i + 1][SPEED] : 0;
		if (tier[OVERSUBSCRIBED] > 0 && up > 0 &&
		    fabs(tier[OVERSUBSCRIBED] * up / (tier[DOWN] * tier[SPEED]) - 1) > 1e-6)
			return WRONG(r, "Tier %u: Oversubscribed is %g by Radix and speeds", i,
				     tier[DOWN] * tier[SPEED] / up);
		const double down = i < top ? topo->arity : 2 * topo->arity;
		if (tier[DOWN] != down)
			return WRONG(r, "Tier %u: Radix_Down must be %.0f in F(%u,%u)", i, down,
				     topo->layers, topo->arity);
		if (i > 0 && i < top && tier[UP] != topo->arity)
			return WRONG(r, "Tier %u: Radix_Up must be %u in F(%u,%u)", i, topo->arity,
				     topo->layers, topo->arity);
		if (tier[BUNDLE] > 1)
			return WRONG(r, "Tier %u: Bundle %.0f: links side by side are not read", i,
				     tier[BUNDLE]);
		if (tier[SPEED] <= 0)
			return WRONG(r, "Tier %u needs Downlink_speed_Gbps", i);
	}
	return 0;
}

static int topo_build(struct reader *r, struct drb_topo *topo)
{
	const double tiers = r->all[TIERS];

	if (tiers < 2 || tiers > TIERS_MAX)
		return WRONG(r, "Tiers must be 2 to %d", TIERS_MAX);
	topo->layers = (uint32_t)tiers;
	topo->arity = r->tier[0][DOWN] < DRB_ARITY_MAX ? (uint32_t)r->tier[0][DOWN] : 0;
	topo->uplinks = r->tier[0][UP] < DRB_ARITY_MAX ? (uint32_t)r->tier[0][UP] : 0;
	if (topo->arity == 0 || topo->uplinks == 0)
		return WRONG(r, "Tier 0 needs Radix_Down and Radix_Up");
	for (uint32_t m = 1; m <= topo->layers; m++) {
		const double below = m > 1 ? r->tier[m - 2][SWITCH_NS] : 0;
		topo->gbit[m] = r->tier[m - 1][SPEED];
		topo->latency_ns[m] =
			r->tier[m - 1][LINK_NS] + (below + r->tier[m - 1][SWITCH_NS]) / 2;
	}
	return check_shape(r, topo);
}

int drb_topo_read(const char *name, FILE *in, struct drb_topo *topo, char why[DRB_TOPO_WHY_MAX])
{
	char text[DRB_TOPO_WHY_MAX];
	struct reader r = {.at = -1, .why = text};
	const char *wrong = drb_file_lines(in, topo_line, &r, &r.line);

	*topo = (struct drb_topo){0};
	if (!wrong && topo_build(&r, topo) < 0)
		wrong = text;
	if (wrong)
		drb_file_complain(why, DRB_TOPO_WHY_MAX, name, r.line, wrong);
	return wrong ? -EINVAL : 0;
}
