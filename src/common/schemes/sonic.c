// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/sonic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "core/schemes/all.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define MIXED_MAX 300 // bytes for the names of fields in a warning
#define SAMPLING_US 16.0
#define IDLE_US 256.0
#define MAX_FLOWS 512
#define EXPONENT 2
#define REFUSE(...) drb_scheme_refuse(why, __VA_ARGS__)

// Factors that convert a value of the file to a parameter.
struct units {
	double us, mbit, bytes;
};

enum unit { PLAIN, US, MBIT, BYTES, MODE, NAME, ALGORITHM };

static const struct field {
	const char *name;
	enum unit unit;
	uint32_t param;
} profile_fields[] =
	{
		{"algorithm", ALGORITHM, 0},
		{"sampling_interval", US, DRB_ARS_INTERVAL},
		{"past_load_min_value", MBIT, DRB_ARS_PAST_MIN},
		{"past_load_max_value", MBIT, DRB_ARS_PAST_MAX},
		{"future_load_min_value", BYTES, DRB_ARS_MIN_VAL},
		{"future_load_max_value", BYTES, DRB_ARS_MAX_VAL},
		{0},
},
  group_fields[] = {
	  {"flowlet_idle_time", US, DRB_ARS_IDLE_TIME},
	  {"max_flows", PLAIN, DRB_ARS_MAX_FLOWS},
	  {"assign_mode", MODE, DRB_ARS_IDLE_TIME},
	  {"profile_name", NAME, 0},
	  {"ars_obj_name", NAME, 0},
	  {0},
};

static const struct table {
	const char *name;
	const struct field *field;
} tables[] = {
	{"ARS_PROFILE", profile_fields},
	{"ARS_OBJECT", group_fields},
	{"ARS_NEXTHOP_GROUP", group_fields},
};

// Tables of the ports that take part, of which only the names are read.
static const char *const port_tables[] = {"ARS_INTERFACES", "ARS_INTERFACE"};

#define TABLES (sizeof(tables) / sizeof(tables[0]))
#define PORT_TABLES (sizeof(port_tables) / sizeof(port_tables[0]))

struct reading {
	const char *path;
	struct units units;
	struct drb_scheme_variant *v;
	char ignored[MIXED_MAX]; // names of fields, each followed by ", "
	char *why;
};

static struct units units_of(const struct drb_ars_links *links)
{
	return (struct units){.us = links->gbit * 1000 / (links->bytes * 8),
			      .mbit = 100 / (links->gbit * 1000),
			      .bytes = 1 / links->bytes};
}

static int param_set(struct drb_scheme_variant *v, uint32_t param, double value,
		     char why[DRB_SCHEME_WHY])
{
	const struct drb_scheme_param *p = &v->ops->params[param];

	if (value < p->least || value > p->most)
		return REFUSE("%s would be %g at this rate of links: must be %g to %g", p->name,
			      value, p->least, p->most);
	v->param[param] = value;
	return 0;
}

// Converts a time to packets, at least 1. Samples are not more frequent, and flowlets not shorter.
static double packets(const struct units *u, double us)
{
	return fmax(1, round(us * u->us));
}

int drb_ars_take_sai(struct drb_scheme_variant *v, const struct drb_ars_links *links,
		     char why[DRB_SCHEME_WHY])
{
	const struct units u = units_of(links);

	v->param[DRB_ARS_EXPONENT] = EXPONENT;
	v->param[DRB_ARS_CURRENT] = 0;
	v->param[DRB_ARS_PAST] = 1;
	v->param[DRB_ARS_MAX_FLOWS] = MAX_FLOWS;
	v->param[DRB_ARS_PAST_MIN] = v->param[DRB_ARS_PAST_MAX] = 0;
	v->param[DRB_ARS_MIN_VAL] = v->param[DRB_ARS_MAX_VAL] = 0;
	if (param_set(v, DRB_ARS_IDLE_TIME, packets(&u, IDLE_US), why) < 0)
		return -EINVAL;
	return param_set(v, DRB_ARS_INTERVAL, packets(&u, SAMPLING_US), why);
}

