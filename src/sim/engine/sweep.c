// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "core/schemes/schemes.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define NUMBER_MAX 40

static void value_add(struct sim_values *v, const char *text, size_t length)
{
	if (length == 0)
		drb_die("%s %s: a value is empty: is a comma too many?", v->option->name, v->list);
	for (uint32_t i = 0; i < v->count; i++) {
		if (strlen(v->value[i]) == length && strncmp(v->value[i], text, length) == 0)
			drb_die("%s %s: %s is given twice", v->option->name, v->list, v->value[i]);
	}
	char **more = realloc(v->value, (v->count + 1) * sizeof(*more));

	if (more)
		v->value = more;
	if (!more || !(more[v->count++] = strndup(text, length)))
		drb_die("not enough memory for this list");
}

static bool is_number(const struct drb_option *o)
{
	return o->kind == DRB_OPTION_REAL || o->kind == DRB_OPTION_U32;
}

// Returns false if the list has no numbers, which is an error for options that take only numbers.
static bool split_numbers(struct sim_values *v)
{
	const struct drb_option *o = v->option;
	char text[NUMBER_MAX];
	struct drb_reals reals;
	int rc = drb_parse_reals(v->list, o->least, o->most, &reals);

	if (rc < 0 && !is_number(o))
		return false;
	if (rc < 0)
		drb_die("%s %s: must be numbers from %g to %g, such as %s", o->name, v->list,
			o->least, o->most,
			o->most > 1 ? "3, 1-5 or 1:9:2" : "0.5,0.9 or 0.6:0.9:0.1");
	for (size_t i = 0; i < reals.count; i++) {
		sim_format_real(reals.value[i], text, sizeof(text));
		value_add(v, text, strlen(text));
	}
	free(reals.value);
	return true;
}

static void values_split(struct sim_values *v)
{
	if (v->option->most > 0 && split_numbers(v))
		return;
	if (strcmp(v->key, "scheme") == 0 && strcmp(v->list, "all") == 0) {
		v->by_name = false;
		for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
			const char *name = drb_scheme_name((enum drb_scheme)i);
			value_add(v, name, strlen(name));
		}
		return;
	}
	for (const char *p = v->list;; p++) {
		size_t length = strcspn(p, ",");
		value_add(v, p, length);
		p += length;
		if (!*p)
			return;
	}
}

// The point with this index in the product of the lists, not yet checked.
static void *point_at(const struct sim_sweeps *s, uint64_t place)
{
	void *point = malloc(s->verb->model->size), *field;

	if (!point)
		drb_die("not enough memory for a point");
	memcpy(point, s->base, s->verb->model->size);
	for (uint32_t i = s->count; i-- > 0; place /= s->values[i].count) {
		const struct sim_values *v = &s->values[i];
		const struct drb_option *o = sim_option_find(s->verb->model, v->key, point, &field);
		drb_option_take(o, v->value[place % v->count], field);
	}
	return point;
}

static bool fits(const struct sim_sweeps *s, uint64_t place)
{
	bool may_be_left_out = false, takes = true;

	for (uint32_t i = 0; i < s->count; i++)
		may_be_left_out |= !s->values[i].by_name;
	if (may_be_left_out && s->verb->model->takes) {
		void *point = point_at(s, place);
		takes = s->verb->model->takes(point);
		free(point);
	}
	return takes;
}

void sim_sweeps_begin(struct sim_sweeps *s)
{
	uint64_t all = 1;

	for (uint32_t i = 0; i < s->count; i++) {
		values_split(&s->values[i]);
		all *= s->values[i].count;
	}
	s->place = calloc(all, sizeof(*s->place));
	if (!s->place)
		drb_die("not enough memory for these lists");
	for (uint64_t place = 0; place < all; place++) {
		if (fits(s, place))
			s->place[s->points++] = place;
	}
	if (s->points == 0) // the check of the first point says what is wrong
		s->points = 1;
}

void sim_sweeps_end(struct sim_sweeps *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t k = 0; k < s->values[i].count; k++)
			free(s->values[i].value[k]);
		free(s->values[i].value);
	}
	free(s->place);
}

void *sim_sweeps_point(const struct sim_sweeps *s, uint64_t i, uint32_t run)
{
	const struct sim_model *model = s->verb->model;
	void *point = point_at(s, s->place[i]), *seed;

	if (sim_option_find(model, "seed", point, &seed))
		*(uint64_t *)seed += run;
	if (model->check)
		model->check(point);
	return point;
}

void *sim_sweeps_only_point(const struct sim_sweeps *s)
{
	for (uint32_t i = 0; i < s->count && s->points != 1; i++) {
		if (s->values[i].count > 1 && strcmp(s->values[i].key, "scheme") != 0)
			drb_die("--list: a list is of one %s: take one %s", s->values[i].key,
				s->values[i].option->name);
	}
	return sim_sweeps_point(s, 0, 0);
}
