// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Schemes as users write them: "NAME[:KEY=VALUE]..." for built-in ones, or "PATH/x.so[:KEY=VALUE]..." for a
// shared object that ends with DRB_SCHEME() (include/drb/scheme.h). KEY is a parameter of the scheme, or
// threshold or choices if it has a threshold. A shared object is tried in a child process before it is used
// (trial.h).

#include "core/schemes/schemes.h"

#define DRB_SCHEME_WHY 512

// -EINVAL; why says so.
int drb_scheme_refuse(char why[DRB_SCHEME_WHY], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
// What a shared object ends with; NULL, and what is wrong, if it is no whole scheme. It runs what the object begins with.
const struct drb_scheme_ops *drb_scheme_open(const char *path, char why[DRB_SCHEME_WHY]);
// 0; -EINVAL with what is wrong and how to mend it. One thread at a time.
int drb_scheme_read(const char *text, struct drb_scheme_variant *variant, char why[DRB_SCHEME_WHY]);
// The same, but nothing is tried out.
int drb_scheme_read_untried(const char *text, struct drb_scheme_variant *variant,
			    char why[DRB_SCHEME_WHY]);
// As drb_scheme_read(), with a number of its own (schemes.h). The same text gives the same scheme.
int drb_scheme_of_text(const char *text, enum drb_scheme *scheme, char why[DRB_SCHEME_WHY]);

// "TEXT,TEXT...", each of them once, with paths as seen from the working directory.
struct drb_scheme_list {
	enum drb_scheme scheme[DRB_SCHEMES_MAX];
	uint32_t count;
};
int drb_schemes_of_text(const char *text, struct drb_scheme_list *list, char why[DRB_SCHEME_WHY]);
// The same text with the whole path of a shared object, as seen from the working directory. 0 or -ENAMETOOLONG.
int drb_scheme_whole(const char *text, char whole[DRB_SCHEME_TEXT_MAX]);

// From now on no other shared object is loaded: this process is about to lose the right to, or has workers.
void drb_scheme_objects_end(void);
// True if the shared object of the scheme is another file by now than the one that was loaded, as far as this process
// may know.
bool drb_scheme_object_changed(const struct drb_scheme_variant *variant);
