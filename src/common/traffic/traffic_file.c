// SPDX-License-Identifier: BSD-3-Clause
#include "common/traffic/traffic_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/traffic/host_set.h"

#define HEADING "slot,from,to,rate"
// Rates of a host may exceed 1 by this amount, because decimal fractions do not add up exactly.
#define ROUNDING 1e-5

struct entry {
	uint32_t slot, from, to, line; // to: as in struct drb_traffic_file
	double rate;
	uint32_t pair;
};

struct reader {
	struct drb_traffic_file *file;
	struct entry *entry;
	size_t count, room;
	uint32_t hosts, line;
	bool heading;
	char *error;
};

static int line_refuse(char error[DRB_TRAFFIC_ERROR_MAX], uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int line_refuse(char error[DRB_TRAFFIC_ERROR_MAX], uint32_t line, const char *fmt, ...)
{
	va_list ap;
	int n = line > 0 ? snprintf(error, DRB_TRAFFIC_ERROR_MAX, "%u: ", line)
			 : snprintf(error, DRB_TRAFFIC_ERROR_MAX, " ");

	va_start(ap, fmt);
	vsnprintf(error + n, DRB_TRAFFIC_ERROR_MAX - (size_t)n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int entry_keep(struct reader *r, struct entry e)
{
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 256;
		struct entry *more = realloc(r->entry, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->entry = more;
		r->room = room;
	}
	r->entry[r->count++] = e;
	return 0;
}

static bool is_group(const struct drb_traffic_file *file, uint32_t g,
		     const struct drb_host_set *set)
{
	return file->begin[g + 1] - file->begin[g] == set->count &&
	       memcmp(file->member + file->begin[g], set->host, set->count * sizeof(*set->host)) ==
		       0;
}

// Writes to *to the label of a single host, or the number of the group of these hosts. Adds the
// group if it is new.
static int name_hosts(struct drb_traffic_file *file, const struct drb_host_set *set, uint32_t *to)
{
	uint32_t g = file->groups;

	if (set->count == 1) {
		*to = set->host[0];
		return 0;
	}
	while (g > 0 && !is_group(file, g - 1, set))
		g--;
	*to = DRB_TRAFFIC_GROUP | (g ? g - 1 : file->groups);
	if (g)
		return 0;
	const uint32_t members = file->groups ? file->begin[file->groups] : 0;
	uint32_t *begin = realloc(file->begin, (file->groups + 2) * sizeof(*begin));
	file->begin = begin ? begin : file->begin;
	uint32_t *member = realloc(file->member, ((size_t)members + set->count) * sizeof(*member));
	file->member = member ? member : file->member;
	if (!begin || !member)
		return -ENOMEM;
	memcpy(member + members, set->host, set->count * sizeof(*member));
	begin[file->groups] = members;
	begin[++file->groups] = members + set->count;
	return 0;
}

// Keeps the entries of a line, one for each sending host.
static int keep_line(struct reader *r, struct entry e, const struct drb_host_set set[2])
{
	int rc = name_hosts(r->file, &set[1], &e.to);

	for (uint32_t i = 0; rc == 0 && i < set[0].count; i++) {
		e.from = set[0].host[i];
		rc = e.from == e.to ? line_refuse(r->error, r->line, "host %u would send to itself",
						  e.from)
				    : entry_keep(r, e);
	}
	return rc;
}

static int read_hosts(struct reader *r, char *field[], struct entry e)
{
	static const char *const names[] = {"from", "to"};
	struct drb_host_set set[2] = {{0}};
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++) {
		rc = drb_host_set_parse(field[i], r->hosts, &set[i]);
		if (rc == -EINVAL)
			line_refuse(r->error, r->line,
				    "%s: \"%.20s\" is no host up to %u, nor hosts such as 0-3+8",
				    names[i], field[i], r->hosts - 1);
	}
	if (rc == 0)
		rc = keep_line(r, e, set);
	drb_host_set_free(&set[0]);
	drb_host_set_free(&set[1]);
	return rc;
}

// Reads one line, without its newline, comment and surrounding blanks.
static int entry_read(struct reader *r, char *text)
{
	struct entry e = {.line = r->line};
	char *field[5], *save = NULL;
	int fields = 0;

	if (!r->heading) {
		r->heading = true;
		return strcmp(text, HEADING) == 0
			       ? 0
			       : line_refuse(r->error, r->line, "the first line must be " HEADING);
	}
	for (char *f = strtok_r(text, ",", &save); f && fields < 5; f = strtok_r(NULL, ",", &save))
		field[fields++] = f;
	if (fields != 4)
		return line_refuse(r->error, r->line, "must be four values, " HEADING);
	if (drb_parse_u32(field[0], 0, UINT32_MAX, &e.slot) < 0)
		return line_refuse(r->error, r->line, "slot: \"%.20s\" is no whole number up to %u",
				   field[0], UINT32_MAX);
	if (drb_parse_real(field[3], 0, 1, &e.rate) < 0)
		return line_refuse(r->error, r->line, "rate: \"%.20s\" is no number from 0 to 1",
				   field[3]);
	if (r->count && e.slot < r->entry[r->count - 1].slot)
		return line_refuse(r->error, r->line, "slot %u comes after slot %u", e.slot,
				   r->entry[r->count - 1].slot);
	return read_hosts(r, field + 1, e);
}

static int read_lines(struct reader *r, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t got;
	int rc = 0;

	while (rc == 0 && (got = getline(&line, &room, in)) >= 0) {
		size_t len = (size_t)got;
		r->line++;
		if (memchr(line, '\0', len)) {
			rc = line_refuse(r->error, r->line, "no line of this format");
			break;
		}
		len = strcspn(line, "#\n");
		while (len && strchr(" \t\r", line[len - 1]))
			len--;
		line[len] = '\0';
		if (len)
			rc = entry_read(r, line);
	}
	free(line);
	if (rc == 0 && ferror(in))
		return line_refuse(r->error, r->line, "%s", drb_file_error(errno));
	if (rc == 0 && r->count == 0)
		return line_refuse(r->error, r->line, "no host sends");
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

// Numbers the pairs by sending host, and fills in first[] and to[].
static int number_pairs(struct reader *r)
{
	struct drb_traffic_file *file = r->file;
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

// Fills in the changes, and checks that the rates of a host add up to at most 1 at any slot.
static int fill_changes(const struct reader *r)
{
	struct drb_traffic_file *file = r->file;
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
				rc = line_refuse(
					r->error, e->line,
					"from slot %u on the rates of host %u add up to %g",
					e->slot, e->from, sum[e->from]);
		}
	}
	free(rate);
	free(sum);
	return rc;
}

int drb_traffic_file_read(FILE *in, uint32_t hosts, struct drb_traffic_file **out,
			  char error[DRB_TRAFFIC_ERROR_MAX])
{
	struct reader r = {.file = calloc(1, sizeof(*r.file)), .hosts = hosts, .error = error};
	int rc = r.file ? read_lines(&r, in) : -ENOMEM;

	if (rc == 0)
		rc = number_pairs(&r);
	if (rc == 0)
		rc = fill_changes(&r);
	if (rc == -ENOMEM)
		snprintf(error, DRB_TRAFFIC_ERROR_MAX, "not enough memory");
	free(r.entry);
	if (rc < 0)
		drb_traffic_file_free(r.file);
	else
		*out = r.file;
	return rc;
}

void drb_traffic_file_free(struct drb_traffic_file *file)
{
	if (!file)
		return;
	free(file->first);
	free(file->to);
	free(file->begin);
	free(file->member);
	free(file->change);
	free(file);
}

int drb_traffic_read(struct drb_traffic_kind *kind, uint32_t hosts, char why[DRB_TRAFFIC_WHY_MAX])
{
	char error[DRB_TRAFFIC_ERROR_MAX];
	struct drb_traffic_file *file;

	if (kind->pattern != DRB_PATTERN_FILE)
		return 0;
	FILE *in = drb_file_read(kind->path);
	if (!in) {
		snprintf(why, DRB_TRAFFIC_WHY_MAX, "%s: %s", kind->path, strerror(errno));
		return -EINVAL;
	}
	int rc = drb_traffic_file_read(in, hosts, &file, error);
	fclose(in);
	if (rc < 0)
		snprintf(why, DRB_TRAFFIC_WHY_MAX, "%s:%s", drb_file_name(kind->path), error);
	else
		kind->file = file;
	return rc;
}

int drb_traffic_load(struct drb_traffic_kind *kind, uint32_t hosts)
{
	char why[DRB_TRAFFIC_WHY_MAX];
	int rc = drb_traffic_read(kind, hosts, why);

	if (rc < 0)
		drb_error("%s", why);
	return rc;
}
