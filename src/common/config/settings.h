// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Values of `routing` keys that override those of the file, from `drbctl set` until the file is
// read again. Only keys that can change while a switch runs are allowed.

#include "common/config/config.h"
#include "common/config/keys.h"

#define DRB_SETTINGS_MAX 16
#define DRB_SETTING_VALUE_MAX DRB_SCHEME_TEXT_MAX

struct drb_setting {
	const struct drb_config_key *key;
	char value[DRB_SETTING_VALUE_MAX];
};

struct drb_settings {
	struct drb_setting at[DRB_SETTINGS_MAX];
	uint32_t count;
};

// Adds settings such as "threshold=3 scheme=walk"; settings of other keys stay. Returns 0, or
// -EINVAL with a message printed; *s must then not be used.
int drb_settings_add(struct drb_settings *s, const char *text);
// Writes the values into setup. Returns 0, or -EINVAL with a message printed.
int drb_settings_apply(const struct drb_settings *s, struct drb_setup *setup);
// Returns 0, or -EINVAL with a message printed if a named key would have no effect, because the
// scheme in use has its own value for threshold or choices.
int drb_settings_check(const struct drb_settings *named, const struct drb_setup *setup);

// Describes the keys of routing that an order changed, and the keys that it named but did not
// change: "scheme drb -> walk, threshold 3 as before".
void drb_settings_describe(const struct drb_settings *named, const struct drb_setup *before,
			   const struct drb_setup *after, char *text, size_t size);
