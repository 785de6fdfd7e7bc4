// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/quantity.h"

// The key of an end is the number of its trigger. In `trigger`, `place` is the number of
// connections that must fire a trigger.
struct matrix {
	uint32_t connections, triggers, nodes; // numbers in the head; nodes 0: not yet
	struct drb_list_ends fires, waits, trigger;
	struct drb_list_ends ids; // the key is the id of a connection
};

static bool begins(const char *line)
{
	return strncmp(line, "Nodes", 5) == 0 || strncmp(line, "Connections", 11) == 0;
}

static char *next(char **line)
{
	char *word;

	do
		word = strsep(line, " \t");
	while (word && !*word);
	return word;
}

static int number(char **line, uint32_t least, uint32_t *n)
{
	char *word = next(line);

	return word ? drb_parse_u32(word, least, UINT32_MAX, n) : -EINVAL;
}

static const char *add_end(struct drb_list_reader *r, struct drb_list_ends *ends, char **line,
			   uint32_t place, enum drb_list_event event)
{
	uint32_t trigger;

	if (number(line, 1, &trigger) < 0)
		return "a trigger must have a number from 1 on";
	const struct drb_list_end end = {trigger, event, place, r->line};
	return drb_list_wrong(drb_list_ends_add(ends, end));
}

static const char *add_size(struct drb_list_reader *r, char **line, struct drb_listed *t)
{
	const char *word = next(line);
	uint64_t bytes;

	if (t->size)
		return "a connection has one size";
	if (!word || drb_parse_u64(word, 1, UINT64_MAX, &bytes) < 0)
		return "size must be bytes, 1 or more: transfers without end are not read";
	t->size = drb_list_packets(r->scale, bytes);
	return t->size ? NULL : "size must be 100000000 packets at most";
}

static const char *add_start(struct drb_list_reader *r, char **line, struct drb_listed *t)
{
	const char *word = next(line);
	double ps;

	if (t->slot != DRB_LIST_NONE)
		return "a connection has one start";
	if (word && drb_parse_real(word, 0, 1e18, &ps) == 0)
		t->slot = drb_list_slots(r->scale, ps / 1000);
	return t->slot == DRB_LIST_NONE ? "start must be picoseconds, 100000000 slots at most"
					: NULL;
}

// Reads one attribute of a connection.
static const char *add_word(struct drb_list_reader *r, const char *word, char **line,
			    struct drb_listed *t)
{
	struct matrix *m = r->own;
	uint32_t n;

	if (strcmp(word, "start") == 0)
		return add_start(r, line, t);
	if (strcmp(word, "size") == 0)
		return add_size(r, line, t);
	if (strcmp(word, "trigger") == 0)
		return add_end(r, &m->waits, line, r->list->count, 0);
	if (strcmp(word, "send_done_trigger") == 0)
		return add_end(r, &m->fires, line, r->list->count, DRB_LIST_KNOWN);
	if (strcmp(word, "recv_done_trigger") == 0)
		return add_end(r, &m->fires, line, r->list->count, DRB_LIST_ARRIVED);
	const bool is_id = strcmp(word, "id") == 0;
	if (!is_id && strcmp(word, "prio") != 0)
		return "a connection has id, start, size, prio, trigger, send_done_trigger, "
		       "recv_done_trigger and nothing else";
	if (number(line, 0, &n) < 0)
		return "id and prio must be numbers";
	const struct drb_list_end id = {n, 0, r->list->count, r->line};
	// As in uet-htsim, 0 stands for no id.
	return is_id && n ? drb_list_wrong(drb_list_ends_add(&m->ids, id)) : NULL;
}

static const char *add_connection(struct drb_list_reader *r, char *pair, char *arrow, char *line)
{
	struct matrix *m = r->own;
	struct drb_listed t = {
		.slot = DRB_LIST_NONE, .after_sent = DRB_LIST_NONE, .after_arrived = DRB_LIST_NONE};
	uint32_t waits = m->waits.count;
	const char *wrong = NULL, *word;

	*arrow = '\0';
	const uint32_t hosts = m->nodes && m->nodes < r->scale->hosts ? m->nodes : r->scale->hosts;
	if (drb_parse_u32(pair, 0, hosts - 1, &t.source) < 0 ||
	    drb_parse_u32(arrow + 2, 0, hosts - 1, &t.dest) < 0 || t.source == t.dest)
		return hosts == r->scale->hosts ? "must be from->to, two hosts of this fabric"
						: "must be from->to, two hosts below Nodes";
	while (!wrong && (word = next(&line)))
		wrong = add_word(r, word, &line, &t);
	if (wrong)
		return wrong;
	if ((t.slot == DRB_LIST_NONE) == (waits == m->waits.count))
		return "a connection needs a start or a trigger, not both";
	if (waits + 1 < m->waits.count)
		return "a connection has one trigger";
	if (t.size == 0)
		return "a connection needs its size";
	t.slot = t.slot == DRB_LIST_NONE ? 0 : t.slot;
	return drb_list_wrong(drb_list_add(r->list, &t));
}

static const char *add_trigger(struct drb_list_reader *r, char *line)
{
	struct matrix *m = r->own;
	const char *wrong = NULL, *word;
	uint32_t count = 1, type = 0, triggers = m->trigger.count;

	while (!wrong && (word = next(&line))) {
		if (strcmp(word, "id") == 0 && triggers == m->trigger.count)
			wrong = add_end(r, &m->trigger, &line, 0, 0);
		else if (strcmp(word, "count") == 0 && number(&line, 1, &count) == 0)
			continue;
		else if (!type && (strcmp(word, "oneshot") == 0 || strcmp(word, "multishot") == 0 ||
				   strcmp(word, "barrier") == 0))
			type = (unsigned char)*word;
		else
			return "a trigger has one id, count, and oneshot, multishot or barrier";
	}
	if (wrong)
		return wrong;
	if (triggers == m->trigger.count)
		return "a trigger needs an id";
	m->trigger.end[triggers].place = type == 'b' ? count : 1;
	return type ? NULL : "a trigger is oneshot, multishot or barrier";
}

