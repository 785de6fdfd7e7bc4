// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Does in every other thread of this process, whoever started it, what a thread can only do to itself: drop
// capabilities, give up files.

// Each other thread calls `act` once, in a signal handler: it must be async-signal-safe, and returns 0 or
// -errno. Threads begin with what their creator has: those that begin meanwhile are found as well. 0 or
// the first -errno; -ETIMEDOUT: one did not within a second. One call at a time.
int drb_in_other_threads(int (*act)(void));
