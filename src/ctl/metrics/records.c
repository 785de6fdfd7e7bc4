// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/records.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan.h"

#define LINE_MAX_LENGTH 128
#define START_FIELD 22 // of /proc/PID/stat: the start of the process, in ticks since boot

bool metrics_record_runs(const struct metrics_recorded *record)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", record->pid);
	FILE *file = record->pid ? fopen(path, "re") : NULL;
	const size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = '\0';
	// The second field is a name in brackets, which may have any characters.
	char *rest = strrchr(text, ')'), *field;
	if (!rest || rest[1] != ' ' || rest[2] == 'Z' || rest[2] == 'X')
		return false;
	field = strtok_r(rest + 1, " ", &rest);
	for (int n = 3; field && n < START_FIELD; n++)
		field = strtok_r(NULL, " ", &rest);
	return field && strtoull(field, NULL, 10) == record->started;
}

// Takes one line: "s2-5 PID START" or "s2-5 stopped".
static int take_line(struct metrics_records *records, const char *fabric, const char *line)
{
	struct metrics_recorded r = {.line = records->count};
	char name[DRB_NAME_MAX], what[DRB_NAME_MAX];
	const int words = sscanf(line, "%47s %47s %" SCNu64, name, what, &r.started);

	r.pid = words == 3 ? strtoull(what, NULL, 10) : 0;
	if ((words != 3 && (words != 2 || strcmp(what, DRB_PROCESS_STOPPED) != 0)) ||
	    drb_node_parse(name, &r.layer, &r.label) < 0 || r.layer == 0)
		return 0;
	struct metrics_recorded *more =
		realloc(records->at, (records->count + 1) * sizeof(*records->at));
	if (!more)
		return -ENOMEM;
	snprintf(r.fabric, sizeof(r.fabric), "%s", fabric);
	records->at = more;
	more[records->count++] = r;
	return 0;
}

static int by_switch(const void *a, const void *b)
{
	const struct metrics_recorded *x = a, *y = b;
	const int fabric = strcmp(x->fabric, y->fabric);

	if (fabric || x->layer != y->layer)
		return fabric ? fabric : x->layer < y->layer ? -1 : 1;
	return x->label < y->label ? -1 : x->label > y->label;
}

static int by_switch_and_line(const void *a, const void *b)
{
	const struct metrics_recorded *x = a, *y = b;
	const int order = by_switch(a, b);

	return order ? order : x->line < y->line ? -1 : 1;
}

// Keeps the last line about each switch.
static void keep_last(struct metrics_records *records)
{
	size_t kept = 0;

	if (records->count)
		qsort(records->at, records->count, sizeof(*records->at), by_switch_and_line);
	for (size_t i = 0; i < records->count; i++) {
		if (i + 1 == records->count || by_switch(&records->at[i], &records->at[i + 1]) != 0)
			records->at[kept++] = records->at[i];
	}
	records->count = kept;
}

static int read_fabric(struct metrics_records *records, const char *folder)
{
	const char *fabric = strrchr(folder, '/') + 1;
	char line[LINE_MAX_LENGTH], path[PATH_MAX];
	int rc = 0;

	if (!drb_fabric_name_ok(fabric) ||
	    (size_t)snprintf(path, sizeof(path), "%s/" DRB_PROCESSES_FILE, folder) >= sizeof(path))
		return 0;
	FILE *file = fopen(path, "re");
	while (file && rc == 0 && fgets(line, sizeof(line), file))
		rc = take_line(records, fabric, line);
	if (file)
		fclose(file);
	return rc;
}

int metrics_records_read(const char *fabric, struct metrics_records *records)
{
	char pattern[PATH_MAX];
	glob_t folders;
	int rc = 0;

	*records = (struct metrics_records){0};
	// Names of fabrics have no characters that are special to glob().
	snprintf(pattern, sizeof(pattern), DRB_RUN_DIR "/%s", fabric ? fabric : "*");
	if (glob(pattern, 0, NULL, &folders) != 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < folders.gl_pathc; i++)
		rc = read_fabric(records, folders.gl_pathv[i]);
	globfree(&folders);
	keep_last(records);
	return rc;
}
