// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the server of a memif link is there, asked at its socket.

#include <stdbool.h>

// 0: a server listens at this path; -ECONNREFUSED: the one that did was killed; else another
// -errno. Does not wait.
int drb_memif_probe(const char *path);
// True if the server greets a client within 50 ms. The driver of a client waits without end for a
// server that accepts no connections because it is stopped.
bool drb_memif_server_answers(const char *path);
