// SPDX-License-Identifier: BSD-3-Clause
#include "core/schemes/schemes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/schemes/all.h"

#define HELP_MAX 160 // bytes of a line

// clang-format off
static const struct drb_scheme_ops *const table[DRB_SCHEME_COUNT] = {
#define X(id, name) [DRB_SCHEME_##id] = &drb_scheme_##name,
	DRB_SCHEMES(X)
#undef X
};
// clang-format on

// drb_scheme_add() writes these before other threads read them.
static struct drb_scheme_variant added[DRB_SCHEMES_MAX - DRB_SCHEME_COUNT];
static uint32_t added_count;

int drb_scheme_add(const struct drb_scheme_variant *variant, enum drb_scheme *scheme)
{
	if (added_count == DRB_SCHEMES_MAX - DRB_SCHEME_COUNT)
		return -ENOSPC;
	added[added_count] = *variant;
	*scheme = (enum drb_scheme)(DRB_SCHEME_COUNT + added_count++);
	return 0;
}

const struct drb_scheme_variant *drb_scheme_variant(enum drb_scheme scheme)
{
	uint32_t i = (uint32_t)scheme - DRB_SCHEME_COUNT;

	return i < added_count ? &added[i] : NULL;
}

bool drb_scheme_asked_for(const char *text, enum drb_scheme *scheme)
{
	for (uint32_t i = 0; i < added_count; i++) {
		*scheme = (enum drb_scheme)(DRB_SCHEME_COUNT + i);
		if (strcmp(text, added[i].text) == 0)
			return true;
	}
	return false;
}

enum drb_scheme drb_scheme_like(enum drb_scheme scheme)
{
	const struct drb_scheme_variant *variant = drb_scheme_variant(scheme);

	return variant ? variant->like : scheme;
}

struct drb_choice drb_scheme_choice(enum drb_scheme scheme)
{
	const struct drb_scheme_variant *variant = drb_scheme_variant(scheme);

	return (struct drb_choice){.ops = drb_scheme_ops(scheme),
				   .param = variant ? variant->param : NULL};
}

const struct drb_scheme_ops *drb_scheme_ops(enum drb_scheme scheme)
{
	const struct drb_scheme_variant *variant = drb_scheme_variant(scheme);

	return variant ? variant->ops : table[scheme];
}

const char *drb_scheme_name(enum drb_scheme scheme)
{
	const struct drb_scheme_variant *variant = drb_scheme_variant(scheme);

	if (variant)
		return variant->name;
	return (unsigned)scheme < DRB_SCHEME_COUNT ? table[scheme]->name : NULL;
}

int drb_scheme_parse(const char *name, enum drb_scheme *scheme)
{
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		if (strcmp(name, table[i]->name) == 0) {
			*scheme = (enum drb_scheme)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *drb_schemes_help(void)
{
	static char text[DRB_SCHEME_COUNT * HELP_MAX];
	size_t used = 0;

	for (int i = 0; i < DRB_SCHEME_COUNT; i++)
		used += (size_t)snprintf(text + used, HELP_MAX, "  %s: %s\n", table[i]->name,
					 table[i]->help);
	return text;
}
