// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages of a daemon, which never waits for their reader. Threads put messages into a ring. One
// thread writes them to standard error: a terminal, a file on a full disk, or a pipe that nobody
// reads. Messages that find the ring full, cannot be written, or repeat too often are counted, and
// the count is written as soon as possible.
//
// If standard error belongs to journald ($JOURNAL_STREAM), a line begins with its priority, "<4>".
// Otherwise it begins with the time after a call of drb_log_writer_stamp().

// The most messages of one kind (one format) in each window. A switch has fewer ports.
#define DRB_LOG_LINES_MAX 100
#define DRB_LOG_WINDOW_S 10

// Starts the thread. Call it once, while there is no other thread. Returns 0, or -errno, and then
// messages are still written as without the thread.
int drb_log_writer_start(void);
// From this call on, lines begin with the time. If a program refuses to start, it has not called
// this yet, and its message looks like that of any other program.
void drb_log_writer_stamp(void);
// Waits until all messages are written: 5 s at most, or 0.2 s while standard error takes nothing.
// Later messages are discarded. Called automatically at exit.
void drb_log_writer_stop(void);
