// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages to the user and exit codes, the same in every program. Results go to standard output,
// everything else to standard error as one line: "program: text".

#include <stdio.h>

enum drb_exit {
	DRB_EXIT_OK = 0,     // done
	DRB_EXIT_FAILED = 1, // what was measured or checked failed
	DRB_EXIT_USAGE = 2,  // bad usage or input
};

void drb_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void drb_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void drb_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// Prints the message and exits with DRB_EXIT_USAGE. For command lines and input files only, before
// anything was started.
_Noreturn void drb_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// The last message of this thread, for callers that pass it on.
const char *drb_msg_last(void);

// Flushes standard output; DRB_EXIT_FAILED with a message if results could not be written (disk
// full, closed pipe), else code. Every main() ends with it.
int drb_finish(int code);
