// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/fabric_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/schemes/load.h"

#include "drb/threshold.h"

void sim_share_check(const char *option, double share)
{
	if (share <= 0 || share >= 1)
		drb_die("%s %g: must be a number above 0 and below 1", option, share);
}

static void parse_scheme(const struct drb_option *o, const char *text, void *scheme)
{
	char why[DRB_SCHEME_WHY];

	if (drb_scheme_of_text(text, scheme, why) < 0)
		drb_die("%s %s: %s", o->name, text, why);
}

void sim_parse_threshold(const struct drb_option *o, const char *text, void *into)
{
	struct sim_threshold *t = into;

	*t = (struct sim_threshold){NAN, NAN};
	if (strcmp(text, "paper") == 0)
		return;
	if (strncmp(text, "paper:", 6) == 0) {
		if (drb_parse_real(text + 6, o->least, o->most, &t->load) < 0)
			drb_die("%s %s: must be paper:LOAD, with a number from 0", o->name, text);
	} else if (drb_parse_real(text, o->least, o->most, &t->fixed) < 0) {
		drb_die("%s %s: must be a number from 0, paper or paper:LOAD", o->name, text);
	}
}

#define AT(field) offsetof(struct sim_fabric, field)

const struct drb_option sim_fabric_options[] = {
	{"--layers", "L", "Layers of switches of the fat-tree F(l,d)", .kind = DRB_OPTION_U32,
	 AT(layers), 1, DRB_LAYERS_MAX, .letter = 'l', .initial = "3"},
	{"--arity", "D", "Arity: switches have 2d ports", .kind = DRB_OPTION_U32, AT(arity), 1,
	 DRB_ARITY_MAX, .letter = 'd', .initial = "2"},
	{"--uplinks", "U",
	 "Uplinks of a layer-1 switch (default D); fewer make the fat-tree oversubscribed",
	 .kind = DRB_OPTION_U32, AT(uplinks), 1, DRB_ARITY_MAX},
	{"--scheme", "NAME",
	 "Routing scheme, such as drb or micro; also a shared object, ./x.so, and a variant, "
	 "drb:choices=4:threshold=1",
	 .kind = DRB_OPTION_OTHER, AT(scheme), .parse = parse_scheme, .initial = "drb"},
	{"--choices", "COUNT", "Uplinks that schemes with a threshold compare",
	 .kind = DRB_OPTION_U32, AT(choices), 2, DRB_ARITY_MAX, .initial = "2"},
	{"--threshold", "T",
	 "Threshold of schemes that have one: a number; paper: the paper's T, of the load of the "
	 "uplinks; paper:LOAD: that of another load",
	 .kind = DRB_OPTION_OTHER, AT(threshold), 0, DRB_LOAD_MAX, sim_parse_threshold,
	 .initial = "paper"},
	{0},
};

const struct drb_option sim_seed_option[] = {
	{"--seed", "NUMBER", "The same seed gives the same figures", .kind = DRB_OPTION_U64, 0,
	 .initial = "1"},
	{0},
};

void sim_fabric_check(struct sim_fabric *f)
{
	uint32_t uplinks = f->uplinks ? f->uplinks : f->arity;

	if (uplinks > f->arity || (f->layers == 1 && uplinks != f->arity))
		drb_die("--uplinks %u: a switch of layer 1 of F(%u,%u) has %s", uplinks, f->layers,
			f->arity, f->layers == 1 ? "none" : "at most as many as down-ports");
	if (drb_tree_init_uplinks(&f->tree, f->layers, f->arity, uplinks) < 0)
		drb_die("--arity %u: F(%u,%u) has more than %u hosts: take a smaller -l or -d",
			f->arity, f->layers, f->arity, DRB_HOSTS_MAX);
	if (f->choices > DRB_CHOICES_MAX && f->choices < f->arity)
		drb_die("--choices %u: must be 2 to %d, or the arity %u for all ports", f->choices,
			DRB_CHOICES_MAX, f->arity);
}

void sim_fabric_take_hosts(struct sim_fabric *f, const char *name, uint32_t hosts)
{
	const uint32_t layers[] = {3, 2};

	sim_fabric_check(f);
	if (hosts <= f->tree.hosts)
		return;
	for (int i = 0; i < 2; i++) {
		for (uint32_t d = 1; d <= DRB_ARITY_MAX; d++) {
			struct drb_tree t;
			if (drb_tree_init(&t, layers[i], d) < 0 || t.hosts != hosts)
				continue;
			if (f->layers != DRB_LAYERS_DEFAULT || f->arity != DRB_ARITY_DEFAULT)
				drb_die("%s: has %u nodes, F(%u,%u) has %u hosts: take -l %u -d %u",
					name, hosts, f->layers, f->arity, f->tree.hosts, layers[i],
					d);
			f->layers = layers[i];
			f->arity = d;
			return;
		}
	}
	drb_die("%s: has %u nodes, F(%u,%u) has %u hosts: take a larger -l or -d", name, hosts,
		f->layers, f->arity, f->tree.hosts);
}

void sim_flow_scheme_check(const struct sim_fabric *f, const char *cure)
{
	if (drb_scheme_packets_only(f->scheme))
		drb_die("--scheme %s: routes packets, not flows: %s", drb_scheme_name(f->scheme),
			cure);
}

double sim_fixed_threshold(const struct sim_fabric *f)
{
	const struct drb_scheme_variant *v = drb_scheme_variant(f->scheme);

	return v && !isnan(v->threshold) ? v->threshold : f->threshold.fixed;
}

uint32_t sim_choices_of(const struct sim_fabric *f)
{
	const struct drb_scheme_variant *v = drb_scheme_variant(f->scheme);

	return v && !isnan(v->choices) ? (uint32_t)v->choices : f->choices;
}

double sim_uplink_load(const struct sim_fabric *f, double load)
{
	const double uplinks = drb_tree_uplink_load(&f->tree, load);

	if (uplinks < 1)
		return uplinks;
	if (isnan(sim_fixed_threshold(f)) && isnan(f->threshold.load) &&
	    drb_scheme_has_threshold(f->scheme))
		drb_die("--load %g: more than the %g that %u uplinks for %u hosts carry, for which "
			"the paper has no T: take a --threshold",
			load, (double)f->tree.uplinks / f->tree.arity, f->tree.uplinks,
			f->tree.arity);
	return 0;
}

double sim_packet_threshold(const struct sim_fabric *f, double uplinks)
{
	const double fixed = sim_fixed_threshold(f);
	const double load = isnan(f->threshold.load) ? uplinks : f->threshold.load;

	if (!isnan(fixed))
		return fixed;
	if (load >= 1)
		drb_die("--threshold paper:%g: must be below 1, for packets", load);
	return drb_threshold_packet(load);
}

bool sim_has_fewer_uplinks(const void *point)
{
	const struct sim_fabric *f = point;

	return f->uplinks > 0 && f->uplinks < f->arity;
}

uint32_t sim_layers_of(const void *point)
{
	const struct sim_fabric *f = point;

	return f->layers;
}
