// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Programs that run until they are interrupted, and then end in order.

#include <stdbool.h>

// From now on SIGINT and SIGTERM only set what drb_interrupted() tells. flags are sigaction()'s:
// SA_RESTART where no system call may fail for it, SA_RESETHAND where a second signal is to end the program
// at once.
void drb_interrupt_catch(int flags);
bool drb_interrupted(void);
