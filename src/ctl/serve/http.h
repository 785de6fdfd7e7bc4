// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The HTTP server behind drbctl serve: read only, bounded in connections, memory and time. It serves only
// requests whose Host is one of its own names.

#include <stdbool.h>
#include <stdint.h>

#include "ctl/serve/poller.h"

struct http_server;

#define HTTP_HOST_MAX 80 // longest name

struct http_address {
	char host[HTTP_HOST_MAX]; // "127.0.0.1", "::1"
	uint16_t port;
};

// Serves until http_stop(): /metrics, /api/state, /events, / and its files. host_name: a further
// name that requests may ask for, or NULL. NULL with a message printed if it cannot listen.
struct http_server *http_start(const struct http_address *listen, const char *host_name,
			       struct poller *poller);
// Whether it listens at every address of this machine: then requests may ask for any address.
bool http_is_any(const struct http_address *listen);
// A snapshot was taken: event streams go on.
void http_wake(void *server);
void http_stop(struct http_server *server);
