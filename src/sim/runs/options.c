// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/options.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "common/schemes/load.h"

#define GIB (UINT64_C(1) << 30)

static uint32_t cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

// First number behind key in a file of "key number" lines; UINT64_MAX without one.
static uint64_t read_number(const char *path, const char *key)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *f = fopen(path, "r");

	while (f && value == UINT64_MAX && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0)
			sscanf(line + strlen(key), "%" SCNu64, &value);
	}
	if (f)
		fclose(f);
	return value;
}

// What the machine, and the control group of a container, have left.
static uint64_t free_memory(void)
{
	uint64_t kib = read_number("/proc/meminfo", "MemAvailable:");
	uint64_t group = read_number("/sys/fs/cgroup/memory.max", "");
	uint64_t bytes = kib == UINT64_MAX ? 4 * GIB : kib * 1024;

	return group < bytes ? group : bytes;
}

struct sim_common sim_common_default(void)
{
	return (struct sim_common){.seed = 1, .threads = cpus(), .memory = free_memory() / 4 * 3};
}

struct sim_fabric sim_fabric_default(void)
{
	return (struct sim_fabric){.layers = DRB_LAYERS_DEFAULT,
				   .arity = DRB_ARITY_DEFAULT,
				   .scheme = {DRB_SCHEME_DRB},
				   .schemes = 1,
				   .choices = 2,
				   .threshold = NAN};
}

static void parse_memory(const struct drb_option *o, const char *text, void *bytes)
{
	double gib;

	if (drb_parse_real(text, o->least, o->most, &gib) < 0)
		drb_die("--memory %s: must be a number of GiB, such as 4", text);
	*(uint64_t *)bytes = (uint64_t)(gib * (double)GIB);
}

static void parse_schemes(const struct drb_option *o, const char *text, void *fabric)
{
	struct sim_fabric *f = fabric;
	struct drb_scheme_list list = {.count = 0};
	char why[DRB_SCHEME_WHY];

	(void)o;
	f->all = strcmp(text, "all") == 0;
	for (; f->all && list.count < DRB_SCHEME_COUNT; list.count++)
		list.scheme[list.count] = (enum drb_scheme)list.count;
	if (!f->all && drb_schemes_of_text(text, &list, why) < 0)
		drb_die("--scheme %s: %s", text, why);
	memcpy(f->scheme, list.scheme, sizeof(f->scheme));
	f->schemes = list.count;
}

void sim_fabric_complete(void *fabric)
{
	struct sim_fabric *f = fabric;
	uint32_t uplinks = f->uplinks ? f->uplinks : f->arity;

	if (uplinks > f->arity || (f->layers == 1 && uplinks != f->arity))
		drb_die("--uplinks %u: a switch of layer 1 of F(%u,%u) has %s", uplinks, f->layers,
			f->arity, f->layers == 1 ? "none" : "at most as many as down-ports");
	if (drb_tree_init_uplinks(&f->tree, f->layers, f->arity, uplinks) < 0)
		drb_die("F(%u,%u) has more than %u hosts: take a smaller -l or -d", f->layers,
			f->arity, DRB_HOSTS_MAX);
	if (f->choices > DRB_CHOICES_MAX && f->choices < f->arity)
		drb_die("--choices %u: must be 2 to %d, or the arity %u for all ports", f->choices,
			DRB_CHOICES_MAX, f->arity);
}

static void parse_threshold(const struct drb_option *o, const char *text, void *threshold)
{
	if (strcmp(text, "paper") == 0)
		*(double *)threshold = NAN;
	else if (drb_parse_real(text, o->least, o->most, threshold) < 0)
		drb_die("--threshold %s: must be a number from 0, or paper", text);
}

#define AT(field) offsetof(struct sim_common, field)

const struct drb_option sim_common_options[] = {
	{"--seed", "NUMBER", "The same seed gives the same figures (default 1)",
	 .kind = DRB_OPTION_U64, AT(seed)},
	{"--threads", "COUNT",
	 "Concurrent runs (default: one per CPU); does not change the figures",
	 .kind = DRB_OPTION_U32, AT(threads), 1, 4096, .letter = 'j'},
	{"--memory", "GIB", "Memory for all runs (default: 3/4 of the free memory)",
	 .kind = DRB_OPTION_OTHER, AT(memory), 1e-3, 1e6, parse_memory},
	{0},
};

#undef AT
#define AT(field) offsetof(struct sim_fabric, field)

