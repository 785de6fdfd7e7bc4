// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The broker is a second process. It serves requests that a confined switch has no rights for. It
// is forked before the switch handles any input that could attack it, and runs as the user who
// started the switch. It does only the following, with names that it knows from its start:
//   - open the config, and the log if that is a file
//   - connect a socket to the server of a memif link
//   - open a packet socket for an interface that was created again
//   - pass on notices to the service manager
// When the switch has ended, even if killed, the broker removes the sockets of memif links, and the
// stats folder if that is empty. A killed switch leaves its stats socket there, by which drbctl
// distinguishes it from a switch that ended normally.
//
// The broker keeps only the capabilities CAP_DAC_OVERRIDE, and CAP_NET_RAW if several workers share
// packet sockets. It is confined as well.

#include "common/config/config.h"

// Starts the broker. Returns 0, or -errno with a message printed. folder contains the stats socket;
// lock is the lock on it that drb_instance_claim() returned. path and folder are not copied and
// must stay valid.
int drb_broker_begin(const char *path, const struct drb_setup *setup, const char *folder, int lock);

// The message if the broker is gone, stopped, or does not answer within two seconds. The broker
// then gets no more requests until it has answered.
#define DRB_BROKER_GONE                                                                            \
	"the process that opens the config and connects memif links is gone or stopped: restart "  \
	"the switch, or have `drb-broker` go on (kill -CONT)"

// The next four functions send a request to the broker and wait for the answer, so only the
// background thread may call them (control/background.h). -ECHILD: the broker is gone or stopped,
// or does not answer.

// Opens the config for reading. Returns a descriptor or -errno. -ENXIO: it cannot be read again,
// because it is a pipe, for instance.
int drb_broker_open_config(void);
// Opens the log again (log_file.h). Returns a descriptor or -errno. -ENXIO: it is not a file.
int drb_broker_open_log(void);
// Connects a socket to the server of this port's memif link. Returns 0 or -errno. Does not wait for
// a server that is stopped: -EAGAIN if the server's queue of connections is full.
int drb_broker_connect(uint32_t port, int fd);
// Calls drb_packet_socket() in the broker. Returns a descriptor or -errno.
int drb_broker_open_socket(void);

// Calls sd_notify() in the broker with at most 1023 bytes, because a confined switch cannot open a
// socket for that. Any thread may call this. Waits for nothing.
void drb_broker_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Called by the control thread after SIGCHLD. Logs that the broker has ended, was stopped or runs
// again.
void drb_broker_look(void);
// Returns the broker's trouble as text for replies. NULL: it runs.
const char *drb_broker_trouble(void);
