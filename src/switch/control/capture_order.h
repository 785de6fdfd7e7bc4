// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Captures for an external reader (common/capture), one at a time. A command on the stats socket
// starts a capture. The reader then connects to a socket in the same folder within seconds. The
// capture ends when either end closes that connection.

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#include <event2/event.h>

struct drb_capture_rings;
struct drb_switch;

// The current capture.
struct drb_capture_order {
	struct sockaddr_un address;      // of the socket that the reader connects to
	int fd;                          // listens there, later the connection; -1: no capture
	struct event *event;             // watches fd; NULL: fd is not watched
	struct drb_capture_rings *rings; // NULL: no worker captures
};

// Listens for the reader from now on. text becomes one line: the state, or the error. Returns 0 or
// -errno.
int drb_capture_begin(struct drb_switch *s, char *text, size_t size);

// True while workers write packets for a reader.
bool drb_capture_runs(const struct drb_switch *s);

int drb_capture_open(struct drb_switch *s);
// Called after the workers have ended.
void drb_capture_close(struct drb_switch *s);
