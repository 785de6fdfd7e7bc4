// SPDX-License-Identifier: BSD-3-Clause
#include "common/config/keys.h"

#include <string.h>

#include "common/config/config.h"
#include "common/config/forms.h"

// The macros of keys.def.
#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#define US(n) (UINT64_C(1000) * (n))
#define S(n) (UINT64_C(1000000000) * (n))
#define NUMBER(from, to, of) .type = DRB_VALUE_NUMBER, .min = (from), .max = (to), .unit = (of)
#define NUMBER_OF(known_later)                                                                     \
	.type = DRB_VALUE_NUMBER, .min = 0, .max = UINT32_MAX, .unit = "", .range = (known_later)
#define TRUTH .type = DRB_VALUE_TRUTH
#define WORD(words) .type = DRB_VALUE_WORD, .word = (words)
#define SCHEME .type = DRB_VALUE_SCHEME
#define TIME(from, to, such_as)                                                                    \
	.type = DRB_VALUE_TIME, .min = (from), .max = (to), .example = (such_as)
#define TEXT(longest, what) .type = DRB_VALUE_TEXT, .max = (longest), .range = (what)
#define FORM(function, what) .type = DRB_VALUE_FORM, .parse = (function), .range = (what)
#define DEFAULT(text) .initial = (text)
#define DERIVED(from) .derived = (from)
#define REQUIRED .required = true
#define AT_ONCE .reload = DRB_RELOAD_AT_ONCE
#define RESTART .reload = DRB_RELOAD_RESTART, .drivers = UINT32_MAX
#define DRIVERS(driver) (UINT32_C(1) << DRB_DRIVER_##driver)
#define RESTART_OF(mask) .reload = DRB_RELOAD_RESTART, .drivers = (mask)
#define REFUSED .reload = DRB_RELOAD_REFUSED
#define WITH_UNIT .reload = DRB_RELOAD_WITH_UNIT
#define WITHIN_BUFFERS .reload = DRB_RELOAD_WITHIN_BUFFERS
#define OPTION(argument) .option = (argument)
#define NO_OPTION .option = NULL

// The struct whose members the keys of a section fill.
#define OWNER_FABRIC struct drb_setup
#define OWNER_SWITCH struct drb_setup
#define OWNER_ROUTING struct drb_setup
#define OWNER_PROCESS struct drb_setup
#define OWNER_LINK struct drb_port_setup
#define OWNER_PORTS struct drb_port_setup

#define KEY(in, key, member, value, otherwise, policy, argument, what)                             \
	{.section = DRB_SECTION_##in,                                                              \
	 .name = #key,                                                                             \
	 .at = offsetof(OWNER_##in, member),                                                       \
	 .size = sizeof(((OWNER_##in *)0)->member),                                                \
	 value,                                                                                    \
	 otherwise,                                                                                \
	 policy,                                                                                   \
	 argument,                                                                                 \
	 .meaning = (what)},

const struct drb_config_key drb_config_keys[DRB_CONFIG_KEYS] = {
#include "common/config/keys.def"
};

const char *drb_config_section_name(enum drb_config_section section)
{
	static const char *const names[DRB_SECTION_COUNT] = {
		[DRB_SECTION_FABRIC] = "fabric",   [DRB_SECTION_SWITCH] = "switch",
		[DRB_SECTION_ROUTING] = "routing", [DRB_SECTION_LINK] = "link",
		[DRB_SECTION_PORTS] = "ports",     [DRB_SECTION_PROCESS] = "process",
	};

	return names[section];
}

const struct drb_config_key *drb_config_key(uint32_t sections, const char *name)
{
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *key = &drb_config_keys[i];
		if ((sections & 1u << key->section) && strcmp(key->name, name) == 0)
			return key;
	}
	return NULL;
}

size_t drb_config_index(const struct drb_config_key *key)
{
	return (size_t)(key - drb_config_keys);
}
