// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"

// Returns the setting of this key, or adds one. NULL if there is no space for another.
static struct drb_setting *setting_of(struct drb_settings *s, const struct drb_config_key *key)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->at[i].key == key)
			return &s->at[i];
	}
	return s->count < DRB_SETTINGS_MAX ? &s->at[s->count++] : NULL;
}

static int setting_add(struct drb_settings *s, const char *word, size_t length)
{
	char name[DRB_SETTING_VALUE_MAX], *value;

	if (length >= sizeof(name)) {
		drb_error("set: \"%.32s...\" is too long", word);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	value = strchr(name, '=');
	if (!value || !value[1]) {
		drb_error("set: \"%s\": want KEY=VALUE, such as threshold=3", name);
		return -EINVAL;
	}
	*value++ = '\0';
	const struct drb_config_key *key = drb_config_key(1u << DRB_SECTION_ROUTING, name);
	if (!key) {
		drb_error("set: %s is no key of routing, such as scheme or threshold", name);
		return -EINVAL;
	}
	if (key->reload != DRB_RELOAD_AT_ONCE) {
		drb_error("set: routing.%s cannot change while the switch runs: write it into the "
			  "config and restart",
			  name);
		return -EINVAL;
	}
	struct drb_setting *at = setting_of(s, key);
	if (!at) {
		drb_error("set: more than %d keys", DRB_SETTINGS_MAX);
		return -EINVAL;
	}
	at->key = key;
	snprintf(at->value, sizeof(at->value), "%s", value);
	return 0;
}

int drb_settings_add(struct drb_settings *s, const char *text)
{
	int rc = 0, words = 0;

	for (; rc == 0 && *(text += strspn(text, " ")); words++) {
		size_t length = strcspn(text, " ");
		rc = setting_add(s, text, length);
		text += length;
	}
	if (rc == 0 && words == 0) {
		drb_error("set: what? want KEY=VALUE, such as threshold=3");
		rc = -EINVAL;
	}
	return rc;
}

int drb_settings_apply(const struct drb_settings *s, struct drb_setup *setup)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct drb_setting *at = &s->at[i];
		char why[DRB_CONFIG_WHY];
		if (drb_config_parse(at->key, at->value, setup, why) < 0) {
			drb_error("set: routing.%s: %s", at->key->name, why);
			return -EINVAL;
		}
	}
	return 0;
}

int drb_settings_check(const struct drb_settings *named, const struct drb_setup *setup)
{
	for (uint32_t i = 0; i < named->count; i++) {
		const char *key = named->at[i].key->name;
		const double own = strcmp(key, "threshold") == 0 ? setup->scheme.threshold
				   : strcmp(key, "choices") == 0 ? setup->scheme.choices
								 : NAN;
		if (isnan(own))
			continue;
		drb_error("set: routing.%s: scheme %s has its own: set a scheme with another one, "
			  "or without",
			  key, setup->scheme.text);
		return -EINVAL;
	}
	return 0;
}

static bool is_named(const struct drb_settings *s, const struct drb_config_key *key)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->at[i].key == key)
			return true;
	}
	return false;
}

void drb_settings_describe(const struct drb_settings *named, const struct drb_setup *before,
			   const struct drb_setup *after, char *text, size_t size)
{
	char old[DRB_CONFIG_VALUE], new[DRB_CONFIG_VALUE];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < DRB_CONFIG_KEYS && used < size; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if (key->section != DRB_SECTION_ROUTING)
			continue;
		drb_config_value(key, before, old);
		drb_config_value(key, after, new);
		bool same = strcmp(old, new) == 0;
		const char *comma = used ? ", " : "";
		if (!same)
			used += (size_t)snprintf(text + used, size - used, "%s%s %s -> %s", comma,
						 key->name, old, new);
		else if (is_named(named, key))
			used += (size_t)snprintf(text + used, size - used, "%s%s %s as before",
						 comma, key->name, new);
	}
}
