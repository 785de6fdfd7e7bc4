// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A client of stats sockets: SOCK_SEQPACKET, one JSON greeting after connecting, then one JSON
// reply {"<command>": value} per command. The other end is not trusted: replies are bounded in size
// and time, and their form is checked. Functions return 0 or a negative errno:
//   -ENOENT, -ECONNREFUSED  nobody listens: no such process, or the socket of a dead one
//   -ETIMEDOUT              the process does not answer in time
//   -EMSGSIZE, -EPROTO      the data are too long, or no greeting or reply
//   -EPROTONOSUPPORT        the switch sends replies of a later format than DRB_STATS_FORMAT
//   -ECONNRESET             the process ended
//   -EOPNOTSUPP             the process has no such command, or the command failed

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "core/fabric/names.h"

#define DRB_TELEMETRY_SOCKET "dpdk_telemetry.v2"
#define DRB_TELEMETRY_REPLY_MAX (1 << 20) // more than a switch sends
#define DRB_TELEMETRY_TIMEOUT_MS 2000
// Timeout for finding out whether a switch answers at all.
#define DRB_TELEMETRY_PROMPT_MS 900

struct drb_telemetry {
	int fd; // -1: not connected
	uint32_t timeout_ms;
	int64_t pid;      // from the greeting; 0 if it has none
	char version[32]; // version of drbswitch; "" if the greeting has none, as before 0.4.0
};

// Connects and reads the greeting within timeout_ms. On failure there is nothing to close.
int drb_telemetry_open(struct drb_telemetry *t, const char *path, uint32_t timeout_ms);
void drb_telemetry_close(struct drb_telemetry *t);

// Sends "command" or "command,param" and takes its reply. *reply is the value of "command", never
// null; the caller owns it (json_decref). After an error the connection is closed, so that a late
// reply is not taken for the next one. -EOPNOTSUPP leaves it open.
int drb_telemetry_ask(struct drb_telemetry *t, const char *command, const char *param,
		      json_t **reply);

// The same in steps that never block, for callers that query many switches at once. -ETIMEDOUT: the
// step cannot be done yet; repeat it when t->fd is readable. After other errors than -EOPNOTSUPP
// the connection is closed. It is also closed if drb_telemetry_connect() returns -ETIMEDOUT,
// because too many other clients wait.
int drb_telemetry_connect(struct drb_telemetry *t, const char *path);
int drb_telemetry_greeted(struct drb_telemetry *t); // call it until it returns 0
int drb_telemetry_send(struct drb_telemetry *t, const char *command, const char *param);
int drb_telemetry_take(struct drb_telemetry *t, const char *command, json_t **reply);

#define DRB_TELEMETRY_TEXT_MAX 160

// Text for a user: strerror(), with the meanings of the errors above. If another version of the
// switch may be the cause, the text names both versions.
void drb_telemetry_explain(int error, const char *version, char text[DRB_TELEMETRY_TEXT_MAX]);

// The folder in which EAL makes dpdk/<instance>/ for the sockets of this user's processes.
const char *drb_telemetry_runtime(void);

// A switch process found by its socket. No command has been sent to it yet.
struct drb_switch_socket {
	char instance[DRB_NAME_MAX]; // drb-s2-5
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;
	char path[108]; // path of the socket; the size of a socket address
};

// Lists the sockets of processes named like switches of this fabric (NULL: any fabric), ordered by
// fabric, layer and label. Searches the folders of EAL: $RUNTIME_DIRECTORY, then /var/run for root,
// otherwise $XDG_RUNTIME_DIR or /tmp. If runtime is not NULL, it searches only there. Free
// *sockets. Returns 0 or -ENOMEM.
int drb_telemetry_scan(const char *runtime, const char *fabric, struct drb_switch_socket **sockets,
		       size_t *count);
