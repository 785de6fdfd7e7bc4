// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Captures for an external reader (common/capture), one at a time. A command on the stats socket starts a
// capture. The reader then connects to a socket in the same folder within seconds. The capture ends when
// either end closes that connection.

#include <stddef.h>
#include <sys/un.h>

#include <event2/event.h>

struct drb_capture_rings;
struct drb_switch;

// The capture that goes on.
struct drb_capture_order {
	struct sockaddr_un address; // where its reader is waited for
	int fd;                     // listens there, then the connection; -1: neither
	struct event *event;        // of fd, or of the next try to end; NULL: there is no capture
	struct drb_capture_rings *rings; // NULL: no worker captures
};

// Waits for the reader from now on. text becomes one line: what is done, or why not. 0 or a negative errno.
int drb_capture_begin(struct drb_switch *s, char *text, size_t size);

int drb_capture_open(struct drb_switch *s);
// After the workers have ended.
void drb_capture_close(struct drb_switch *s);
