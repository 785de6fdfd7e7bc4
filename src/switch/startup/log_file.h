// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The log of a switch whose standard error is a file. If a program such as logrotate renames the
// file, the switch begins a new one of the old name at its next reload. A confined switch has no
// right to make a file, so the broker opens it.

// Called before the broker starts. Takes note of the file's name.
void drb_log_file_begin(void);
// The name. NULL: standard error is not a file.
const char *drb_log_file_name(void);
// Opens the file of this name, and makes it if there is none. Returns a descriptor or -errno.
int drb_log_file_open(void);
// Directs later messages to this file, unless it is the log already. Closes the descriptor.
void drb_log_file_take(int fd);
