// SPDX-License-Identifier: BSD-3-Clause
#include "common/traffic/traffic_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define HEADING "slot,from,to,rate"
#define LINE_MAX_BYTES 128
// Rates of a host may exceed 1 by so much: decimal fractions do not add up exactly.
#define ROUNDING 1e-9

struct entry {
	uint32_t slot, from, to, line;
	double rate;
	uint32_t pair;
};

struct reader {
	struct entry *entry;
	size_t count, room;
	uint32_t hosts, line;
	bool heading;
	char *error;
};

static int refuse(char error[DRB_TRAFFIC_ERROR_MAX], uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(char error[DRB_TRAFFIC_ERROR_MAX], uint32_t line, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(error, DRB_TRAFFIC_ERROR_MAX, "%u: ", line);

	va_start(ap, fmt);
	vsnprintf(error + n, DRB_TRAFFIC_ERROR_MAX - (size_t)n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int keep(struct reader *r, struct entry e)
{
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct entry *more = realloc(r->entry, room * sizeof(*more));
		if (!more) {
			snprintf(r->error, DRB_TRAFFIC_ERROR_MAX, "not enough memory");
			return -ENOMEM;
		}
		r->entry = more;
		r->room = room;
	}
	r->entry[r->count++] = e;
	return 0;
}

// One line, without its end, its comment and blanks around it.
static int read_line(struct reader *r, char *text)
{
	static const char *const names[] = {"slot", "from", "to", "rate"};
	struct entry e = {.line = r->line};
	char *field[5], *save = NULL;
	int fields = 0;

	if (!r->heading) {
		r->heading = true;
		return strcmp(text, HEADING) == 0
			       ? 0
			       : refuse(r->error, r->line, "the first line must be " HEADING);
	}
	for (char *f = strtok_r(text, ",", &save); f && fields < 5; f = strtok_r(NULL, ",", &save))
		field[fields++] = f;
	if (fields != 4)
		return refuse(r->error, r->line, "must be four values, " HEADING);
	uint32_t *numbers[] = {&e.slot, &e.from, &e.to};
	for (int i = 0; i < 3; i++) {
		uint32_t max = i ? r->hosts - 1 : UINT32_MAX;
		if (drb_parse_u32(field[i], 0, max, numbers[i]) < 0)
			return refuse(r->error, r->line,
				      "%s: \"%.20s\" is no whole number up to %u", names[i],
				      field[i], max);
	}
	if (drb_parse_real(field[3], 0, 1, &e.rate) < 0)
		return refuse(r->error, r->line, "rate: \"%.20s\" is no number from 0 to 1",
			      field[3]);
	if (e.from == e.to)
		return refuse(r->error, r->line, "host %u would send to itself", e.from);
	if (r->count && e.slot < r->entry[r->count - 1].slot)
		return refuse(r->error, r->line, "slot %u comes after slot %u", e.slot,
			      r->entry[r->count - 1].slot);
	return keep(r, e);
}

static int read_text(struct reader *r, const char *text, size_t size)
{
	char line[LINE_MAX_BYTES];
	int rc = 0;

	for (size_t at = 0, next; rc == 0 && at < size; at = next) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t len = end ? (size_t)(end - text) - at : size - at;
		next = at + len + 1;
		r->line++;
		const char *comment = memchr(text + at, '#', len);
		if (comment)
			len = (size_t)(comment - text) - at;
		while (len && strchr(" \t\r", text[at + len - 1]) && text[at + len - 1])
			len--;
		if (len == 0)
			continue;
		if (len >= sizeof(line) || memchr(text + at, '\0', len))
			return refuse(r->error, r->line, "no line of this format");
		memcpy(line, text + at, len);
		line[len] = '\0';
		rc = read_line(r, line);
	}
	if (rc == 0 && r->count == 0)
		return refuse(r->error, r->line, "no host sends");
	return rc;
}

static int by_pair(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->line < y->line ? -1 : 1;
}

// Numbers the pairs by host and fills in whose are whose.
static int number_pairs(struct reader *r, struct drb_traffic_file *file)
{
	struct entry **sorted = malloc(r->count * sizeof(*sorted));
	uint32_t from = 0;

	file->hosts = r->hosts;
	file->first = calloc((size_t)file->hosts + 1, sizeof(*file->first));
	file->to = malloc(r->count * sizeof(*file->to));
	if (!sorted || !file->first || !file->to) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->count; i++)
		sorted[i] = &r->entry[i];
	qsort(sorted, r->count, sizeof(struct entry *), by_pair);
	for (size_t i = 0; i < r->count; i++) {
		struct entry *e = sorted[i];
		if (i == 0 || e->from != sorted[i - 1]->from || e->to != sorted[i - 1]->to)
			file->to[file->pairs++] = e->to;
		e->pair = file->pairs - 1;
		while (from < e->from)
			file->first[++from] = file->pairs - 1;
	}
	while (from < file->hosts)
		file->first[++from] = file->pairs;
	free(sorted);
	return 0;
}