const struct drb_option sim_fabric_options[] = {
	{"--layers", "L", "Layers of switches of the fat-tree F(l,d) (default 3)",
	 .kind = DRB_OPTION_U32, AT(layers), 1, DRB_LAYERS_MAX, .letter = 'l'},
	{"--arity", "D", "Arity: switches have 2d ports (default 2)", .kind = DRB_OPTION_U32,
	 AT(arity), 1, DRB_ARITY_MAX, .letter = 'd'},
	{"--uplinks", "U",
	 "Uplinks of a layer-1 switch (default D); fewer make the fat-tree oversubscribed",
	 .kind = DRB_OPTION_U32, AT(uplinks), 1, DRB_ARITY_MAX},
	{"--scheme", "LIST",
	 "Routing schemes, such as drb,micro, or all (default drb); also shared objects, ./x.so, "
	 "and variants, drb:choices=4:threshold=1",
	 .kind = DRB_OPTION_OTHER, 0, .parse = parse_schemes},
	{"--choices", "COUNT", "Uplinks that schemes with a threshold compare (default 2)",
	 .kind = DRB_OPTION_U32, AT(choices), 2, DRB_ARITY_MAX},
	{"--threshold", "T",
	 "Threshold of schemes that have one: a number, or paper (default): the paper's T",
	 .kind = DRB_OPTION_OTHER, AT(threshold), 0, DRB_LOAD_MAX, parse_threshold},
	{0},
};

double sim_threshold(const struct sim_fabric *f, enum drb_scheme scheme)
{
	const struct drb_scheme_variant *v = drb_scheme_variant(scheme);

	return v && !isnan(v->threshold) ? v->threshold : f->threshold;
}

uint32_t sim_choices(const struct sim_fabric *f, enum drb_scheme scheme)
{
	const struct drb_scheme_variant *v = drb_scheme_variant(scheme);

	return v && !isnan(v->choices) ? (uint32_t)v->choices : f->choices;
}

void sim_schemes_of_flows(struct sim_fabric *f, const char *cure)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < f->schemes; i++) {
		if (!drb_scheme_packets_only(f->scheme[i]))
			f->scheme[kept++] = f->scheme[i];
		else if (!f->all)
			drb_die("--scheme %s: routes packets, not flows: %s",
				drb_scheme_name(f->scheme[i]), cure);
	}
	f->schemes = kept;
}

double sim_uplink_load(const struct sim_fabric *f, enum drb_scheme scheme, double load)
{
	const double uplinks = drb_tree_uplink_load(&f->tree, load);

	if (uplinks < 1)
		return uplinks;
	if (isnan(sim_threshold(f, scheme)) && drb_scheme_has_threshold(scheme))
		drb_die("--load %g: more than the %g that %u uplinks for %u hosts carry, for which "
			"the paper has no T: take a --threshold",
			load, (double)f->tree.uplinks / f->tree.arity, f->tree.uplinks,
			f->tree.arity);
	return 0;
}

struct drb_reals sim_reals(const char *option, const char *text, double min, double max)
{
	struct drb_reals list;

	if (drb_parse_reals(text, min, max, &list) < 0)
		drb_die("%s %s: must be numbers from %g to %g, such as %s", option, text, min, max,
			max > 1 ? "3, 1-5 or 1:9:2" : "0.5,0.9 or 0.6:0.9:0.1");
	return list;
}

void sim_parse_reals(const struct drb_option *o, const char *text, void *list)
{
	struct drb_reals *reals = list;

	free(reals->value);
	*reals = sim_reals(o->name, text, o->least, o->most);
}

void sim_parse_shares(const struct drb_option *o, const char *text, void *list)
{
	const struct drb_reals *reals = list;

	sim_parse_reals(o, text, list);
	for (size_t i = 0; i < reals->count; i++) {
		if (reals->value[i] <= o->least || reals->value[i] >= o->most)
			drb_die("%s %s: %g must be above %g and below %g", o->name, text,
				reals->value[i], o->least, o->most);
	}
}

uint32_t sim_threads_that_fit(const struct sim_common *common, uint64_t bytes_per_run,
			      const struct drb_tree *t)
{
	uint64_t fit = common->memory / bytes_per_run;

	if (fit == 0)
		drb_die("F(%u,%u) takes %.2f GiB a run, %.2f GiB are allowed: take a smaller "
			"fabric, or raise --memory",
			t->layers, t->arity, (double)bytes_per_run / (double)GIB,
			(double)common->memory / (double)GIB);
	return fit < common->threads ? (uint32_t)fit : common->threads;
}
