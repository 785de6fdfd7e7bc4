// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What wakes a sleeping worker: the sockets of the virtual drivers, which DPDK 22.11 offers no
// interrupt for, and a kick from other threads.

#include "worker.h"

// Call after all ports are attached: puts their AF_PACKET and AF_XDP sockets into the worker's
// epoll set. Ports without such a socket make the worker doze in short sleeps instead. 0 or -errno,
// with a message printed.
int drb_idle_init(struct drb_worker *w);
void drb_idle_free(struct drb_worker *w);
