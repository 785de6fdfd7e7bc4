// SPDX-License-Identifier: BSD-3-Clause
#include "plan/machines/section.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/nearest.h"
#include "common/config/complaint.h"
#include "common/config/document.h"

static int bad_pair(const struct section *s, const yaml_node_t *key, const char *text)
{
	const char *name = drb_document_text(key);
	char full[256];

	snprintf(full, sizeof(full), "%s%.200s", s->at, name ? name : "?");
	return drb_config_bad_line(s->path, key->start_mark.line + 1, full, "%s", text);
}

static bool is_nested(const struct section *s, const char *name)
{
	for (const char *const *nested = s->nested; nested && *nested; nested++) {
		if (name && strcmp(*nested, name) == 0)
			return true;
	}
	return false;
}

static int read_pair(const struct section *s, const yaml_node_pair_t *pair, bool seen[])
{
	const yaml_node_t *name = drb_document_node(pair->key);
	yaml_node_t *value = drb_document_node(pair->value);
	const char *text = drb_document_text(name);
	char why[DRB_CONFIG_WHY];
	struct drb_nearest n = {.word = text};
	char hint[DRB_NEAREST_TEXT], unknown[DRB_NEAREST_TEXT + 16];
	size_t i = 0;

	if (is_nested(s, text)) // drb_document_value() finds the first: any other is a repetition
		return drb_document_value(s->node, text) == value
			       ? 0
			       : bad_pair(s, name, "key is there twice");
	for (; i < s->count && (!text || strcmp(s->keys[i].name, text) != 0); i++)
		drb_nearest_try(&n, s->keys[i].name);
	for (const char *const *nested = s->nested; nested && *nested; nested++)
		drb_nearest_try(&n, *nested);
	snprintf(unknown, sizeof(unknown), "unknown key%s", drb_nearest_text(&n, hint));
	if (i == s->count)
		return bad_pair(s, name, unknown);
	if (seen[i])
		return bad_pair(s, name, "key is there twice");
	seen[i] = true;
	text = drb_document_text(value);
	if (!text)
		return bad_pair(s, name, "must be one value, not a list or keys of its own");
	return drb_config_parse(&s->keys[i], text, s->to, why) < 0 ? bad_pair(s, name, why) : 0;
}

int section_read(const struct section *s)
{
	const yaml_node_pair_t *pair = s->node->data.mapping.pairs.start;
	bool seen[SECTION_KEYS_MAX] = {false};
	char full[64], why[DRB_CONFIG_WHY];

	for (size_t i = 0; i < s->count; i++) {
		if (s->keys[i].initial &&
		    drb_config_parse(&s->keys[i], s->keys[i].initial, s->to, why) < 0)
			abort(); // a row has an invalid default
	}
	for (; pair < s->node->data.mapping.pairs.top; pair++) {
		if (read_pair(s, pair, seen) < 0)
			return -EINVAL;
	}
	for (size_t i = 0; i < s->count; i++) {
		snprintf(full, sizeof(full), "%s%s", s->at, s->keys[i].name);
		if (s->keys[i].required && !seen[i])
			return drb_config_bad(s->path, full, "key is missing");
	}
	return 0;
}

yaml_node_t *section_list(const char *name, size_t *count)
{
	yaml_node_t *list = drb_document_value(drb_document_root(), name);

	if (!list || list->type != YAML_SEQUENCE_NODE)
		return NULL;
	*count = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
	return list;
}

int section_entry(struct section *s, const char *name, uint32_t index, const char *example)
{
	size_t count;
	const yaml_node_t *list = section_list(name, &count);

	s->node = drb_document_node(list->data.sequence.items.start[index]);
	snprintf(s->at, sizeof(s->at), "%s[%u]", name, index);
	if (s->node->type != YAML_MAPPING_NODE)
		return drb_config_bad(s->path, s->at, "must have keys, such as %s", example);
	strcat(s->at, ".");
	return section_read(s);
}
