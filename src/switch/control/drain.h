// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Orders about ports: drain and undrain, down and up (links/drain_rules.h).

#include "switch/datapath/workers.h"

// port: the name of one, or NULL: every port of the switch. text becomes one line: what is drained or down
// now, or why nothing was changed. 0, -EINVAL or -ETIMEDOUT. One caller at a time.
int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size);
int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size);
int drb_down(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	     char *text, size_t size);
int drb_up(struct drb_workers *workers, const struct drb_setup *setup, const char *port, char *text,
	   size_t size);
