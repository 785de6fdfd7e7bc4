// SPDX-License-Identifier: BSD-3-Clause
#include "sim/search/cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/log.h"

#include "code.h"

#define SCHEME_BYTES (DRB_SCHEME_TEXT_MAX + 24)
#define KEY_BYTES (2 * SCHEME_BYTES + 160)
#define LINE_BYTES (KEY_BYTES + 352)

// What tells a case, the code that its figures come from included.
struct search_row {
	char key[KEY_BYTES];
	struct search_result result;
};

// A shared object is another scheme once it is written anew.
static void format_scheme(enum drb_scheme scheme, char text[SCHEME_BYTES])
{
	const char *said = drb_scheme_text(scheme);
	char path[DRB_SCHEME_TEXT_MAX];
	struct stat object;

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(said, ":"), said);
	if (drb_scheme_like(scheme) == DRB_SCHEME_COUNT && stat(path, &object) == 0)
		snprintf(text, SCHEME_BYTES, "%s@%lld.%09ld", said,
			 (long long)object.st_mtim.tv_sec, object.st_mtim.tv_nsec);
	else
		snprintf(text, SCHEME_BYTES, "%s", said);
}

static void key_of(const struct search_setup *s, const struct search_case *c, char key[KEY_BYTES])
{
	const struct drb_packet_setup *p = &s->packet;
	char genes[SEARCH_CASE_TEXT], scheme[SCHEME_BYTES], against[SCHEME_BYTES];

	search_case_format(c, genes);
	format_scheme(s->scheme, scheme);
	format_scheme(s->against, against);
	snprintf(key, KEY_BYTES, "%s,%s,%s,%u,%u,%.6g,%u,%llu,%s", DRB_VERSION "-" SIM_CODE, scheme,
		 against, p->tree.layers, p->tree.arity, s->load[c->load], p->slots,
		 (unsigned long long)p->seed, genes);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct search_row *)a)->key, ((const struct search_row *)b)->key);
}

// Commas of a key.
static int commas(const struct search_setup *s)
{
	const struct search_case any = {0};
	char key[KEY_BYTES];
	int count = 0;

	key_of(s, &any, key);
	for (const char *p = key; *p; p++)
		count += *p == ',';
	return count;
}

// A line cut short by an interruption lacks its end and is tried again.
static bool read_row(char *line, int key_commas, struct search_row *row)
{
	char *at = line;
	int grows, against, alone, n = 0;
	struct search_result *r = &row->result;

	for (int i = 0; at && i <= key_commas; i++)
		at = strchr(i ? at + 1 : at, ',');
	if (!at || at - line >= KEY_BYTES)
		return false;
	*at = '\0';
	strcpy(row->key, line);
	r->done =
		sscanf(at + 1, "%lf,%lf,%lf,%lf,%d,%d,%d,end%n", &r->latency, &r->tail,
		       &r->against_latency, &r->against_tail, &grows, &against, &alone, &n) == 7 &&
		n > 0;
	r->grows = grows;
	r->against_grows = against;
	r->grows_alone = alone;
	return r->done;
}

static void read_rows(struct search_cases *cases, FILE *f)
{
	const int key_commas = commas(cases->setup);
	char line[LINE_BYTES];
	size_t room = 0;

	while (fgets(line, sizeof(line), f)) {
		if (cases->rows == room) {
			room = room ? 2 * room : 256;
			cases->row = realloc(cases->row, room * sizeof(*cases->row));
			if (!cases->row)
				drb_die("not enough memory");
		}
		cases->rows += read_row(line, key_commas, &cases->row[cases->rows]);
	}
	if (cases->rows)
		qsort(cases->row, cases->rows, sizeof(*cases->row), by_key);
}

void search_cases_open(struct search_cases *cases, const char *dir,
		       const struct search_setup *setup)
{
	char path[4096];

	*cases = (struct search_cases){.setup = setup};
	snprintf(path, sizeof(path), "%s/cases.csv", dir);
	FILE *f = fopen(path, "re");
	if (f) {
		read_rows(cases, f);
		fclose(f);
	}
	cases->file = fopen(path, "ae");
	if (!cases->file)
		drb_die("%s: cannot write: %s", path, strerror(errno));
	pthread_mutex_init(&cases->lock, NULL);
	if (f) { // a line that an interruption cut short must not swallow the next one
		fputc('\n', cases->file);
		return;
	}
	fputs("code,scheme,against,layers,arity,load,slots,runs_seed", cases->file);
	for (int g = 0; g < SEARCH_GENES_COUNT; g++)
		fprintf(cases->file, ",%s", search_gene_name[g]);
	fputs(",seed,latency,tail,against_latency,against_tail,grows,against_grows,grows_alone,"
	      "end\n",
	      cases->file);
}

bool search_cases_find(const struct search_cases *cases, const struct search_case *c,
		       struct search_result *result)
{
	struct search_row wanted = {0};
	const struct search_row *found;

	if (cases->rows == 0)
		return false;
	key_of(cases->setup, c, wanted.key);
	found = bsearch(&wanted, cases->row, cases->rows, sizeof(*cases->row), by_key);
	if (found)
		*result = found->result;
	return found;
}

void search_cases_add(struct search_cases *cases, const struct search_case *c,
		      const struct search_result *r)
{
	char key[KEY_BYTES];

	key_of(cases->setup, c, key);
	pthread_mutex_lock(&cases->lock);
	fprintf(cases->file, "%s,%.17g,%.17g,%.17g,%.17g,%d,%d,%d,end\n", key, r->latency, r->tail,
		r->against_latency, r->against_tail, r->grows, r->against_grows, r->grows_alone);
	fflush(cases->file);
	pthread_mutex_unlock(&cases->lock);
}

void search_cases_close(struct search_cases *cases)
{
	if (ferror(cases->file) | (fclose(cases->file) != 0))
		drb_die("cases.csv: cannot write all of it: %s", strerror(errno));
	pthread_mutex_destroy(&cases->lock);
	free(cases->row);
}
