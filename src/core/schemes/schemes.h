// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of schemes. To add one, add its file and its line in meson.build. Names, help texts, colours, the
// loops of the switch and of the simulator, the checks of the configuration and the lists of tests derive
// from it.

#include "core/schemes/list.h"

#include "drb/scheme.h"

enum drb_scheme {
#define X(id, name) DRB_SCHEME_##id,
	DRB_SCHEMES(X)
#undef X
		DRB_SCHEME_COUNT
};

// Most schemes and variants of schemes of a process.
#define DRB_SCHEMES_MAX 64
// Octets of a scheme as a user writes it, with its parameters.
#define DRB_SCHEME_TEXT_MAX 256

// A scheme that a user has asked for with parameters, or one from outside. It has a number of its own, from
// DRB_SCHEME_COUNT on.
struct drb_scheme_variant {
	char text[DRB_SCHEME_TEXT_MAX]; // as it was asked for
	char name[DRB_SCHEME_TEXT_MAX]; // in tables: "drb:choices=4"
	const struct drb_scheme_ops *ops;
	enum drb_scheme like; // of the table, whose loops decide; DRB_SCHEME_COUNT: from outside
	double threshold, choices; // NaN: as all schemes have
	double param[DRB_SCHEME_PARAMS_MAX];
};

// Before any other thread asks for schemes. 0 or -ENOSPC.
int drb_scheme_add(const struct drb_scheme_variant *variant, enum drb_scheme *scheme);
// NULL for those of the table.
const struct drb_scheme_variant *drb_scheme_variant(enum drb_scheme scheme);
// True if it was added as this text.
bool drb_scheme_asked_for(const char *text, enum drb_scheme *scheme);
// The scheme of the table whose loops decide; DRB_SCHEME_COUNT: one from outside.
enum drb_scheme drb_scheme_like(enum drb_scheme scheme);
// The choice of a switch with this scheme, but for what is the switch's own.
struct drb_choice drb_scheme_choice(enum drb_scheme scheme);

// What the scheme does.
const struct drb_scheme_ops *drb_scheme_ops(enum drb_scheme scheme);
// "drb", "dmodk", ... ; NULL beyond the last.
const char *drb_scheme_name(enum drb_scheme scheme);
// The same as a user writes it: "./x.so:k=3".
const char *drb_scheme_text(enum drb_scheme scheme);
// 0 and *scheme, or -EINVAL.
int drb_scheme_parse(const char *name, enum drb_scheme *scheme);
// A line for each: its name and what it does. For help texts.
const char *drb_schemes_help(void);

static inline bool drb_scheme_has(enum drb_scheme scheme, enum drb_scheme_need need)
{
	return drb_scheme_ops(scheme)->needs & need;
}

// True if the scheme redirects by the threshold T.
static inline bool drb_scheme_has_threshold(enum drb_scheme scheme)
{
	return drb_scheme_has(scheme, DRB_HAS_THRESHOLD);
}

// True if the scheme decides on packets, not on flows: one that keeps something does.
static inline bool drb_scheme_ops_packets_only(const struct drb_scheme_ops *ops)
{
	return ops->needs & DRB_PACKETS_ONLY || ops->state_size;
}

static inline bool drb_scheme_packets_only(enum drb_scheme scheme)
{
	return drb_scheme_ops_packets_only(drb_scheme_ops(scheme));
}
