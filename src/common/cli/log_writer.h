// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages of a daemon, which waits for nobody who reads them. Whoever has something to say puts it into
// a ring; a thread writes it to standard error, which may be a terminal, a file on a full disk or a pipe
// that nobody reads. What the ring has no room for, what could not be written, and what one message says
// too often is counted, and the count is said when it can be.
//
// Where standard error is journald's ($JOURNAL_STREAM), a line begins with its priority, "<4>"; elsewhere
// with the time, once drb_log_writer_stamp() was called.

// Of one message (one format), in each window. More than a switch has ports.
#define DRB_LOG_LINES_MAX 100
#define DRB_LOG_WINDOW_S 10

// Call once, while there is no other thread. 0 or -errno; then messages are written as before.
int drb_log_writer_start(void);
// Times from here on: a program that refuses to start says why in the form of any other.
void drb_log_writer_stamp(void);
// Waits until all is written: 5 s at most, 0.2 s while standard error takes nothing. Nothing is said after that. At
// exit by itself.
void drb_log_writer_stop(void);
