// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A client of stats sockets: SOCK_SEQPACKET, one JSON greeting on connecting, then one JSON reply
// {"<command>": value} per command. The other end is not trusted: replies are bounded in size and time, and
// their form is checked. Functions return 0 or a negative errno:
//   -ENOENT, -ECONNREFUSED  nobody listens: no such process, or the socket of a dead one
//   -ETIMEDOUT              the process does not answer in time
//   -EMSGSIZE, -EPROTO      the data are too long, or no greeting or reply
//   -ECONNRESET             the process ended
//   -EOPNOTSUPP             the process has no such command, or the command failed

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "core/fabric/names.h"

#define DRB_TELEMETRY_SOCKET "dpdk_telemetry.v2"
#define DRB_TELEMETRY_REPLY_MAX (1 << 20) // more than a switch sends
#define DRB_TELEMETRY_TIMEOUT_MS 2000
// Where the question is whether it answers at all.
#define DRB_TELEMETRY_PROMPT_MS 900

struct drb_telemetry {
	int fd; // -1: not connected
	uint32_t timeout_ms;
	int64_t pid; // as greeted; 0 if it did not say
};

// Connects and reads the greeting, all within timeout_ms. On failure there is nothing to close.
int drb_telemetry_open(struct drb_telemetry *t, const char *path, uint32_t timeout_ms);
void drb_telemetry_close(struct drb_telemetry *t);

// Sends "command" or "command,param" and takes its reply. *reply is the value of "command" (owned
// by the caller: json_decref) and never null. After an error the connection is closed, so that a
// late reply is not taken for the next one's; -EOPNOTSUPP leaves it open.
int drb_telemetry_ask(struct drb_telemetry *t, const char *command, const char *param,
		      json_t **reply);

// The same in steps that never wait, for callers that ask many switches at once. What cannot be done yet is
// -ETIMEDOUT, and may be tried again as soon as t->fd is readable; after another error the connection is closed,
// but for -EOPNOTSUPP. drb_telemetry_connect(): -ETIMEDOUT leaves none, too: too many others wait there.
int drb_telemetry_connect(struct drb_telemetry *t, const char *path);
int drb_telemetry_greeted(struct drb_telemetry *t); // to be called until it is 0
int drb_telemetry_send(struct drb_telemetry *t, const char *command, const char *param);
int drb_telemetry_take(struct drb_telemetry *t, const char *command, json_t **reply);

// Text for a user: strerror() with telemetry's meaning of the errors above.
const char *drb_telemetry_error(int error);

// Where EAL makes dpdk/<instance>/ for the sockets of a process of this user.
const char *drb_telemetry_runtime(void);

// A switch process found by its socket; nothing was sent to it yet.
struct drb_switch_socket {
	char instance[DRB_NAME_MAX]; // drb-s2-5
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;
	char path[108]; // of the socket: as long as a socket address holds
};

// Sockets of processes whose name is that of a switch of this fabric (NULL: any fabric), by fabric,
// layer and label. Looks where EAL puts them: $RUNTIME_DIRECTORY, then /var/run for root, otherwise
// $XDG_RUNTIME_DIR or /tmp; with runtime not NULL only there. Free *sockets. -ENOMEM.
int drb_telemetry_scan(const char *runtime, const char *fabric, struct drb_switch_socket **sockets,
		       size_t *count);
