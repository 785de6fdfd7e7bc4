// SPDX-License-Identifier: BSD-3-Clause
// The config as a YAML document, and the lines of its keys for messages.
#include "common/config/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "common/config/config.h"

static yaml_document_t document;
static bool loaded;

// Reports why a text is not YAML. Errors in bytes have an offset instead of a line.
static int bad_yaml(const char *path, const yaml_parser_t *parser, struct drb_config_text text)
{
	size_t line = parser->problem_mark.line + 1;

	if (parser->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < text.length && i < parser->problem_offset; i++)
			line += text.at[i] == '\n';
	}
	drb_error("%s:%zu: not YAML: %s", path, line,
		  parser->problem ? parser->problem : "out of memory");
	return -EINVAL;
}

static int check_top(const char *path)
{
	yaml_node_t *root = drb_document_root();

	if (!root) {
		drb_error("%s:1: the file is empty", path);
		return -EINVAL;
	}
	if (root->type == YAML_MAPPING_NODE)
		return 0;
	drb_error("%s:%zu: not a config: keys such as \"fabric:\" are missing", path,
		  root->start_mark.line + 1);
	return -EINVAL;
}

int drb_document_load(const char *path, struct drb_config_text text)
{
	yaml_parser_t parser;
	int rc = 0;

	if (loaded)
		yaml_document_delete(&document);
	loaded = false;
	if (!yaml_parser_initialize(&parser)) {
		drb_error("%s: out of memory", path);
		return -EINVAL;
	}
	yaml_parser_set_input_string(&parser, (const uint8_t *)text.at, text.length);
	loaded = yaml_parser_load(&parser, &document);
	if (!loaded)
		rc = bad_yaml(path, &parser, text);
	yaml_parser_delete(&parser);
	return rc < 0 ? rc : check_top(path);
}

yaml_node_t *drb_document_root(void)
{
	return loaded ? yaml_document_get_root_node(&document) : NULL;
}

yaml_node_t *drb_document_node(int index)
{
	return yaml_document_get_node(&document, index);
}

const char *drb_document_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text
											  : NULL;
}

// Returns the pair of a key in a mapping. The key is the first `length` characters of `name`.
static const yaml_node_pair_t *find_pair(const yaml_node_t *mapping, const char *name,
					 size_t length)
{
	const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;

	for (; p < mapping->data.mapping.pairs.top; p++) {
		const char *key = drb_document_text(drb_document_node(p->key));
		if (key && strlen(key) == length && memcmp(key, name, length) == 0)
			return p;
	}
	return NULL;
}

yaml_node_t *drb_document_value(const yaml_node_t *mapping, const char *name)
{
	const yaml_node_pair_t *pair = find_pair(mapping, name, strlen(name));

	return pair ? drb_document_node(pair->value) : NULL;
}

// Follows one step of a key's path. Returns the node of a key in a mapping, or of entry [N] of a
// sequence. NULL if it does not exist. *mark: its position.
static const yaml_node_t *step(const yaml_node_t *node, const char *name, size_t length,
			       yaml_mark_t *mark)
{
	if (node->type == YAML_SEQUENCE_NODE && name[0] == '[') {
		const yaml_node_item_t *first = node->data.sequence.items.start;
		long entry = strtol(name + 1, NULL, 10);
		if (entry >= node->data.sequence.items.top - first)
			return NULL;
		const yaml_node_t *found = drb_document_node(first[entry]);
		*mark = found->start_mark;
		return found;
	}
	const yaml_node_pair_t *pair =
		node->type == YAML_MAPPING_NODE ? find_pair(node, name, length) : NULL;
	if (!pair)
		return NULL;
	*mark = drb_document_node(pair->key)->start_mark;
	return drb_document_node(pair->value);
}

// Returns the line of a key, counted from 1. If the key does not exist, returns the line of its
// innermost parent. 0 if there is no document.
static size_t line_of(const char *key)
{
	const yaml_node_t *node = drb_document_root();
	yaml_mark_t mark = {0};

	if (!node)
		return 0;
	while (node && *key) {
		size_t length = *key == '[' ? strcspn(key, "]") + 1 : strcspn(key, ".[");
		node = step(node, key, length, &mark);
		key += length;
		key += *key == '.';
	}
	return mark.line + 1;
}

static int __attribute__((format(printf, 4, 0)))
complain(const char *path, size_t line, const char *key, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (line > 0)
		drb_error("%s:%zu: %s: %s", path, line, key, text);
	else
		drb_error("%s: %s: %s", path, key, text);
	return -EINVAL;
}

int drb_config_bad(const char *path, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int rc = complain(path, line_of(key), key, fmt, ap);
	va_end(ap);
	return rc;
}

int drb_config_bad_line(const char *path, size_t line, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int rc = complain(path, line, key, fmt, ap);
	va_end(ap);
	return rc;
}

int drb_config_bad_port(const char *path, const struct drb_port_setup *port, const char *key,
			const char *fmt, ...)
{
	char full[64];
	va_list ap;

	snprintf(full, sizeof(full), "%s%s", port->key, key);
	va_start(ap, fmt);
	int rc = complain(path, line_of(full), full, fmt, ap);
	va_end(ap);
	return rc;
}
