// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How many files a process may have open.

#include <stdbool.h>
#include <stdint.h>

// Raises the limit to `wanted` where it is below, as far as the hard limit goes. How many this process and its
// children may have open from now on.
uint64_t drb_files_allow(uint64_t wanted);

// The same for those who cannot do with fewer: 0, or -EMFILE, with a message if `say` that begins with `what` takes
// them ("8 hosts") and names the limit to raise.
int drb_files_need(uint64_t wanted, const char *what, bool say);
