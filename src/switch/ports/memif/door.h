// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The socket where the server of a memif link listens.

// A descriptor, or -errno. For this user alone; the socket of a server that was killed gives way.
int drb_memif_door_open(const char *path);
void drb_memif_door_close(int fd, const char *path);
