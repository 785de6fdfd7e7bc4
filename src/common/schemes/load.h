// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Schemes as users write them: "NAME[:KEY=VALUE]..." for built-in ones, or
// "PATH/x.so[:KEY=VALUE]..." for a shared object that ends with DRB_SCHEME()
// (include/drb/scheme.h). KEY is a parameter of the scheme, or threshold or choices if it has a
// threshold. A shared object is tried in a child process before it is used (trial.h).

#include "core/schemes/schemes.h"

#define DRB_SCHEME_WHY 512

// Writes the reason to why and returns -EINVAL.
int drb_scheme_refuse(char why[DRB_SCHEME_WHY], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
// The scheme of a shared object. NULL with the reason in why if it is not a complete scheme. Runs
// the object's constructors.
const struct drb_scheme_ops *drb_scheme_open(const char *path, char why[DRB_SCHEME_WHY]);
// Returns 0, or -EINVAL with the error and its remedy in why. One thread at a time.
int drb_scheme_read(const char *text, struct drb_scheme_variant *variant, char why[DRB_SCHEME_WHY]);
// The same without a trial.
int drb_scheme_read_untried(const char *text, struct drb_scheme_variant *variant,
			    char why[DRB_SCHEME_WHY]);
// Like drb_scheme_read(), and gives the scheme a number of its own (schemes.h). The same text gives
// the same scheme.
int drb_scheme_of_text(const char *text, enum drb_scheme *scheme, char why[DRB_SCHEME_WHY]);

// "TEXT,TEXT...", each scheme once, with paths relative to the working directory.
struct drb_scheme_list {
	enum drb_scheme scheme[DRB_SCHEMES_MAX];
	uint32_t count;
};
int drb_schemes_of_text(const char *text, struct drb_scheme_list *list, char why[DRB_SCHEME_WHY]);
// Writes the same text with the absolute path of its shared object. A relative path starts at the
// working directory. Returns 0 or -ENAMETOOLONG.
int drb_scheme_whole(const char *text, char whole[DRB_SCHEME_TEXT_MAX]);

// Forbids loading further shared objects, because this process is about to lose the right to do so,
// or has workers.
void drb_scheme_objects_end(void);
// True if the shared object's file has changed since it was loaded, as far as this process can read
// it.
bool drb_scheme_object_changed(const struct drb_scheme_variant *variant);
