// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes configs as text.

#include <stddef.h>

#include "common/config/keys.h"

// The text of every key, indexed by drb_config_index(). NULL: the key is not written. The caller
// owns the texts. Keys of `ports` cannot be written.
struct drb_config_values {
	const char *text[DRB_CONFIG_KEYS];
};

// Sets and returns the text of the key at a path such as "link.rate", which must exist.
void drb_config_set(struct drb_config_values *values, const char *path, const char *text);
const char *drb_config_get(const struct drb_config_values *values, const char *path);

// Writes these values as YAML text, which the caller frees. Returns 0, or -ENOMEM with a message
// printed.
int drb_config_format(const struct drb_config_values *values, char **text, size_t *length);
