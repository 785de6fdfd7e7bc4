// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages of a memif channel, with descriptors, through its socket. Neither waits for the other end.

#include <sys/types.h>

#include "switch/ports/memif/channel.h"

// How many octets the other end has said; 0: it is gone; -1: it says nothing now. passed: the descriptor that came
// along, which is the caller's, or -1.
ssize_t drb_memif_hear(int fd, struct drb_memif_message *message, int *passed);
// 0, or -errno: the other end is gone, or reads nothing.
int drb_memif_say(int fd, const struct drb_memif_answer *answer);
