// SPDX-License-Identifier: BSD-3-Clause
// In place of steer.c where libbpf, clang (meson option `bpf`) or the af_xdp driver is missing.

#include "switch/ports/xdp/steer.h"

#include <errno.h>
#include <string.h>

#include "common/cli/log.h"

int drb_steer_init(const struct drb_setup *setup)
{
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_setup *p = &setup->ports[i];
		if (p->driver != DRB_DRIVER_AF_XDP || strcmp(p->xdp, DRB_XDP_STEER) != 0)
			continue;
		drb_info("built without BPF: af_xdp ports take every frame and the kernel counts "
			 "none");
		break;
	}
	return 0;
}

int drb_steer_attach(const struct drb_port_setup *port, int socket)
{
	(void)port;
	(void)socket;
	return -EOPNOTSUPP;
}

void drb_steer_detach(const struct drb_port_setup *port)
{
	(void)port;
}

const char *drb_steer_program(const struct drb_port_setup *port)
{
	bool named = strcmp(port->xdp, DRB_XDP_STEER) == 0 || strcmp(port->xdp, DRB_XDP_ALL) == 0;

	return named ? NULL : port->xdp;
}

bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts)
{
	(void)interface;
	(void)counts;
	return false;
}
