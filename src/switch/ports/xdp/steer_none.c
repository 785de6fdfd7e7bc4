// SPDX-License-Identifier: BSD-3-Clause
// Replaces steer.c where libbpf or clang (meson option `bpf`) is missing.

#include "switch/ports/xdp/steer.h"

#include <errno.h>

int drb_steer_attach(const struct drb_port_setup *port, const struct drb_addr_plan *fabric,
		     const int *sockets, uint32_t count)
{
	(void)port;
	(void)fabric;
	(void)sockets;
	(void)count;
	return -ENOSYS;
}

void drb_steer_detach(const struct drb_port_setup *port)
{
	(void)port;
}

bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts)
{
	(void)interface;
	(void)counts;
	return false;
}
