// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Values of `routing` keys that override the file's, from `drbctl set` until the file is read again: only
// keys that can change while a switch runs.

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

// Adds "threshold=3 scheme=walk"; what was set before stays unless it is named. 0, or -EINVAL with a
// message printed; then *s is not to be used.
int drb_settings_add(struct drb_settings *s, const char *text);
// Puts the values into setup. 0, or -EINVAL with a message printed.
int drb_settings_apply(const struct drb_settings *s, struct drb_setup *setup);
// None of those named is what the scheme in force has a value of its own for, beside which it would do nothing. 0, or
// -EINVAL with a message printed.
int drb_settings_check(const struct drb_settings *named, const struct drb_setup *setup);

// What of routing is another value after an order that named some settings: "scheme drb -> walk,
// threshold 3 as before".
void drb_settings_describe(const struct drb_settings *named, const struct drb_setup *before,
			   const struct drb_setup *after, char *text, size_t size);
