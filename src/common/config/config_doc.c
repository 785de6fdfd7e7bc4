// SPDX-License-Identifier: BSD-3-Clause
// The config file as a YAML document: the lines of its keys for messages, and what libcyaml does
// not check.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cyaml/cyaml.h>
#include <yaml.h>

#include "common/config/config_file.h"
#include "common/cli/log.h"

// The node of key name in a mapping, or entry number index of a sequence.
static yaml_node_t *child(yaml_document_t *doc, yaml_node_t *node, const char *name, size_t len,
			  yaml_mark_t *mark)
{
	if (node->type == YAML_SEQUENCE_NODE && name[0] == '[') {
		yaml_node_item_t *item = node->data.sequence.items.start + atoi(name + 1);
		if (item >= node->data.sequence.items.top)
			return NULL;
		yaml_node_t *found = yaml_document_get_node(doc, *item);
		*mark = found->start_mark;
		return found;
	}
	if (node->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
	     p++) {
		yaml_node_t *key = yaml_document_get_node(doc, p->key);
		if (key && key->type == YAML_SCALAR_NODE && key->data.scalar.length == len &&
		    memcmp(key->data.scalar.value, name, len) == 0) {
			*mark = key->start_mark;
			return yaml_document_get_node(doc, p->value);
		}
	}
	return NULL;
}

// Reads path as a YAML document; false if it is none.
static bool load_document(yaml_document_t *doc)
{
	struct drb_config_text text = drb_config_text();
	yaml_parser_t parser;
	bool loaded = false;

	if (text.length > 0 && yaml_parser_initialize(&parser)) {
		yaml_parser_set_input_string(&parser, (const uint8_t *)text.at, text.length);
		loaded = yaml_parser_load(&parser, doc);
		yaml_parser_delete(&parser);
	}
	return loaded;
}

int drb_config_line(const char *key)
{
	yaml_document_t doc;
	yaml_mark_t mark = {0};

	if (!load_document(&doc))
		return 0;
	yaml_node_t *node = yaml_document_get_root_node(&doc);
	while (node && *key) {
		size_t len = *key == '[' ? strcspn(key, "]") + 1 : strcspn(key, ".[");
		node = child(&doc, node, key, len, &mark);
		key += len;
		key += *key == '.';
	}
	yaml_document_delete(&doc);
	return (int)mark.line + 1;
}

int drb_config_bad(const char *path, const char *key, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int line = drb_config_line(key);

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (line)
		drb_error("%s:%d: %s: %s", path, line, key, text);
	else
		drb_error("%s: %s: %s", path, key, text);
	return -EINVAL;
}

static const char *text_of(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static bool is_bool(const char *text)
{
	static const char *const known[] = {"true", "false", "yes", "no", "on", "off"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(text, known[i]) == 0)
			return true;
	}
	return false;
}

static int check_value(const char *path, const cyaml_schema_value_t *schema, yaml_document_t *doc,
		       const yaml_node_t *node, const char *key);

static int check_mapping(const char *path, const cyaml_schema_field_t *fields, yaml_document_t *doc,
			 const yaml_node_t *node, const char *at)
{
	yaml_node_pair_t *first = node->data.mapping.pairs.start;
	char key[256];
	int rc = 0;

	for (yaml_node_pair_t *p = first; rc == 0 && p < node->data.mapping.pairs.top; p++) {
		const char *name = text_of(yaml_document_get_node(doc, p->key));
		snprintf(key, sizeof(key), "%s%s%s", at, *at ? "." : "", name);
		for (yaml_node_pair_t *q = first; q < p; q++) {
			if (strcmp(text_of(yaml_document_get_node(doc, q->key)), name) == 0)
				return drb_config_bad(path, key, "key is there twice");
		}
		for (const cyaml_schema_field_t *f = fields; rc == 0 && f->key; f++) {
			if (strcmp(f->key, name) == 0)
				rc = check_value(path, &f->value, doc,
						 yaml_document_get_node(doc, p->value), key);
		}
	}
	return rc;
}

static int check_value(const char *path, const cyaml_schema_value_t *schema, yaml_document_t *doc,
		       const yaml_node_t *node, const char *key)
{
	uint64_t number;
	char entry[256];
	int rc = 0;

	if (schema->type == CYAML_MAPPING && node->type == YAML_MAPPING_NODE)
		return check_mapping(path, schema->mapping.fields, doc, node, key);
	if (schema->type == CYAML_SEQUENCE && node->type == YAML_SEQUENCE_NODE) {
		yaml_node_item_t *first = node->data.sequence.items.start;
		for (yaml_node_item_t *i = first; rc == 0 && i < node->data.sequence.items.top;
		     i++) {
			snprintf(entry, sizeof(entry), "%s[%td]", key, i - first);
			rc = check_value(path, schema->sequence.entry, doc,
					 yaml_document_get_node(doc, *i), entry);
		}
		return rc;
	}
	if (schema->type == CYAML_UINT && drb_parse_u64(text_of(node), 0, UINT64_MAX, &number) < 0)
		return drb_config_bad(path, key, "\"%s\" is not a whole number", text_of(node));
	if (schema->type == CYAML_BOOL && !is_bool(text_of(node)))
		return drb_config_bad(path, key, "\"%s\" is neither true nor false", text_of(node));
	return 0;
}

int drb_config_check(const char *path, const cyaml_schema_value_t *schema)
{
	yaml_document_t doc;
	int rc;

	if (!load_document(&doc))
		return 0;
	yaml_node_t *root = yaml_document_get_root_node(&doc);
	rc = root ? check_value(path, schema, &doc, root, "") : 0;
	yaml_document_delete(&doc);
	return rc;
}
