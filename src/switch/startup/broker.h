// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The broker is a second process that does for a confined switch what needs access later. It is forked before
// there is anything to attack, and stays the user who started the switch. It does only the following, with
// names it knows from its start: open the config, connect a socket to the server of a memif link, open a
// packet socket for an interface that was created again, and remove the folder of the stats socket when the
// switch has ended, even if killed. Of all capabilities it keeps CAP_DAC_OVERRIDE, and CAP_NET_RAW if several
// workers share packet sockets, and it is confined as well.

#include "common/config/config.h"

// path and folder stay the caller's. folder: of the stats socket. 0, or -errno with a message printed. lock: on it, as
// drb_instance_claim() returned it.
int drb_broker_begin(const char *path, const struct drb_setup *setup, const char *folder, int lock);

// What to say of a broker that is gone, or does not answer within two seconds: nothing is asked of it until it has.
#define DRB_BROKER_GONE                                                                            \
	"the process that opens the config and connects memif links is gone or stopped: restart "  \
	"the switch, or have `drb-broker` go on (kill -CONT)"

// For the control thread, which waits. path is the config's, for messages. A descriptor to read, or -errno; -ENXIO: it is
// no file that can be read again, such as a pipe; -ECHILD: the broker is gone or stopped.
int drb_broker_open_config(const char *path);
// Connects a socket to the server of the memif link of this port. 0 or -errno; a server that is stopped is not waited
// for: -EAGAIN if there is no room before its door.
int drb_broker_connect(uint32_t port, int fd);
// drb_packet_socket() there.
int drb_broker_open_socket(void);
