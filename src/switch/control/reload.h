// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reloads the config while the switch runs: on SIGHUP, and by a command of the stats socket. The
// broker opens the file; then the workers change. Requests are served one after the other.

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/config/settings.h"

struct drb_reload_request;
struct drb_switch;

// Receives the result of a request. rc: 0 or -errno. text, one line: the values now in force and
// the changes that need a restart; or the error.
typedef void drb_reload_done(void *context, int rc, const char *text);

STAILQ_HEAD(drb_reload_requests, drb_reload_request);

struct drb_reload {
	uint64_t count;                      // successful drb_reload() since the start
	struct drb_settings in_force;        // set since the last reload
	struct drb_reload_requests requests; // the first one is under way
};

int drb_reload_open(struct drb_switch *s);
// Cancels all requests: done() gets -ECANCELED.
void drb_reload_close(struct drb_switch *s);
// Reads the config and applies it as a whole or, if it is not valid, not at all.
void drb_reload(struct drb_switch *s, drb_reload_done *done, void *context);
// Also reads the config, but with other values for keys of routing ("threshold=3 scheme=walk"), on
// top of those set before. The values hold until drb_reload().
void drb_reload_set(struct drb_switch *s, const char *settings, drb_reload_done *done,
		    void *context);
// Applies the current speeds of links (`rate: link`) to the setup in force. Does nothing if no
// speed has changed, or another request is under way.
void drb_reload_link_rates(struct drb_switch *s);
