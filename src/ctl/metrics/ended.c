// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/ended.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/telemetry/forbidden.h"
#include "ctl/metrics/records.h"

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
// poll: a fabric that is gone as a whole was taken down.
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

// Finds a switch among the first `count` of the poll, which are in order. If it is not there, adds
// it as a switch without a socket. NULL: out of memory.
static struct metrics_switch *find_or_add(struct metrics_poll *poll, size_t count,
					  const struct metrics_switch *who)
{
	struct metrics_switch *found =
		count ? bsearch(who, poll->switches, count, sizeof(*who), by_switch) : NULL;

	if (found)
		return found;
	struct metrics_switch *more = realloc(poll->switches, (poll->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	poll->switches = more;
	struct metrics_switch *s = &more[poll->count++];
	*s = *who;
	s->error = -ENOENT;
	drb_node_name(s->name, s->layer, s->label);
	return s;
}

static void sort_switches(struct metrics_poll *poll, size_t count)
{
	if (poll->count > count)
		qsort(poll->switches, poll->count, sizeof(*poll->switches), by_switch);
}

// A process that runs without a socket has only begun to start, unless its socket is hidden.
static int error_of(const struct metrics_poller *p, const struct metrics_recorded *r)
{
	char instance[DRB_NAME_MAX], path[DRB_FORBIDDEN_MAX];

	drb_instance_name(instance, r->fabric, r->layer, r->label);
	if (r->pid && drb_telemetry_forbidden(p->runtime, instance, path))
		return -EACCES;
	return metrics_record_runs(r) ? -EAGAIN : -ENOENT;
}

static int add_recorded(const struct metrics_poller *p, struct metrics_poll *poll)
{
	const size_t count = poll->count;
	struct metrics_records records;
	int rc = metrics_records_read(p->fabric, &records);

	for (size_t i = 0; rc == 0 && i < records.count; i++) {
		const struct metrics_recorded *r = &records.at[i];
		struct metrics_switch who = {.layer = r->layer, .label = r->label}, *s;
		memcpy(who.fabric, r->fabric, sizeof(who.fabric));
		if (!metrics_wants(p, who.fabric, who.layer, who.label))
			continue;
		s = find_or_add(poll, count, &who);
		if (!s)
			rc = -ENOMEM;
		else if (s->error == -ENOENT)
			s->error = error_of(p, r);
		if (!s)
			continue;
		s->record = r->pid ? METRICS_STARTED : METRICS_STOPPED;
		s->pid = r->pid;
	}
	free(records.at);
	sort_switches(poll, count);
	return rc;
}

int metrics_add_ended(struct metrics_poller *p, struct metrics_poll *poll)
{
	int rc = remember(p, poll);
	size_t count;

	// Records of topo/fabric are about fabrics of this machine, not of another runtime folder.
	if (rc == 0 && !p->runtime)
		rc = add_recorded(p, poll);
	count = poll->count;
	for (size_t i = 0; rc == 0 && i < p->known_count; i++) {
		struct metrics_switch who = {.layer = p->known[i].layer,
					     .label = p->known[i].label};
		memcpy(who.fabric, p->known[i].fabric, sizeof(who.fabric));
		rc = find_or_add(poll, count, &who) ? 0 : -ENOMEM;
	}
	sort_switches(poll, count);
	return rc;
}
