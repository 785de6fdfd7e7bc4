// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of all keys of a switch config (keys.def), and functions that need only one row of it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/schemes/schemes.h"

enum drb_config_section {
	DRB_SECTION_FABRIC,
	DRB_SECTION_SWITCH,
	DRB_SECTION_ROUTING,
	DRB_SECTION_LINK,  // keys of all ports, or of one port in an entry of `ports`
	DRB_SECTION_PORTS, // keys of an entry of `ports`
	DRB_SECTION_PROCESS,
	DRB_SECTION_COUNT
};

// The reaction of a running switch to a new value in its file. 0 is no policy: a row without a
// policy does not compile.
enum drb_config_reload {
	DRB_RELOAD_AT_ONCE = 1, // the new value takes effect
	DRB_RELOAD_RESTART,     // the old value stays, and a message names the key
	DRB_RELOAD_REFUSED,     // the file belongs to another switch: nothing changes
	DRB_RELOAD_WITH_UNIT,   // at once if `routing.unit` changes or is packet, else like RESTART
	DRB_RELOAD_WITHIN_BUFFERS // at once while packet buffers suffice, otherwise like RESTART
};

enum drb_value_type {
	DRB_VALUE_NUMBER, // uint32_t or uint64_t, by the member's size
	DRB_VALUE_TRUTH,  // bool
	DRB_VALUE_WORD,   // an enum, counted from 0 in the order of its words
	DRB_VALUE_SCHEME, // struct drb_scheme_variant: common/schemes/load.h
	DRB_VALUE_TIME,   // uint64_t, ns
	DRB_VALUE_TEXT,   // array of char
	DRB_VALUE_FORM    // any member that `parse` fills
};

struct drb_setup;

struct drb_config_key {
	enum drb_config_section section;
	const char *name;
	size_t at, size; // the member of struct drb_setup or (LINK, PORTS) struct drb_port_setup
	enum drb_value_type type;
	uint64_t min, max;   // NUMBER, TIME (ns); TEXT: max is the number of characters
	const char *unit;    // NUMBER: unit of the number, or ""
	const char *example; // TIME
	// TEXT, FORM: the allowed values. NUMBER: its range if it depends on the tree.
	const char *range;
	const char *(*word)(uint32_t);       // WORD: the words by number; NULL beyond the last
	bool (*parse)(const char *, void *); // FORM: fills the struct; false if the text is invalid
	const char *initial;                 // default, as in a file; NULL if there is none
	const char *derived; // source of the value without a default, for the documentation
	bool required;
	enum drb_config_reload reload;
	uint32_t drivers;   // bits 1 << enum drb_driver: drivers whose ports use the key
	const char *option; // argument of the option of `drbtopo plan`; NULL: no option
	const char *meaning;
};

// The number of rows.
enum {
	DRB_CONFIG_KEYS = 0
#define KEY(section, key, member, type, initial, reload, option, meaning) +1
#include "common/config/keys.def"
#undef KEY
};

extern const struct drb_config_key drb_config_keys[DRB_CONFIG_KEYS];

// "fabric", "switch", ...
const char *drb_config_section_name(enum drb_config_section section);
// The key of this name in one of the sections (bits 1 << section). NULL if there is none.
const struct drb_config_key *drb_config_key(uint32_t sections, const char *name);
// The index of a key in drb_config_keys.
size_t drb_config_index(const struct drb_config_key *key);

// Size of the texts that the two functions below write; longer texts of users are cut off.
#define DRB_CONFIG_WHY 512
// Size of the text that drb_config_value() writes.
#define DRB_CONFIG_VALUE DRB_SCHEME_TEXT_MAX
// Parses text into the key's member of *to, a struct drb_setup or drb_port_setup. Returns 0, or
// -EINVAL and why: "0 is not in 1..65536 packets".
int drb_config_parse(const struct drb_config_key *key, const char *text, void *to,
		     char why[DRB_CONFIG_WHY]);
// Writes the value of a key that `drbctl set` may change, as text that drb_config_parse() accepts.
void drb_config_value(const struct drb_config_key *key, const struct drb_setup *setup,
		      char text[DRB_CONFIG_VALUE]);
// Writes the allowed values of a key: "1..65536 packets", "true, false", "a network such as
// 10.0.0.0/8".
void drb_config_range(const struct drb_config_key *key, char range[DRB_CONFIG_WHY]);
// Writes the defaults of a section into *to.
void drb_config_defaults(enum drb_config_section section, void *to);