// Reads a number, which SONiC writes as a string.
static int number_of(const json_t *value, double *number)
{
	if (json_is_number(value)) {
		*number = json_number_value(value);
		return *number >= 0 ? 0 : -EINVAL;
	}
	return json_is_string(value) ? drb_parse_real(json_string_value(value), 0, 1e9, number)
				     : -EINVAL;
}

static int take_mode(struct reading *r, const json_t *value)
{
	char *why = r->why;
	const char *mode = json_string_value(value);

	if (mode && strcmp(mode, "per_flowlet_quality") == 0)
		return 0;
	if (!mode || (strcmp(mode, "per_packet") != 0 && strcmp(mode, "per_packet_quality") != 0))
		return REFUSE("%s: assign_mode must be per_flowlet_quality or per_packet_quality",
			      r->path);
	r->v->param[DRB_ARS_IDLE_TIME] = 0;
	return 0;
}

static int take_field(struct reading *r, const struct field *f, const json_t *value)
{
	const struct units *u = &r->units;
	char why[DRB_SCHEME_WHY];
	double number;

	if (f->unit == NAME || f->unit == ALGORITHM) {
		const char *text = json_string_value(value);
		if (text && (f->unit == NAME || strcasecmp(text, "ewma") == 0))
			return 0;
		return drb_scheme_refuse(r->why, "%s: %s must be %s", r->path, f->name,
					 f->unit == NAME ? "a name" : "EWMA");
	}
	if (f->unit == MODE)
		return take_mode(r, value);
	if (number_of(value, &number) < 0)
		return drb_scheme_refuse(r->why, "%s: %s must be a number from 0", r->path,
					 f->name);
	if (f->unit == US)
		number = packets(u, number);
	else if (f->unit == MBIT)
		number = fmin(number * u->mbit, 100);
	else if (f->unit == BYTES)
		number *= u->bytes;
	if (param_set(r->v, f->param, number, why) < 0)
		return drb_scheme_refuse(r->why, "%s: %s: %s", r->path, f->name, why);
	return 0;
}

static void ignore(struct reading *r, const char *name)
{
	const size_t used = strlen(r->ignored);
	char item[48];

	snprintf(item, sizeof(item), "%.40s, ", name);
	const char *at = strstr(r->ignored, item);
	if (!at || (at != r->ignored && at[-1] != ' '))
		snprintf(r->ignored + used, MIXED_MAX - used, "%s", item);
}

static int take_entry(struct reading *r, const struct table *table, json_t *entry)
{
	json_t *value;
	const char *key;
	int rc = 0;

	json_object_foreach(entry, key, value)
	{
		const struct field *f = table->field;
		while (f->name && strcmp(f->name, key) != 0)
			f++;
		if (!f->name)
			ignore(r, key);
	}
	// Fields are taken in the order of the table. The mode is the last one, because it may set
	// the idle time to 0.
	for (const struct field *f = table->field; rc == 0 && f->name; f++) {
		value = json_object_get(entry, f->name);
		if (value)
			rc = take_field(r, f, value);
	}
	return rc;
}

// Takes a table. All its entries must be equal, because a fabric has only one kind of switch.
static int take_table(struct reading *r, const struct table *table, const json_t *root)
{
	json_t *entries = json_object_get(root, table->name), *entry, *first = NULL;
	const char *name, *first_name = NULL;
	int rc = 0;

	if (entries && !json_is_object(entries))
		return drb_scheme_refuse(r->why, "%s: %s must be an object", r->path, table->name);
	json_object_foreach(entries, name, entry)
	{
		if (!json_is_object(entry))
			return drb_scheme_refuse(r->why, "%s: %s: %.40s must be an object", r->path,
						 table->name, name);
		if (first && !json_equal(first, entry))
			return drb_scheme_refuse(r->why,
						 "%s: %s: %.40s and %.40s differ: leave one",
						 r->path, table->name, first_name, name);
		if (!first)
			rc = take_entry(r, table, entry);
		first = entry;
		first_name = name;
		if (rc < 0)
			return rc;
	}
	return 0;
}

