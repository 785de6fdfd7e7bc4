// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reasons for which switches refuse an order. Many switches often have the same reason, and
// each is printed once.

#include <stdbool.h>
#include <stddef.h>

struct ctl_refusals {           // all zero: none
	struct ctl_refusal *at; // owned
	size_t count;
};

// Adds a refusal of this switch; both texts are copied. Ends the program if there is no memory.
void ctl_refusals_add(struct ctl_refusals *refused, const char *name, const char *reason);

// Prints each reason in one line, with the first switch that has it and the number of others. Then
// frees all. True if a switch refused.
bool ctl_refusals_say(struct ctl_refusals *refused);
