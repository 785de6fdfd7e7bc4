// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/nearest.h"
#include "common/config/complaint.h"
#include "common/config/document.h"

// A mapping of the document and the sections whose keys it may have.
struct mapping {
	const char *path; // path of the file
	char at[24];      // "routing.", "ports[2]."
	uint32_t sections;
	yaml_node_t *node;
};

static struct mapping section_mapping(const char *path, enum drb_config_section section)
{
	const char *name = drb_config_section_name(section);
	struct mapping m = {.path = path, .sections = 1u << section};

	snprintf(m.at, sizeof(m.at), "%s.", name);
	m.node = drb_document_value(drb_document_root(), name);
	return m;
}

static struct mapping entry_mapping(const char *path, uint32_t entry)
{
	yaml_node_t *list = drb_document_value(drb_document_root(), "ports");
	struct mapping m = {.path = path,
			    .sections = 1u << DRB_SECTION_PORTS | 1u << DRB_SECTION_LINK};

	snprintf(m.at, sizeof(m.at), "ports[%u].", entry);
	m.node = drb_document_node(list->data.sequence.items.start[entry]);
	return m;
}

// Reports an error in a key, with its line. The message has the key's name in the file, if this is
// a text.
static int bad_key(const struct mapping *m, const yaml_node_t *key, const char *text)
{
	const char *name = drb_document_text(key);
	char full[256];

	snprintf(full, sizeof(full), "%s%.200s", m->at, name ? name : "?");
	return drb_config_bad_line(m->path, key->start_mark.line + 1, full, "%s", text);
}

static int bad_twice(const struct mapping *m, const yaml_node_t *key, size_t first)
{
	char text[64];

	snprintf(text, sizeof(text), "key is there twice (before in line %zu)", first);
	return bad_key(m, key, text);
}

static int unknown(const struct mapping *m, const yaml_node_t *key, struct drb_nearest *n)
{
	char text[DRB_NEAREST_TEXT + 16], hint[DRB_NEAREST_TEXT];

	snprintf(text, sizeof(text), "unknown key%s", drb_nearest_text(n, hint));
	return bad_key(m, key, text);
}

static int unknown_key(const struct mapping *m, const yaml_node_t *key)
{
	struct drb_nearest n = {.word = drb_document_text(key)};

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		if (m->sections & 1u << drb_config_keys[i].section)
			drb_nearest_try(&n, drb_config_keys[i].name);
	}
	return unknown(m, key, &n);
}

static int unknown_section(const struct mapping *top, const yaml_node_t *key)
{
	struct drb_nearest n = {.word = drb_document_text(key)};

	for (int i = 0; i < DRB_SECTION_COUNT; i++)
		drb_nearest_try(&n, drb_config_section_name((enum drb_config_section)i));
	return unknown(top, key, &n);
}

// Checks one key of a mapping. line: the line of each key seen so far, 0 for the others.
static int check_pair(const struct mapping *m, const yaml_node_pair_t *pair, size_t line[])
{
	const yaml_node_t *name = drb_document_node(pair->key);
	const char *text = drb_document_text(name);
	const struct drb_config_key *key = text ? drb_config_key(m->sections, text) : NULL;

	if (!key)
		return unknown_key(m, name);
	size_t *seen = &line[drb_config_index(key)];
	if (*seen)
		return bad_twice(m, name, *seen);
	*seen = name->start_mark.line + 1;
	const yaml_node_t *value = drb_document_node(pair->value);
	if (value->type != YAML_SCALAR_NODE)
		return bad_key(m, name, "must be one value, not a list or keys of its own");
	return drb_document_text(value) ? 0 : bad_key(m, name, "there is a zero byte in it");
}

static int check_mapping(const struct mapping *m)
{
	size_t line[DRB_CONFIG_KEYS] = {0};
	char full[64];

	for (const yaml_node_pair_t *p = m->node->data.mapping.pairs.start;
	     p < m->node->data.mapping.pairs.top; p++) {
		if (check_pair(m, p, line) < 0)
			return -EINVAL;
	}
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (!key->required || !(m->sections & 1u << key->section) || line[i])
			continue;
		snprintf(full, sizeof(full), "%s%s", m->at, key->name);
		return drb_config_bad(m->path, full, "key is missing");
	}
	return 0;
}

