// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

// The journal: one line per finished point, its key, its values and the CPU seconds it took, in any
// order. A line cut short by an interruption lacks its end mark and is run again.
#define LINE_MAX_BYTES 2048

// All that determines the figures of a point.
static void key_of(const struct paper_point *point, char key[256])
{
	const struct drb_flow_setup *f = &point->flow;
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_ctmc_setup *c = &point->ctmc;
	char traffic[DRB_TRAFFIC_NAME_MAX];

	switch (point->kind) {
	case PAPER_FLOW:
		snprintf(key, 256, "%s flow %u %u %s %.12g %u %u %" PRIu64, DRB_VERSION,
			 f->tree.layers, f->tree.arity, drb_scheme_name(f->scheme), f->threshold,
			 f->flows, point->runs, f->seed);
		break;
	case PAPER_PACKET:
		drb_traffic_format(s->traffic, traffic);
		snprintf(key, 256, "%s packet %u %u %s %.12g %s %.12g %u %u %u %" PRIu64,
			 DRB_VERSION, s->tree.layers, s->tree.arity, drb_scheme_name(s->scheme),
			 s->threshold, traffic, s->rho, s->slots, s->stats, s->most_slots, s->seed);
		if (s->give_up)
			snprintf(key + strlen(key), 256 - strlen(key), " gives up");
		if (s->fail.links || s->fail.switches)
			snprintf(key + strlen(key), 256 - strlen(key), " dead %u %u", s->fail.links,
				 s->fail.switches);
		break;
	case PAPER_CTMC:
		snprintf(key, 256, "%s ctmc %u %.12g %.12g %.12g %.12g %" PRIu64, DRB_VERSION,
			 c->queues, c->lambda, c->threshold, c->warm_up, c->time, c->seed);
		break;
	}
}

static void read_line(struct paper *p, char *line)
{
	char key[256], *tab = strchr(line, '\t'), *at;
	double value[PAPER_VALUES];

	if (!tab || !strstr(tab, " end\n"))
		return;
	*tab = '\0';
	at = tab + 1;
	for (int i = 0; i < PAPER_VALUES; i++)
		value[i] = strtod(at, &at);
	double cpu = strtod(at, &at);
	for (uint32_t i = 0; i < p->points; i++) {
		key_of(&p->point[i], key);
		if (p->point[i].done || strcmp(key, line) != 0)
			continue;
		memcpy(p->point[i].value, value, sizeof(value));
		p->point[i].cpu = cpu;
		p->point[i].done = true;
	}
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

	while (f && fgets(line, sizeof(line), f))
		read_line(p, line);
	if (f)
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
	char key[256];

	key_of(point, key);
	pthread_mutex_lock(&j->lock);
	fprintf(j->file, "%s\t", key);
	for (int i = 0; i < PAPER_VALUES; i++)
		fprintf(j->file, "%.17g ", point->value[i]);
	if (fprintf(j->file, "%.3f  end\n", point->cpu) < 0 || fflush(j->file) == EOF)
		j->failed = true;
	pthread_mutex_unlock(&j->lock);
}

void paper_journal_close(struct paper_journal *j)
{
	if (fclose(j->file) != 0 || j->failed)
		drb_warn("%s: cannot write: the next call will not find all of it done", j->path);
	pthread_mutex_destroy(&j->lock);
}