// Finds the speed of the ports in ARS_INTERFACES, in Gbit/s.
static int find_speed(const json_t *root, const char *path, double *gbit, char why[DRB_SCHEME_WHY])
{
	json_t *ports = NULL, *entry;
	const char *name;

	for (uint32_t i = 0; i < PORT_TABLES && !ports; i++)
		ports = json_object_get(root, port_tables[i]);
	json_object_foreach(ports, name, entry)
	{
		const json_t *port = json_object_get(json_object_get(root, "PORT"), name);
		double mbit;
		if (number_of(json_object_get(port, "speed"), &mbit) < 0 || mbit <= 0)
			return REFUSE("%s: PORT has no speed of %.40s in Mbit/s, such as 400000: "
				      "add it, or write ars:link_rate=GBIT:config=...",
				      path, name);
		if (*gbit > 0 && *gbit != mbit / 1000)
			return REFUSE("%s: ports of ARS_INTERFACES have several speeds: write "
				      "ars:link_rate=GBIT:config=...",
				      path);
		*gbit = mbit / 1000;
	}
	return *gbit > 0 ? 0
			 : REFUSE("%s: has no ports in ARS_INTERFACES, so the rate of links is "
				  "unknown: write ars:link_rate=GBIT:config=...",
				  path);
}

static bool is_read(const char *table)
{
	bool found = false;

	for (uint32_t i = 0; i < TABLES; i++)
		found |= strcmp(tables[i].name, table) == 0;
	for (uint32_t i = 0; i < PORT_TABLES; i++)
		found |= strcmp(port_tables[i], table) == 0;
	return found;
}

// Notes what each port has beside its name. SONiC writes the field NULL if there is nothing.
static void ignore_fields(struct reading *r, json_t *ports)
{
	json_t *entry, *value;
	const char *port, *key;

	json_object_foreach(ports, port, entry)
	{
		json_object_foreach(entry, key, value)
		{
			if (strcmp(key, "NULL") != 0)
				ignore(r, key);
		}
	}
}

// Notes other tables of ARS, and the fields of ports.
static void ignore_others(struct reading *r, json_t *root)
{
	json_t *table;
	const char *name;

	json_object_foreach(root, name, table)
	{
		if (strncmp(name, "ARS_", 4) == 0 && !is_read(name))
			ignore(r, name);
	}
	for (uint32_t i = 0; i < PORT_TABLES; i++)
		ignore_fields(r, json_object_get(root, port_tables[i]));
}

// Checks that no range ends before it begins. An end of 0 is not given.
static int check_ranges(struct reading *r)
{
	static const uint32_t ranges[][2] = {{DRB_ARS_PAST_MIN, DRB_ARS_PAST_MAX},
					     {DRB_ARS_MIN_VAL, DRB_ARS_MAX_VAL}};

	for (int i = 0; i < 2; i++) {
		const double least = r->v->param[ranges[i][0]], most = r->v->param[ranges[i][1]];
		if (most > 0 && least > most)
			return drb_scheme_refuse(
				r->why, "%s: %s load: its min_value is above its max_value",
				r->path, i ? "future" : "past");
	}
	return 0;
}

static int take_root(struct reading *r, json_t *root, struct drb_ars_links links)
{
	if (!json_object_get(root, "ARS_PROFILE"))
		return drb_scheme_refuse(r->why, "%s: has no table ARS_PROFILE", r->path);
	if (links.gbit <= 0 && find_speed(root, r->path, &links.gbit, r->why) < 0)
		return -EINVAL;
	r->units = units_of(&links);
	if (drb_ars_take_sai(r->v, &links, r->why) < 0)
		return -EINVAL;
	for (uint32_t i = 0; i < TABLES; i++) {
		if (take_table(r, &tables[i], root) < 0)
			return -EINVAL;
	}
	if (check_ranges(r) < 0)
		return -EINVAL;
	ignore_others(r, root);
	if (*r->ignored)
		drb_warn("%s: scheme ars does not model %.*s", r->path, (int)strlen(r->ignored) - 2,
			 r->ignored);
	return 0;
}

int drb_ars_take_config(struct drb_scheme_variant *v, const char *path,
			const struct drb_ars_links *links, char why[DRB_SCHEME_WHY])
{
	struct reading r = {.path = path, .v = v, .why = why};
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		return REFUSE("%s:%d: %s", path, error.line, error.text);
	const int rc = take_root(&r, root, *links);
	json_decref(root);
	return rc;
}
