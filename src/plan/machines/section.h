// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads mappings of the file of machines by tables of their keys.

#include <stddef.h>

#include <yaml.h>

#include "common/config/keys.h"

#define SECTION_KEYS_MAX 8

// Parts of the rows of such a table.
#define SECTION_OF(owner, member)                                                                  \
	.at = offsetof(owner, member), .size = sizeof(((owner *)0)->member)
#define SECTION_NUMBER(from, to) .type = DRB_VALUE_NUMBER, .min = (from), .max = (to), .unit = ""
#define SECTION_TEXT(longest, what) .type = DRB_VALUE_TEXT, .max = (longest), .range = (what)
#define SECTION_FORM(function, what) .type = DRB_VALUE_FORM, .parse = (function), .range = (what)

// A mapping to read.
struct section {
	const char *path;
	char at[32]; // prefix of keys in messages: "machines[2]." or ""
	const struct drb_config_key *keys;
	size_t count;              // at most SECTION_KEYS_MAX
	const char *const *nested; // keys that are read elsewhere, up to NULL
	yaml_node_t *node;
	void *to; // the struct that the table is for
};

// Sets the defaults, then the values of the mapping. Returns 0, or -EINVAL after a message that
// names file, line and key.
int section_read(const struct section *s);
// A list at the document's top level and the number of its entries; NULL: missing, or not a list.
yaml_node_t *section_list(const char *name, size_t *count);
// Reads an entry of such a list, which must be a mapping. Sets s->node and s->at ("machines[2].").
// The example is for a message. Returns as section_read().
int section_entry(struct section *s, const char *name, uint32_t index, const char *example);
