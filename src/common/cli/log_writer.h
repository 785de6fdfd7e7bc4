// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages of a daemon, which never waits for their reader. Threads put messages into a ring; one thread
// writes them to standard error: a terminal, a file on a full disk, or a pipe that nobody reads. Messages
// that find the ring full, cannot be written, or repeat too often are counted, and the count is written as
// soon as possible.
//
// Where standard error belongs to journald ($JOURNAL_STREAM), a line begins with its priority, "<4>";
// elsewhere with the time, after a call of drb_log_writer_stamp().

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
