// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/flows/list_formats.h"
#include "sim/flows/sizes.h"

void drb_list_free(struct drb_list *list)
{
	free(list->transfer);
	free(list->wait);
	*list = (struct drb_list){0};
}

void *drb_list_room(void *array, uint32_t count, uint32_t *room, size_t each)
{
	if (count < *room)
		return array;
	uint32_t wanted = *room ? 2 * *room : 256;
	void *more = wanted > *room ? realloc(array, wanted * each) : NULL;
	if (more)
		*room = wanted;
	return more;
}

int drb_list_add(struct drb_list *list, const struct drb_listed *transfer)
{
	if (list->count == DRB_LIST_MAX)
		return -E2BIG;
	struct drb_listed *t =
		drb_list_room(list->transfer, list->count, &list->room, sizeof(*transfer));

	if (!t)
		return -ENOMEM;
	list->transfer = t;
	t[list->count++] = *transfer;
	return 0;
}

int drb_list_add_wait(struct drb_list *list, struct drb_list_wait wait)
{
	struct drb_list_wait *w =
		drb_list_room(list->wait, list->waits, &list->waits_room, sizeof(wait));

	if (!w)
		return -ENOMEM;
	list->wait = w;
	w[list->waits++] = wait;
	return 0;
}

const char *drb_list_wrong(int rc)
{
	return rc == -E2BIG ? "a list has at most 100000000 transfers"
	       : rc < 0     ? "not enough memory"
			    : NULL;
}

int drb_list_ends_add(struct drb_list_ends *ends, struct drb_list_end end)
{
	struct drb_list_end *e = drb_list_room(ends->end, ends->count, &ends->room, sizeof(end));

	if (!e)
		return -ENOMEM;
	ends->end = e;
	e[ends->count++] = end;
	return 0;
}

int drb_list_ends_order(const struct drb_list_end *a, const struct drb_list_end *b)
{
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare(const void *a, const void *b)
{
	const struct drb_list_end *x = a, *y = b;
	int order = drb_list_ends_order(x, y);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

void drb_list_ends_sort(struct drb_list_ends *ends)
{
	if (ends->count)
		qsort(ends->end, ends->count, sizeof(*ends->end), compare);
}

uint32_t drb_list_packets(const struct drb_list_scale *scale, uint64_t bytes)
{
	double packets = ceil((double)bytes / scale->packet_bytes);

	return packets > DRB_SIZES_PACKETS_MAX ? 0 : packets < 1 ? 1 : (uint32_t)packets;
}

uint32_t drb_list_slots(const struct drb_list_scale *scale, double ns)
{
	double slots = round(ns / scale->slot_ns);

	return slots >= 0 && slots <= DRB_LIST_MAX ? (uint32_t)slots : DRB_LIST_NONE;
}

static void print_place(uint32_t place, FILE *out)
{
	fputc(',', out);
	if (place != DRB_LIST_NONE)
		fprintf(out, "%" PRIu32, place);
}

void drb_list_print(const struct drb_list *list, FILE *out)
{
	fputs(DRB_LIST_HEADING "\n", out);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct drb_listed *t = &list->transfer[i];
		fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, i, t->slot,
			t->source, t->dest, t->size);
		print_place(t->after_sent, out);
		print_place(t->after_arrived, out);
		fputc('\n', out);
	}
}
