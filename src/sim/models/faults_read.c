// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of --faults.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/quantity.h"

#include "sim/models/faults.h"
#include "sim/models/slow.h"

#define SLOT_MAX 1000000000
#define NAME_SHOWN 40

static const struct verb {
	const char *name;
	enum drb_fault_kind kind;
	bool links, switches;
} verbs[] = {
	{"cut", DRB_FAULT_CUT, true, false},  {"mend", DRB_FAULT_MEND, true, false},
	{"kill", DRB_FAULT_CUT, false, true}, {"start", DRB_FAULT_MEND, false, true},
	{"gray", DRB_FAULT_GRAY, true, true}, {"slow", DRB_FAULT_SLOW, true, false},
	{NULL, DRB_FAULT_MEND, false, false},
};

struct reader {
	const struct drb_faults_scale *scale;
	struct drb_fault *fault;
	uint32_t count, room, line;
	char *why; // the caller's buffer of DRB_FAULTS_WHY_MAX
};

#define WRONG(r, ...) (snprintf((r)->why, DRB_FAULTS_WHY_MAX, __VA_ARGS__), -EINVAL)

static char *next(char **line)
{
	char *word;

	do
		word = strsep(line, " \t\r\n");
	while (word && !*word);
	return word;
}

static int read_time(struct reader *r, const char *text, uint32_t *slot)
{
	uint64_t ns;

	if (drb_parse_u32(text, 0, SLOT_MAX, slot) == 0)
		return 0;
	if (drb_parse_time(text, &ns) < 0)
		return WRONG(r, "'%.*s' is no time: must be slots up to %d, or a time such as 20us",
			     NAME_SHOWN, text, SLOT_MAX);
	if (r->scale->slot_ns <= 0)
		return WRONG(r, "'%.*s': this model has no --slot: take a number of slots",
			     NAME_SHOWN, text);
	const double slots = round((double)ns / r->scale->slot_ns);
	if (slots > SLOT_MAX)
		return WRONG(r, "'%.*s' is more than %d slots", NAME_SHOWN, text, SLOT_MAX);
	*slot = (uint32_t)slots;
	return 0;
}

static int fault_add(struct reader *r, const struct drb_fault *fault)
{
	if (r->count == DRB_FAULTS_MAX)
		return WRONG(r, "is the %dth fault, the most that a file may have",
			     DRB_FAULTS_MAX + 1);
	if (r->count == r->room) {
		const uint32_t room = r->room ? 2 * r->room : 64;
		struct drb_fault *more = realloc(r->fault, room * sizeof(*more));
		if (!more)
			return WRONG(r, "not enough memory");
		r->fault = more;
		r->room = room;
	}
	r->fault[r->count] = *fault;
	r->fault[r->count].place = r->count;
	r->count++;
	return 0;
}

static int add_name(struct reader *r, const struct verb *verb, const char *name,
		    struct drb_fault fault)
{
	const struct drb_tree *t = r->scale->tree;

	if (drb_dead_named(t, name, &fault.what) &&
	    (fault.what.is_switch ? verb->switches : verb->links))
		return fault_add(r, &fault);
	return WRONG(r, "%s: '%.*s' is no %s of F(%u,%u), such as s%u-0%s", verb->name, NAME_SHOWN,
		     name,
		     !verb->links     ? "switch"
		     : verb->switches ? "link between switches and no switch"
				      : "link between switches",
		     t->layers, t->arity, t->layers - (verb->links && t->layers > 1),
		     verb->links ? ".u0" : "");
}

// Reads the names behind the verb.
static int read_names(struct reader *r, const struct verb *verb, char *line, struct drb_fault fault)
{
	char *name = next(&line);
	int rc = 0;

	if (!name)
		return WRONG(r, "%s: a name is missing", verb->name);
	if (verb->kind == DRB_FAULT_SLOW) {
		const char *pace = next(&line);
		if (!pace || drb_parse_u32(pace, 1, DRB_SLOW_MAX, &fault.pace) < 0 || next(&line))
			return WRONG(r, "slow: must be slow LINK SLOTS, with 1 to %d slots",
				     DRB_SLOW_MAX);
		return add_name(r, verb, name, fault);
	}
	for (; rc == 0 && name; name = next(&line))
		rc = add_name(r, verb, name, fault);
	return rc;
}

static int read_fault(struct reader *r, char *line)
{
	struct drb_fault fault = {0};
	const struct verb *verb = verbs;

	line[strcspn(line, "#")] = '\0';
	const char *time = next(&line), *word = time ? next(&line) : NULL;
	if (!time)
		return 0;
	while (word && verb->name && strcmp(verb->name, word) != 0)
		verb++;
	if (!word || !verb->name)
		return WRONG(r, "must be TIME VERB NAME..., such as '100 cut s1-0.u0': verbs are "
				"cut, mend, kill, start, gray and slow");
	fault.kind = verb->kind;
	if (read_time(r, time, &fault.slot) < 0)
		return -EINVAL;
	return read_names(r, verb, line, fault);
}

static const char *fault_line(void *reader, char *line)
{
	struct reader *r = reader;

	return read_fault(r, line) < 0 ? r->why : NULL;
}

static int by_slot(const void *a, const void *b)
{
	const struct drb_fault *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

int drb_faults_read(const char *name, FILE *in, const struct drb_faults_scale *scale,
		    struct drb_fault_list *list, char why[DRB_FAULTS_WHY_MAX])
{
	char text[DRB_FAULTS_WHY_MAX] = "";
	struct reader r = {.scale = scale, .why = text};
	const char *wrong = drb_file_lines(in, fault_line, &r, &r.line);

	if (!wrong && r.count == 0)
		wrong = "has no fault";
	if (wrong) {
		drb_file_complain(why, DRB_FAULTS_WHY_MAX, name, r.line, wrong);
		free(r.fault);
		return -EINVAL;
	}
	qsort(r.fault, r.count, sizeof(*r.fault), by_slot);
	list->fault = r.fault;
	list->count = r.count;
	return 0;
}
