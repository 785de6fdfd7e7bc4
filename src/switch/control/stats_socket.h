// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The stats socket: a Unix socket of whole messages (SOCK_SEQPACKET) with the protocol of DPDK's
// telemetry, so that DPDK's clients work with a switch, too. A new client first receives a JSON
// object as a greeting. Each request, "/path" or "/path,parameter", gets one JSON object with the
// path as its only key. The socket runs in the event loop of its owner. It serves one request of
// each client in turn and waits for no client.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct event_base;
struct sockaddr_un;
struct drb_operators;
struct drb_stats_request;
struct drb_stats_socket;

// Most clients at once. Beyond, the client that has been silent for longest is closed for a new
// one.
#define DRB_STATS_CLIENTS_MAX 1024
// A client that does not read its replies is closed after this time.
#define DRB_STATS_TAKE_WITHIN_S 5
// The reply to an order is sent within this time, because clients wait for a second.
#define DRB_STATS_REPLY_WITHIN_MS 900
// The reply to an order that takes longer.
#define DRB_STATS_LATE                                                                             \
	"error: not done within a second, and goes on: is a worker or drb-broker stuck, or the "   \
	"machine busy?"
// Bytes of the longest reply. About the same amount is buffered for a client that does not read.
#define DRB_STATS_REPLY_MAX (128 << 10)

struct drb_stats_command {
	const char *path; // "/drb/info"
	const char *help;
	// Makes the value of the reply, owned by the caller. NULL: the value is unknown, and the
	// reply is null. parameter: the text after the comma, or NULL.
	json_t *(*reply)(const char *parameter, void *context);
	// True if reply() can be called now. If not, drb_stats_socket_look() calls again later, and
	// other clients are served meanwhile. *number belongs to this request and is 0 at first.
	// NULL: reply() can always be called.
	bool (*ready)(uint64_t *number, void *context);
	// For orders, instead of reply(): begins the order. drb_stats_reply() ends it. Only
	// operators may give orders.
	void (*begin)(const char *parameter, struct drb_stats_request *request, void *context);
};

// The commands of a socket, and who may give orders. Commands, context and operators must outlive
// the socket.
struct drb_stats_service {
	const struct drb_stats_command *commands;
	size_t count;
	void *context;
	const struct drb_operators *operators;
};

// Replaces a socket that a killed process has left at this path. NULL: an error, with a message
// printed.
struct drb_stats_socket *drb_stats_socket_open(struct event_base *base, const char *path,
					       const struct drb_stats_service *service);
// Sends the replies that have become ready.
void drb_stats_socket_look(struct drb_stats_socket *s);
// Sends the reply to an order and frees the request. Takes ownership of value. Must be called once
// for each begin(), even if the client is gone.
void drb_stats_reply(struct drb_stats_request *request, json_t *value);
void drb_stats_socket_close(struct drb_stats_socket *s);
// Listens at a path. The folder of the path decides who may connect: the user alone, or the group
// of the operators as well. Returns a descriptor or -errno.
int drb_stats_listen(const struct sockaddr_un *address, const struct drb_operators *operators);
