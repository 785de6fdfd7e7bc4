// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Taking links out of use while nothing is lost: both ends send no new traffic over them and find
// other ways, what is under way still passes. Nothing is drained that somebody has no other way
// without, as far as this switch knows; what becomes the last way later is used again until there
// is another (liveness.c).

#include "switch/datapath/workers.h"

// port: the name of one, or NULL: all of this switch, which must be above layer 1. Refused as a
// whole if it cannot be done. text becomes one line: what was done, or why not. 0 or -EINVAL. For
// one caller at a time.
int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size);
int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size);