// Fills in the changes. At any slot the rates of a host add up to 1 at most.
static int fill_changes(const struct reader *r, struct drb_traffic_file *file)
{
	double *rate = calloc(file->pairs, sizeof(*rate)), *sum = calloc(file->hosts, sizeof(*sum));
	int rc = 0;

	file->change = malloc(r->count * sizeof(*file->change));
	if (!rate || !sum || !file->change)
		rc = -ENOMEM;
	for (size_t i = 0, checked = 0; rc == 0 && i < r->count; i++) {
		const struct entry *e = &r->entry[i];
		sum[e->from] += e->rate - rate[e->pair];
		rate[e->pair] = e->rate;
		file->change[file->changes++] = (struct drb_traffic_change){
			e->slot, e->pair, (uint32_t)(e->rate * DRB_TRAFFIC_RATE_ONE)};
		if (i + 1 < r->count && e[1].slot == e->slot)
			continue;
		for (; rc == 0 && checked <= i; checked++) {
			e = &r->entry[checked];
			if (sum[e->from] > 1 + ROUNDING)
				rc = refuse(r->error, e->line,
					    "from slot %u on the rates of host %u add up to %g",
					    e->slot, e->from, sum[e->from]);
		}
	}
	free(rate);
	free(sum);
	return rc;
}

int drb_traffic_file_parse(const char *text, size_t size, uint32_t hosts,
			   struct drb_traffic_file **out, char error[DRB_TRAFFIC_ERROR_MAX])
{
	struct drb_traffic_file *file = calloc(1, sizeof(*file));
	struct reader r = {.hosts = hosts, .error = error};
	int rc = file ? read_text(&r, text, size) : -ENOMEM;

	if (rc == 0)
		rc = number_pairs(&r, file);
	if (rc == 0)
		rc = fill_changes(&r, file);
	if (rc == -ENOMEM)
		snprintf(error, DRB_TRAFFIC_ERROR_MAX, "not enough memory");
	free(r.entry);
	if (rc < 0)
		drb_traffic_file_free(file);
	else
		*out = file;
	return rc;
}

void drb_traffic_file_free(struct drb_traffic_file *file)
{
	if (!file)
		return;
	free(file->first);
	free(file->to);
	free(file->change);
	free(file);
}

// The whole of a file. NULL after a message.
static char *read_whole(const char *path, size_t *size)
{
	FILE *in = drb_file_read(path);
	char *text = NULL;

	if (!in) {
		drb_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	*size = 0;
	for (size_t room = 1 << 16; room <= 2 * DRB_TRAFFIC_BYTES_MAX; room *= 2) {
		char *more = realloc(text, room);
		if (!more)
			break;
		text = more;
		*size += fread(text + *size, 1, room - *size, in);
		if (*size < room)
			break;
	}
	bool whole = text && feof(in) && !ferror(in) && *size <= DRB_TRAFFIC_BYTES_MAX;
	fclose(in);
	if (whole)
		return text;
	drb_error("%s: cannot be read, or is larger than %zu MiB", drb_file_name(path),
		  DRB_TRAFFIC_BYTES_MAX >> 20);
	free(text);
	return NULL;
}

int drb_traffic_load(struct drb_traffic_kind *kind, uint32_t hosts)
{
	char error[DRB_TRAFFIC_ERROR_MAX];
	struct drb_traffic_file *file;
	size_t size;

	if (kind->pattern != DRB_PATTERN_FILE)
		return 0;
	char *text = read_whole(kind->path, &size);
	if (!text)
		return -EINVAL;
	int rc = drb_traffic_file_parse(text, size, hosts, &file, error);
	free(text);
	if (rc < 0)
		drb_error("%s:%s", drb_file_name(kind->path), error);
	else
		kind->file = file;
	return rc;
}
