// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The socket where the server of a memif link listens.

#include <stdbool.h>

#include "common/config/config.h"

// The lower switch of a link is its server.
static inline bool drb_memif_is_server(const struct drb_port_setup *port)
{
	return port->driver == DRB_DRIVER_MEMIF && port->up;
}

// Opens the socket, for this user alone. Returns a descriptor or -errno. Replaces a socket that an
// earlier server left. At the end the broker removes the socket, because a confined switch may not
// change the folder.
int drb_memif_door_open(const char *path);
