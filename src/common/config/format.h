// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes configs as text.

#include <stddef.h>

#include "common/config/keys.h"

// The text of every key, by drb_config_index(); NULL where the file is to say nothing. Texts are
// the caller's. Keys of `ports` cannot be written.
struct drb_config_values {
	const char *text[DRB_CONFIG_KEYS];
};

// The text of the key at a path such as "link.rate", which there must be.
void drb_config_set(struct drb_config_values *values, const char *path, const char *text);
const char *drb_config_get(const struct drb_config_values *values, const char *path);

// The config of these values as YAML, to be freed. 0, or -ENOMEM with a message printed.
int drb_config_format(const struct drb_config_values *values, char **text, size_t *length);
