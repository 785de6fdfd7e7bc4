// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages to the user and exit codes, the same in every program. Results go to standard
// output. Messages go to standard error, one line each: "program: text". In a daemon, a thread
// writes them (log_writer.h).

#include <stdarg.h>
#include <stdio.h>

enum drb_exit {
	DRB_EXIT_OK = 0,     // success
	DRB_EXIT_FAILED = 1, // a measurement or check failed
	DRB_EXIT_USAGE = 2,  // bad usage or input
};

// From the most to the least important.
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
// Prints the message and exits with DRB_EXIT_USAGE. Only for command lines and input files, before
// anything is started. If several threads call it, the first one exits and the others wait.
void drb_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

// Sets a function that drb_die() calls in this thread instead of printing its message. The function
// must end the process. NULL: none. A thread that reads many inputs uses it to finish the inputs
// before a bad one.
void drb_die_by(void (*end)(const char *text));

// The last message of this thread, for callers that pass it on.
const char *drb_msg_last(void);

// Finds the level of this name; -EINVAL if there is none.
int drb_log_level_of(const char *name, enum drb_log_level *level);
// Messages beyond this level are not printed; initially DRB_LOG_INFO. Call it before threads are
// started.
void drb_log_limit(enum drb_log_level level);

// Receives a message. fmt identifies the kind of message; text is one line.
typedef void (*drb_log_sink)(enum drb_log_level level, const char *fmt, const char *text);
// Sets the function that receives messages. NULL: they go to standard error at once. Call it before
// other threads are started.
void drb_log_set_sink(drb_log_sink sink);
// Logs a message of a library as one line. kind: a constant, like fmt above.
void drb_log_text(enum drb_log_level level, const char *kind, const char *text, size_t length);

// Flushes standard output. Returns code, or DRB_EXIT_FAILED with a message if results could not be
// written (disk full, closed pipe). Every main() ends with it.
int drb_finish(int code);