static int check_entries(const char *path)
{
	for (uint32_t i = 0; i < drb_config_entries(); i++) {
		struct mapping m = entry_mapping(path, i);
		char key[24];
		if (m.node->type == YAML_MAPPING_NODE) {
			if (check_mapping(&m) < 0)
				return -EINVAL;
			continue;
		}
		snprintf(key, sizeof(key), "ports[%u]", i);
		return drb_config_bad(path, key, "must have keys, such as {name: d0}");
	}
	return 0;
}

static int check_section(const char *path, enum drb_config_section section)
{
	const char *name = drb_config_section_name(section);
	yaml_node_t *node = drb_document_value(drb_document_root(), name);

	if (section == DRB_SECTION_PORTS) {
		if (node->type != YAML_SEQUENCE_NODE)
			return drb_config_bad(path, name,
					      "must be a list of ports, such as [{name: d0}]");
		return check_entries(path);
	}
	if (node->type != YAML_MAPPING_NODE)
		return drb_config_bad(path, name, "must have keys, indented below it");
	struct mapping m = section_mapping(path, section);
	return check_mapping(&m);
}

// The section of this name. DRB_SECTION_COUNT if there is none.
static enum drb_config_section find_section(const char *name)
{
	int i = 0;

	while (i < DRB_SECTION_COUNT &&
	       (!name || strcmp(drb_config_section_name((enum drb_config_section)i), name) != 0))
		i++;
	return (enum drb_config_section)i;
}

int drb_config_check(const char *path)
{
	struct mapping top = {.path = path, .node = drb_document_root()};
	size_t line[DRB_SECTION_COUNT] = {0};

	for (const yaml_node_pair_t *p = top.node->data.mapping.pairs.start;
	     p < top.node->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = drb_document_node(p->key);
		enum drb_config_section section = find_section(drb_document_text(name));
		if (section == DRB_SECTION_COUNT)
			return unknown_section(&top, name);
		if (line[section])
			return bad_twice(&top, name, line[section]);
		line[section] = name->start_mark.line + 1;
		if (check_section(path, section) < 0)
			return -EINVAL;
	}
	if (!line[DRB_SECTION_FABRIC])
		return drb_config_bad(path, "fabric", "key is missing");
	return 0;
}

bool drb_config_has(enum drb_config_section section)
{
	return drb_document_value(drb_document_root(), drb_config_section_name(section)) != NULL;
}

static int read_mapping(const struct mapping *m, void *to)
{
	char why[DRB_CONFIG_WHY];

	for (const yaml_node_pair_t *p = m->node->data.mapping.pairs.start;
	     p < m->node->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = drb_document_node(p->key);
		const struct drb_config_key *key =
			drb_config_key(m->sections, drb_document_text(name));
		const char *value = drb_document_text(drb_document_node(p->value));
		if (drb_config_parse(key, value, to, why) < 0)
			return bad_key(m, name, why);
	}
	return 0;
}

int drb_config_read(const char *path, enum drb_config_section section, void *to)
{
	struct mapping m = section_mapping(path, section);

	drb_config_defaults(section, to);
	return m.node ? read_mapping(&m, to) : 0;
}

uint32_t drb_config_entries(void)
{
	yaml_node_t *list = drb_document_value(drb_document_root(), "ports");

	if (!list)
		return 0;
	return (uint32_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

const char *drb_config_entry_name(uint32_t entry)
{
	struct mapping m = entry_mapping(NULL, entry);

	return drb_document_text(drb_document_value(m.node, "name"));
}

int drb_config_read_entry(const char *path, uint32_t entry, struct drb_port_setup *port)
{
	struct mapping m = entry_mapping(path, entry);

	return read_mapping(&m, port);
}
