// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The HTTP server of drbctl serve: read-only, and bounded in connections, memory and time. It
// serves only requests whose Host is one of its names.

#include <stdbool.h>
#include <stdint.h>

#include "ctl/serve/history.h"
#include "ctl/serve/poller.h"

struct http_server;

#define HTTP_HOST_MAX 80 // longest name

struct http_address {
	char host[HTTP_HOST_MAX]; // "127.0.0.1", "::1"
	uint16_t port;
};

// The sources of all that is served.
struct http_source {
	struct poller *poller;
	struct history *history;
};

// Returns a socket that listens at this address, or -1 with a message printed.
int http_listen(const struct http_address *listen);
// Serves /metrics, /api/state, /api/history, /events, / and its files at this socket until
// http_stop(), which closes the socket. host_name: a further name for Host, or NULL. Returns NULL
// with a message printed if the server cannot start.
struct http_server *http_start(const struct http_address *listen, int listener,
			       const char *host_name, const struct http_source *source);
// True if `listen` stands for every address of this machine. Host may then be any address.
bool http_is_any(const struct http_address *listen);
// Call after each snapshot: resumes event streams.
void http_wake(void *server);
void http_stop(struct http_server *server);
