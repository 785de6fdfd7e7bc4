// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/window.h"

int drb_turns_init(struct drb_transfers *t)
{
	const uint32_t hosts = t->setup.tree.hosts;

	t->last = malloc(hosts * sizeof(*t->last));
	if (!t->last)
		return -ENOMEM;
	for (uint32_t h = 0; h < hosts; h++)
		t->last[h] = DRB_NO_TRANSFER;
	return 0;
}

void drb_turns_add(struct drb_transfers *t, uint32_t transfer)
{
	uint32_t *last = &t->last[t->transfer[transfer].source];
	// Inserted behind the transfer that sent last.
	const uint32_t before = *last == DRB_NO_TRANSFER ? transfer : *last;
	const uint32_t next = before == transfer ? transfer : t->transfer[before].next;

	t->transfer[transfer].before = before;
	t->transfer[transfer].next = next;
	t->transfer[before].next = t->transfer[next].before = transfer;
	*last = transfer;
}

void drb_turns_leave(struct drb_transfers *t, uint32_t transfer)
{
	const struct drb_transfer *f = &t->transfer[transfer];
	uint32_t *last = &t->last[f->source];

	t->transfer[f->before].next = f->next;
	t->transfer[f->next].before = f->before;
	if (*last == transfer)
		*last = f->before == transfer ? DRB_NO_TRANSFER : f->before;
}

uint32_t drb_turns_next(struct drb_transfers *t, uint32_t host)
{
	const uint32_t first = t->last[host];
	uint32_t last = first;

	if (first == DRB_NO_TRANSFER)
		return DRB_NO_TRANSFER;
	do {
		last = t->transfer[last].next;
		const struct drb_transfer *f = &t->transfer[last];
		if (f->connected <= t->sim->slot && (!f->window || drb_window_may_send(t, f)))
			return last;
	} while (last != first);
	return DRB_NO_TRANSFER;
}

uint32_t drb_turns_ready(const struct drb_transfers *t, uint32_t host)
{
	uint32_t first = t->last[host], i = first, ready = 0;

	if (first == DRB_NO_TRANSFER)
		return 0;
	do {
		const struct drb_transfer *f = &t->transfer[i];
		ready += f->connected <= t->sim->slot && (!f->window || drb_window_has_packet(f));
		i = f->next;
	} while (i != first);
	return ready;
}
