// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mappings of the file of machines, read by tables of their keys.

#include <stddef.h>

#include <yaml.h>

#include "common/config/keys.h"

#define SECTION_KEYS_MAX 8

// Rows of a table.
#define SECTION_OF(owner, member)                                                                  \
	.at = offsetof(owner, member), .size = sizeof(((owner *)0)->member)
#define SECTION_NUMBER(from, to) .type = DRB_VALUE_NUMBER, .min = (from), .max = (to), .unit = ""
#define SECTION_TEXT(longest, what) .type = DRB_VALUE_TEXT, .max = (longest), .range = (what)
#define SECTION_FORM(function, what) .type = DRB_VALUE_FORM, .parse = (function), .range = (what)

struct section {
	const char *path;
	char at[32]; // "machines[2]." or ""
	const struct drb_config_key *keys;
	size_t count;              // at most SECTION_KEYS_MAX
	const char *const *nested; // keys that others read, up to NULL
	yaml_node_t *node;
	void *to;
};

// Defaults, then what the mapping says. -EINVAL with a message printed that names file, line and key.
int section_read(const struct section *s);
// A list of the document's top level, NULL if it is not there or no list.
yaml_node_t *section_list(const char *name, size_t *count);
// Entry of such a list as s->node, a mapping, with s->at set: "machines[2]."; example is what one looks like.
int section_entry(struct section *s, const char *name, uint32_t index, const char *example);
