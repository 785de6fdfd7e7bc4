// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The stats socket: a Unix socket of whole messages (SOCK_SEQPACKET) with the protocol of DPDK's telemetry,
// so that its clients work with a switch, too. A client is greeted with a JSON object. Each request, "/path"
// or "/path,parameter", gets one JSON object with the path as its only key. The socket runs in the loop of
// its owner: it serves one request of each client in turn and waits for none of them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct event_base;
struct drb_stats_socket;

// Most clients at once. Beyond, whoever has been silent for longest makes room for the next.
#define DRB_STATS_CLIENTS_MAX 1024
// Who does not take replies is let go after so long.
#define DRB_STATS_TAKE_WITHIN_S 5
// Bytes of the longest reply; what may wait for a client that does not read is about as much.
#define DRB_STATS_REPLY_MAX (128 << 10)

struct drb_stats_command {
	const char *path; // "/drb/info"
	const char *help;
	// The value of the reply, which becomes the caller's; NULL: it cannot be told, and the reply is null.
	// parameter: what follows the comma; NULL: nothing does.
	json_t *(*reply)(const char *parameter, void *context);
	// Whether it can be made by now; until it can, this is asked again every few milliseconds, and other clients are
	// served. *number is this request's, 0 at first. NULL: always.
	bool (*ready)(uint64_t *number, void *context);
};

// Replaces what a killed process has left at this path. Commands and context must outlive the socket. NULL: it cannot
// be made, with a message printed.
struct drb_stats_socket *drb_stats_socket_open(struct event_base *base, const char *path,
					       const struct drb_stats_command *commands,
					       size_t count, void *context);
void drb_stats_socket_close(struct drb_stats_socket *s);
