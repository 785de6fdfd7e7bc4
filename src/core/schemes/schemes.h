// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of schemes. To add a scheme, add its file and its line in meson.build. Names, help
// texts, colours, the loops of the switch and of the simulator, the checks of the configuration and
// the lists of tests derive from the table.

#include "core/schemes/list.h"

#include "drb/scheme.h"

enum drb_scheme {
#define X(id, name) DRB_SCHEME_##id,
	DRB_SCHEMES(X)
#undef X
		DRB_SCHEME_COUNT
};

// The most schemes and variants of schemes in a process.
#define DRB_SCHEMES_MAX 64
// Bytes of a scheme as a user writes it, with its parameters.
#define DRB_SCHEME_TEXT_MAX 256

// A scheme that the user gave parameters, or one loaded from outside. It has a number of its own,
// from DRB_SCHEME_COUNT on.
struct drb_scheme_variant {
	char text[DRB_SCHEME_TEXT_MAX]; // text that the user wrote
	char name[DRB_SCHEME_TEXT_MAX]; // name in tables: "drb:choices=4"
	const struct drb_scheme_ops *ops;
	// Scheme of the table whose loops decide; DRB_SCHEME_COUNT: loaded from outside.
	enum drb_scheme like;
	double threshold, choices; // NaN: the values common to all schemes
	double param[DRB_SCHEME_PARAMS_MAX];
};

// Call it before other threads use schemes. Returns 0 or -ENOSPC.
int drb_scheme_add(const struct drb_scheme_variant *variant, enum drb_scheme *scheme);
// The variant of a scheme; NULL for schemes of the table.
const struct drb_scheme_variant *drb_scheme_variant(enum drb_scheme scheme);
// True if a variant was added with this text; *scheme is then its number.
bool drb_scheme_asked_for(const char *text, enum drb_scheme *scheme);
// The scheme of the table whose loops decide; DRB_SCHEME_COUNT for one loaded from outside.
enum drb_scheme drb_scheme_like(enum drb_scheme scheme);
// The choice of a switch with this scheme. The caller fills in the switch's own values.
struct drb_choice drb_scheme_choice(enum drb_scheme scheme);

// The functions and properties of a scheme.
const struct drb_scheme_ops *drb_scheme_ops(enum drb_scheme scheme);
// "drb", "dmodk", ...; NULL beyond the last scheme.
const char *drb_scheme_name(enum drb_scheme scheme);
// Returns 0 and *scheme, or -EINVAL.
int drb_scheme_parse(const char *name, enum drb_scheme *scheme);
// For help texts: a line for each scheme with its name and help.
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

// True if the scheme decides on packets, not on flows. Schemes with state do.
static inline bool drb_scheme_ops_packets_only(const struct drb_scheme_ops *ops)
{
	return ops->needs & DRB_PACKETS_ONLY || ops->state_size;
}

static inline bool drb_scheme_packets_only(enum drb_scheme scheme)
{
	return drb_scheme_ops_packets_only(drb_scheme_ops(scheme));
}
