// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages to the user and exit codes, the same in every program. Results go to standard output, all else to
// standard error, one line each: "program: text". In a daemon, a thread writes them (log_writer.h).

#include <stdarg.h>
#include <stdio.h>

enum drb_exit {
	DRB_EXIT_OK = 0,     // done
	DRB_EXIT_FAILED = 1, // what was measured or checked failed
	DRB_EXIT_USAGE = 2,  // bad usage or input
};

// From what must be said to what may be.
enum drb_log_level {
	DRB_LOG_ERROR,
	DRB_LOG_WARNING,
	DRB_LOG_INFO,
	DRB_LOG_DEBUG,
	DRB_LOG_LEVELS,
};

#define DRB_LOG_LEVEL_NAMES "error, warning, info or debug"

void drb_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void drb_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void drb_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// Prints the message and exits with DRB_EXIT_USAGE. For command lines and input files only, before
// anything was started. Of several threads, the first one does so, and the others wait for the end.
void drb_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

// The last message of this thread, for callers that pass it on.
const char *drb_msg_last(void);

// The level of this name; -EINVAL if there is none.
int drb_log_level_of(const char *name, enum drb_log_level *level);
// Messages beyond this level are not said; the first is DRB_LOG_INFO. Before threads are started.
void drb_log_limit(enum drb_log_level level);

// What becomes of a message. fmt tells messages of one kind from others; text is one line.
typedef void (*drb_log_sink)(enum drb_log_level level, const char *fmt, const char *text);
// NULL: standard error, at once. Before other threads are started.
void drb_log_set_sink(drb_log_sink sink);
// A message of a library, which becomes one line. kind: as fmt above, a constant.
void drb_log_text(enum drb_log_level level, const char *kind, const char *text, size_t length);

// Flushes standard output; DRB_EXIT_FAILED with a message if results could not be written (disk
// full, closed pipe), else code. Every main() ends with it.
int drb_finish(int code);
