// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/quantity.h"

#include "sim/flows/sizes.h"

#define LINE_BYTES 128
#define FIELDS 7

void drb_list_free(struct drb_list *list)
{
	free(list->transfer);
	*list = (struct drb_list){0};
}

int drb_list_add(struct drb_list *list, const struct drb_listed *transfer)
{
	if (list->count == list->room) {
		uint32_t room = list->room ? 2 * list->room : 256;
		struct drb_listed *more = realloc(list->transfer, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		list->transfer = more;
		list->room = room;
	}
	list->transfer[list->count++] = *transfer;
	return 0;
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

// What is wrong with a transfer that would be the next one, NULL if nothing is.
static const char *wrong_with(const struct drb_list *list, const struct drb_listed *t)
{
	if (t->source == t->dest)
		return "from and to must be two hosts";
	if (list->count && t->slot < list->transfer[list->count - 1].slot)
		return "slot must not go down";
	if (t->after_sent != DRB_LIST_NONE && list->transfer[t->after_sent].source != t->source)
		return "after_sent must be a transfer from the same host";
	if (t->after_arrived != DRB_LIST_NONE && list->transfer[t->after_arrived].dest != t->source)
		return "after_arrived must be a transfer to the host that this one is from";
	return NULL;
}

// A line, without its end and comment, as the next transfer. What is wrong with it, NULL if nothing is.
static const char *add_line(struct drb_list *list, char *line, uint32_t hosts)
{
	uint32_t place = 0;
	struct drb_listed t = {.after_sent = DRB_LIST_NONE, .after_arrived = DRB_LIST_NONE};
	uint32_t *const value[FIELDS] = {&place,  &t.slot,       &t.source,       &t.dest,
					 &t.size, &t.after_sent, &t.after_arrived};
	const uint32_t most[FIELDS] = {DRB_LIST_MAX,          DRB_LIST_MAX, hosts - 1,  hosts - 1,
				       DRB_SIZES_PACKETS_MAX, list->count,  list->count};

	for (int i = 0; i < FIELDS; i++) {
		char *field = strsep(&line, ",");
		if (!field)
			return "must be seven values, " DRB_LIST_HEADING;
		if (i > 4 && !*field)
			continue;
		if (drb_parse_u32(field, i == 4, most[i], value[i]) < 0)
			return i < 2    ? "transfer and slot must be whole numbers up to 100000000"
			       : i < 4  ? "from and to must be hosts of this fabric"
			       : i == 4 ? "packets must be a whole number from 1 to 100000000"
					: "after_sent and after_arrived must be transfers of lines "
					  "before";
		if (i > 4 && *value[i] == list->count)
			return "after_sent and after_arrived must be transfers of lines before";
	}
	if (line)
		return "must be seven values, " DRB_LIST_HEADING;
	if (place != list->count || list->count == DRB_LIST_MAX)
		return "transfers must be numbered from 0, line by line";
	const char *wrong = wrong_with(list, &t);
	if (wrong)
		return wrong;
	return drb_list_add(list, &t) < 0 ? "not enough memory" : NULL;
}

static const char *add_text(struct drb_list *list, char *line, uint32_t hosts, bool *heading)
{
	line[strcspn(line, "#")] = '\0';
	for (size_t len = strlen(line); len && strchr(" \t\r\n", line[len - 1]); len--)
		line[len - 1] = '\0';
	if (!line[0])
		return NULL;
	if (*heading)
		return add_line(list, line, hosts);
	*heading = true;
	return strcmp(line, DRB_LIST_HEADING) == 0 ? NULL
						   : "the first line must be " DRB_LIST_HEADING;
}

int drb_list_read(const char *name, FILE *in, uint32_t hosts, struct drb_list *list,
		  char error[DRB_LIST_ERROR_MAX])
{
	char line[LINE_BYTES];
	const char *wrong = NULL;
	bool heading = false;
	uint32_t number = 0;

	*list = (struct drb_list){0};
	while (!wrong && fgets(line, sizeof(line), in)) {
		number++;
		wrong = strlen(line) + 1 == sizeof(line) ? "no line of this format"
							 : add_text(list, line, hosts, &heading);
	}
	if (!wrong && ferror(in))
		wrong = "cannot be read";
	else if (!wrong && !list->count)
		wrong = "has no transfer";
	if (!wrong)
		return 0;
	snprintf(error, DRB_LIST_ERROR_MAX, "%.80s:%" PRIu32 ": %s", name, number, wrong);
	drb_list_free(list);
	return -EINVAL;
}
