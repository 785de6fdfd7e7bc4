// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// For programs that run until they are interrupted, and then clean up.

#include <stdbool.h>

// After this call, SIGINT, SIGTERM and SIGHUP (unless ignored) only make drb_interrupted() true.
// flags: those of sigaction(). Use SA_RESTART if signals must not make system calls fail, and
// SA_RESETHAND if a second signal must end the program at once.
void drb_interrupt_catch(int flags);
bool drb_interrupted(void);
