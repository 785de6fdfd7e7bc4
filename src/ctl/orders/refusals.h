// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Why switches refuse an order: each reason once, however many switches have it.

#include <stdbool.h>
#include <stddef.h>

struct ctl_refusals {           // all zero: none
	struct ctl_refusal *at; // owned
	size_t count;
};

// Notes that this switch refuses. Ends the program if there is no memory.
void ctl_refusals_add(struct ctl_refusals *refused, const char *name, const char *reason);

// Says every reason in a line that names the first switch and how many more, and forgets them. True
// if a switch refused.
bool ctl_refusals_say(struct ctl_refusals *refused);
