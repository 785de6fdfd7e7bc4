// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/ended.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/views/stopped.h"

static bool is_in(const struct metrics_poll *poll, const char *fabric, uint32_t layer,
		  uint32_t label)
{
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (s->layer == layer && s->label == label && strcmp(s->fabric, fabric) == 0)
			return true;
	}
	return false;
}

static bool is_known(const struct metrics_poller *p, const struct metrics_switch *s)
{
	for (size_t i = 0; i < p->known_count; i++) {
		const struct metrics_known *k = &p->known[i];
		if (k->layer == s->layer && k->label == s->label &&
		    strcmp(k->fabric, s->fabric) == 0)
			return true;
	}
	return false;
}

static bool has_fabric(const struct metrics_poll *poll, const char *fabric)
{
	for (size_t i = 0; i < poll->count; i++) {
		if (strcmp(poll->switches[i].fabric, fabric) == 0)
			return true;
	}
	return false;
}

// Remembers the switches that answered, and forgets those of fabrics without any switch in the
// poll:
// a fabric that is gone as a whole was taken down.
static int remember(struct metrics_poller *p, const struct metrics_poll *poll)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->known_count; i++) {
		if (has_fabric(poll, p->known[i].fabric))
			p->known[kept++] = p->known[i];
	}
	p->known_count = kept;
	if (poll->count == 0)
		return 0;
	struct metrics_known *known = realloc(p->known, (kept + poll->count) * sizeof(*known));
	if (!known)
		return -ENOMEM;
	p->known = known;
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (s->error < 0 || is_known(p, s))
			continue;
		struct metrics_known *k = &known[p->known_count++];
		*k = (struct metrics_known){.layer = s->layer, .label = s->label};
		memcpy(k->fabric, s->fabric, sizeof(k->fabric));
	}
	return 0;
}

static int ended_add(struct metrics_poll *poll, const char fabric[DRB_FABRIC_MAX + 1],
		     uint32_t layer, uint32_t label)
{
	if (is_in(poll, fabric, layer, label))
		return 0;
	struct metrics_switch *more = realloc(poll->switches, (poll->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	struct metrics_switch *s = &more[poll->count++];
	poll->switches = more;
	*s = (struct metrics_switch){.layer = layer, .label = label, .error = -ENOENT};
	memcpy(s->fabric, fabric, sizeof(s->fabric));
	drb_node_name(s->name, layer, label);
	return 0;
}

static int by_switch(const void *a, const void *b)
{
	const struct metrics_switch *x = a, *y = b;
	int fabric = strcmp(x->fabric, y->fabric);

	if (fabric)
		return fabric;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	return x->label < y->label ? -1 : x->label > y->label;
}

int metrics_add_ended(struct metrics_poller *p, struct metrics_poll *poll)
{
	const size_t count = poll->count;
	struct stopped_list stopped = {0};
	int rc = remember(p, poll);

	for (size_t i = 0; rc == 0 && i < p->known_count; i++)
		rc = ended_add(poll, p->known[i].fabric, p->known[i].layer, p->known[i].label);
	// Records of topo/fabric are about fabrics of this machine, not of another runtime folder.
	if (!p->runtime)
		stopped = stopped_find(p->fabric);
	for (size_t i = 0; rc == 0 && i < stopped.count; i++)
		rc = ended_add(poll, stopped.at[i].fabric, stopped.at[i].layer,
			       stopped.at[i].label);
	free(stopped.at);
	if (poll->count > count)
		qsort(poll->switches, poll->count, sizeof(*poll->switches), by_switch);
	return rc;
}
