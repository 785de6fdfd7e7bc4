// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The number of files that a process may have open.

#include <stdbool.h>
#include <stdint.h>

// Raises the limit to `wanted` if it is lower, as far as the hard limit allows. Returns the limit
// of this process and its children from now on.
uint64_t drb_files_allow(uint64_t wanted);

// The same for callers that need this number. Returns 0, or -EMFILE. If `say`, a message names the
// limit to raise; `what` ("8 hosts") is its subject.
int drb_files_need(uint64_t wanted, const char *what, bool say);
