// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs a function in every other thread of this process, including those that libraries started.
// Some actions work only on the calling thread: dropping capabilities, restricting access to files.

// Has each other thread call `act` once, in a signal handler. `act` must be async-signal-safe, and
// returns 0 or -errno. A new thread starts with the rights of its creator, so threads that start
// meanwhile are found as well. Returns 0 or the first -errno; -ETIMEDOUT if a thread does not call
// it within a second. Only one call at a time.
int drb_in_other_threads(int (*act)(void));
