// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "code.h"
#include "sim/paper/results.h"

// The journal: one line per finished point, its key, its figures and the CPU seconds it took, in any
// order. A line cut short by an interruption lacks its end mark and is run again.
#define LINE_MAX_BYTES 2048
#define KEY_BYTES 512

// What figures come from: the version, and the sources of the models (code_of.py).
static const char code[] = DRB_VERSION "-" SIM_CODE;

// The code, and all that determines the figures of a point.
static void key_of(const struct paper_point *point, char key[KEY_BYTES])
{
	FILE *f = fmemopen(key, KEY_BYTES, "w");

	if (!f)
		drb_die("not enough memory");
	fprintf(f, "%s ", code);
	paper_put_setup(f, point);
	fclose(f);
}

// The points by their keys, to find them as fast as lines are read.
struct entry {
	char key[KEY_BYTES];
	struct paper_point *point;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static struct entry *index_of(struct paper *p)
{
	struct entry *index = calloc(p->points + 1, sizeof(*index));

	if (!index)
		drb_die("not enough memory");
	for (uint32_t i = 0; i < p->points; i++) {
		index[i].point = &p->point[i];
		key_of(&p->point[i], index[i].key);
	}
	qsort(index, p->points, sizeof(*index), by_key);
	return index;
}

static void read_line(const struct entry *index, uint32_t points, char *line)
{
	char *figures = strchr(line, '\t'), *cpu = strrchr(line, '\t');
	struct entry wanted = {0}, *found;

	if (!figures || !strstr(cpu, " end\n") || figures - line >= KEY_BYTES ||
	    cpu - figures > PAPER_FIGURES)
		return;
	*figures++ = *cpu++ = '\0';
	strcpy(wanted.key, line);
	found = bsearch(&wanted, index, points, sizeof(*index), by_key);
	if (!found)
		return;
	strcpy(found->point->figures, figures);
	found->point->cpu = strtod(cpu, NULL);
	found->point->done = true;
}

static const char *journal_path(const struct paper *p, char path[PAPER_PATH_MAX])
{
	snprintf(path, PAPER_PATH_MAX, "%s/journal.txt", p->dir);
	return path;
}

void paper_journal_read(struct paper *p)
{
	char line[LINE_MAX_BYTES], path[PAPER_PATH_MAX];
	FILE *f = fopen(journal_path(p, path), "r");

	if (!f)
		return;
	struct entry *index = index_of(p);
	while (fgets(line, sizeof(line), f))
		read_line(index, p->points, line);
	free(index);
	fclose(f);
}

void paper_journal_open(struct paper_journal *j, const struct paper *p)
{
	j->failed = false;
	j->file = fopen(journal_path(p, j->path), "a");
	if (!j->file)
		drb_die("%s: cannot write: %s", j->path, strerror(errno));
	pthread_mutex_init(&j->lock, NULL);
	// A line that an interruption cut short must not swallow the next one.
	fputc('\n', j->file);
}

void paper_journal_write(struct paper_journal *j, const struct paper_point *point)
{
	char key[KEY_BYTES];

	key_of(point, key);
	pthread_mutex_lock(&j->lock);
	j->failed |= fprintf(j->file, "%s\t%s\t%.3f end\n", key, point->figures, point->cpu) < 0;
	j->failed |= fflush(j->file) == EOF;
	pthread_mutex_unlock(&j->lock);
}

void paper_journal_close(struct paper_journal *j)
{
	if (fclose(j->file) != 0 || j->failed)
		drb_warn("%s: cannot write: the next call will not find all of it done", j->path);
	pthread_mutex_destroy(&j->lock);
}
