// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/stopped.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/cli/log.h"
#include "common/plan.h"
#include "common/telemetry/telemetry_client.h"

#define LINE_MAX_LENGTH 128

static bool read_tree(const char *folder, struct drb_tree *tree)
{
	char path[PATH_MAX];
	int layers = 0, arity = 0, uplinks = 0; // plans of version 0.1.0 have no uplinks

	if ((size_t)snprintf(path, sizeof(path), "%s/" DRB_PLAN_FILE, folder) >= sizeof(path))
		return false;
	json_t *plan = json_load_file(path, 0, NULL);
	bool found = plan && json_unpack(plan, "{si si s?i}", DRB_PLAN_LAYERS, &layers,
					 DRB_PLAN_ARITY, &arity, DRB_PLAN_UPLINKS, &uplinks) == 0;
	json_decref(plan);
	return found && layers > 0 && arity > 0 &&
	       drb_tree_init_uplinks(tree, (uint32_t)layers, (uint32_t)arity,
				     (uint32_t)(uplinks > 0 ? uplinks : arity)) == 0;
}

static bool is_switch(const struct drb_tree *tree, uint32_t layer, uint32_t label)
{
	return layer > 0 && layer <= tree->layers && label < drb_tree_switches(tree, layer);
}

static void stopped_add(struct stopped_list *list, struct stopped_switch stopped)
{
	struct stopped_switch *more = realloc(list->at, (list->count + 1) * sizeof(*list->at));

	if (!more)
		drb_die("out of memory");
	list->at = more;
	list->at[list->count++] = stopped;
}

static void stopped_forget(struct stopped_list *list, const struct stopped_switch *s)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct stopped_switch *other = &list->at[i];
		if (other->layer == s->layer && other->label == s->label &&
		    strcmp(other->fabric, s->fabric) == 0) {
			memmove(&list->at[i], &list->at[i + 1],
				(list->count - i - 1) * sizeof(*list->at));
			list->count--;
			return;
		}
	}
}

// True if the records name a stopped switch. Otherwise the plan, which is long, need not be read.
static bool tells_of_stopped(const char *path)
{
	char line[LINE_MAX_LENGTH];
	FILE *file = fopen(path, "r");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " " DRB_PROCESS_STOPPED);
	if (file)
		fclose(file);
	return found;
}

// Adds the stopped switches of a fabric. The last line about a switch counts.
static void read_records(struct stopped_list *list, const char *folder, const char *fabric)
{
	struct stopped_switch s = {.layer = 0};
	char line[LINE_MAX_LENGTH], path[PATH_MAX];

	snprintf(s.fabric, sizeof(s.fabric), "%s", fabric);
	if ((size_t)snprintf(path, sizeof(path), "%s/" DRB_PROCESSES_FILE, folder) >=
		    sizeof(path) ||
	    !tells_of_stopped(path) || !read_tree(folder, &s.tree))
		return;
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		char name[DRB_NAME_MAX] = "", what[DRB_NAME_MAX] = "";
		if (sscanf(line, "%47s %47s", name, what) != 2 ||
		    drb_node_parse(name, &s.layer, &s.label) < 0 ||
		    !is_switch(&s.tree, s.layer, s.label))
			continue;
		stopped_forget(list, &s);
		if (strcmp(what, DRB_PROCESS_STOPPED) == 0)
			stopped_add(list, s);
	}
	if (file)
		fclose(file);
}

// Removes switches that run nevertheless.
static void forget_running(struct stopped_list *list, const char *fabric)
{
	struct drb_switch_socket *at;
	size_t count;

	if (drb_telemetry_scan(NULL, fabric, &at, &count) < 0)
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++) {
		struct stopped_switch s = {.layer = at[i].layer, .label = at[i].label};
		memcpy(s.fabric, at[i].fabric, sizeof(s.fabric));
		stopped_forget(list, &s);
	}
	free(at);
}

struct stopped_list stopped_find(const char *fabric)
{
	struct stopped_list list = {0};
	char pattern[PATH_MAX];
	glob_t folders;

	// Names of fabrics have no characters that are special to glob().
	snprintf(pattern, sizeof(pattern), DRB_RUN_DIR "/%s", fabric ? fabric : "*");
	if (glob(pattern, 0, NULL, &folders) != 0)
		return list;
	for (size_t i = 0; i < folders.gl_pathc; i++) {
		const char *name = strrchr(folders.gl_pathv[i], '/') + 1;
		if (drb_fabric_name_ok(name))
			read_records(&list, folders.gl_pathv[i], name);
	}
	globfree(&folders);
	if (list.count)
		forget_running(&list, fabric);
	return list;
}
