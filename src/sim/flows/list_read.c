// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/quantity.h"

#include "sim/flows/list_formats.h"
#include "sim/flows/sizes.h"

#define FIELDS 7

// The error in the next transfer of the list; NULL: none.
static const char *wrong_with(const struct drb_list *list, const struct drb_listed *t)
{
	if (t->size == 0 && !drb_listed_stays(t))
		return "packets must be 1 or more between two hosts";
	if (list->count && t->slot < list->transfer[list->count - 1].slot)
		return "slot must not go down";
	if (t->after_sent != DRB_LIST_NONE && list->transfer[t->after_sent].source != t->source)
		return "after_sent must be a transfer from the same host";
	if (t->after_arrived != DRB_LIST_NONE && list->transfer[t->after_arrived].dest != t->source)
		return "after_arrived must be a transfer to the host that this one is from";
	return NULL;
}

// Adds a line, without its end and comment, as the next transfer. Returns the error, or NULL.
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
		if (drb_parse_u32(field, 0, most[i], value[i]) < 0)
			return i < 2    ? "transfer and slot must be whole numbers up to 100000000"
			       : i < 4  ? "from and to must be hosts of this fabric"
			       : i == 4 ? "packets must be a whole number up to 100000000"
					: "after_sent and after_arrived must be transfers of lines "
					  "before";
		if (i > 4 && *value[i] == list->count)
			return "after_sent and after_arrived must be transfers of lines before";
	}
	if (line)
		return "must be seven values, " DRB_LIST_HEADING;
	if (place != list->count)
		return "transfers must be numbered from 0, line by line";
	const char *wrong = wrong_with(list, &t);
	if (wrong)
		return wrong;
	return drb_list_wrong(drb_list_add(list, &t));
}

static const char *add_text(struct drb_list_reader *r, char *line)
{
	bool *heading = r->own;

	if (*heading)
		return add_line(r->list, line, r->scale->hosts);
	*heading = true;
	return strcmp(line, DRB_LIST_HEADING) == 0 ? NULL
						   : "the first line must be " DRB_LIST_HEADING
						     ", Nodes of an htsim matrix or "
						     "num_ranks of GOAL";
}

static const char *at_end(struct drb_list_reader *r)
{
	(void)r;
	return NULL;
}

static const struct drb_list_format own = {NULL, add_text, at_end, free, sizeof(bool), true};

static const char *format_begin(struct drb_list_reader *r, const char *line)
{
	r->format = drb_list_htsim.begins(line)  ? &drb_list_htsim
		    : drb_list_goal.begins(line) ? &drb_list_goal
						 : &own; // its message names all formats
	r->list->scaled = r->format != &own;
	r->own = calloc(1, r->format->bytes);
	return r->own ? NULL : "not enough memory";
}

static char *trimmed(char *line)
{
	for (size_t len = strlen(line); len && strchr(" \t\r\n", line[len - 1]); len--)
		line[len - 1] = '\0';
	return line + strspn(line, " \t");
}

static const char *list_line(void *reader, char *line)
{
	struct drb_list_reader *r = reader;
	const char *wrong = NULL;

	line = trimmed(line);
	if (!r->format && line[0] && line[0] != '#')
		wrong = format_begin(r, line);
	if (!r->format || r->format->hashes) {
		line[strcspn(line, "#")] = '\0';
		line = trimmed(line);
	}
	return wrong || !line[0] ? wrong : r->format->add(r, line);
}

static const char *read_all(struct drb_list_reader *r, FILE *in)
{
	const char *wrong = drb_file_lines(in, list_line, r, &r->line);

	if (wrong)
		return wrong;
	if (r->format)
		wrong = r->format->end(r);
	return wrong || r->list->count ? wrong : "has no transfer";
}

int drb_list_read(const char *name, FILE *in, const struct drb_list_scale *scale,
		  struct drb_list *list, char error[DRB_LIST_ERROR_MAX])
{
	struct drb_list_reader r = {.scale = scale, .list = list};

	*list = (struct drb_list){0};
	const char *wrong = read_all(&r, in);
	if (r.own)
		r.format->free(r.own);
	if (!wrong)
		return 0;
	drb_file_complain(error, DRB_LIST_ERROR_MAX, name, r.line, wrong);
	drb_list_free(list);
	return -EINVAL;
}

uint32_t drb_list_nodes(FILE *in)
{
	char line[DRB_LINE_MAX + 2], number[16];
	uint32_t nodes = 0;

	while (fgets(line, sizeof(line), in)) {
		const char *text = trimmed(line);
		if (*text && *text != '#') {
			if (sscanf(text, "Nodes %15s", number) != 1 ||
			    drb_parse_u32(number, 1, UINT32_MAX, &nodes) < 0)
				nodes = 0;
			break;
		}
	}
	return nodes;
}