static const char *htsim_add(struct drb_list_reader *r, char *line)
{
	struct matrix *m = r->own;
	char *word = next(&line), *arrow = strstr(word, "->");

	if (arrow)
		return add_connection(r, word, arrow, line);
	if (strcmp(word, "trigger") == 0)
		return add_trigger(r, line);
	const bool is_nodes = strcmp(word, "Nodes") == 0;
	if (is_nodes && m->nodes)
		return "Nodes is given twice";
	uint32_t *n = is_nodes                           ? &m->nodes
		      : strcmp(word, "Connections") == 0 ? &m->connections
		      : strcmp(word, "Triggers") == 0    ? &m->triggers
							 : NULL;
	if (!n)
		return "must be Nodes, Connections, Triggers, from->to or trigger: failures are "
		       "not "
		       "read, take --gray";
	return number(&line, is_nodes, n) < 0 || line ? "must be a whole number" : NULL;
}

// The first end with this key, from index `at` on.
static uint32_t end_find(const struct drb_list_ends *ends, uint32_t at, uint64_t key)
{
	while (at < ends->count && ends->end[at].key < key)
		at++;
	return at;
}

static bool has(const struct drb_list_ends *ends, uint32_t at, uint64_t key)
{
	return at < ends->count && ends->end[at].key == key;
}

// Adds a computation of no length that waits for `fires` connections.
static int add_join(struct drb_list *list, const struct drb_list_end *fire, uint32_t fires)
{
	const uint32_t host = list->transfer[fire->place].dest;
	const struct drb_listed join = {.source = host,
					.dest = host,
					.after_sent = DRB_LIST_NONE,
					.after_arrived = DRB_LIST_NONE};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < fires; i++)
		rc = drb_list_add_wait(
			list, (struct drb_list_wait){list->count, fire[i].place, fire[i].tag});
	return rc < 0 ? rc : drb_list_add(list, &join);
}

// Makes all connections that wait for this trigger wait for all connections that fire it. Index
// `fire` is the first of the latter.
static const char *trigger_join(struct drb_list_reader *r, const struct drb_list_end *trigger,
				uint32_t wait, uint32_t fire)
{
	struct matrix *m = r->own;
	const uint32_t fires = end_find(&m->fires, fire, trigger->key + 1) - fire;

	if (fires == 0 || fires != trigger->place)
		return "so many connections must fire a trigger as its count says, and one a "
		       "oneshot or multishot one";
	const uint32_t event = fires == 1 ? m->fires.end[fire].tag : DRB_LIST_ARRIVED;
	uint32_t of = fires == 1 ? m->fires.end[fire].place : r->list->count;
	int rc = fires == 1 ? 0 : add_join(r->list, &m->fires.end[fire], fires);
	for (; rc == 0 && has(&m->waits, wait, trigger->key); wait++)
		rc = drb_list_add_wait(r->list,
				       (struct drb_list_wait){m->waits.end[wait].place, of, event});
	return drb_list_wrong(rc);
}

// Checks that the file has all triggers that connections name.
static const char *check_named(struct drb_list_reader *r, const struct drb_list_ends *named)
{
	const struct drb_list_ends *triggers = &((const struct matrix *)r->own)->trigger;

	for (uint32_t i = 0, at = 0; i < named->count; i++) {
		at = end_find(triggers, at, named->end[i].key);
		if (has(triggers, at, named->end[i].key))
			continue;
		r->line = named->end[i].line;
		return "the file must have the triggers that this connection names";
	}
	return NULL;
}

static const char *check_ids(struct drb_list_reader *r)
{
	struct drb_list_ends *ids = &((struct matrix *)r->own)->ids;

	drb_list_ends_sort(ids);
	for (uint32_t i = 1; i < ids->count; i++) {
		if (ids->end[i].key != ids->end[i - 1].key)
			continue;
		r->line = ids->end[i].line;
		return "two connections have this id";
	}
	return NULL;
}

static const char *htsim_end(struct drb_list_reader *r)
{
	struct matrix *m = r->own;
	uint32_t wait = 0, fire = 0;
	const char *wrong = NULL;

	if (m->connections != r->list->count || m->triggers != m->trigger.count)
		return "the file must have so many connections and triggers as its head says";
	drb_list_ends_sort(&m->fires);
	drb_list_ends_sort(&m->waits);
	drb_list_ends_sort(&m->trigger);
	for (uint32_t i = 0; !wrong && i < m->trigger.count; i++) {
		const struct drb_list_end *t = &m->trigger.end[i];
		r->line = t->line;
		if (has(&m->trigger, i + 1, t->key))
			return "two triggers have this id";
		wait = end_find(&m->waits, wait, t->key);
		fire = end_find(&m->fires, fire, t->key);
		if (has(&m->waits, wait, t->key))
			wrong = trigger_join(r, t, wait, fire);
	}
	if (!wrong)
		wrong = check_named(r, &m->waits);
	if (!wrong)
		wrong = check_named(r, &m->fires);
	return wrong ? wrong : check_ids(r);
}

static void free_own(void *own)
{
	struct matrix *m = own;

	free(m->fires.end);
	free(m->waits.end);
	free(m->trigger.end);
	free(m->ids.end);
	free(m);
}

const struct drb_list_format drb_list_htsim = {
	begins, htsim_add, htsim_end, free_own, sizeof(struct matrix), true};
