// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All ports of a switch: checks their configs, starts and stops them.

#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/port.h"

struct rte_mempool;

// Returns the kind of port of a driver. NULL: no device.
const struct drb_port_kind *drb_port_kind_of(enum drb_driver driver);

struct drb_port_set {
	struct rte_mempool *pool;
	struct rte_mempool *lent; // of af_xdp ports; NULL: no such ports
	uint32_t count;
	const struct drb_port_users *users;  // for all ports
	struct drb_port port[DRB_PORTS_MAX]; // down-ports first, as in the setup
	// Copies from the start, because other threads read them while a reload writes to its own.
	struct drb_port_setup setup[DRB_PORTS_MAX];
};

// Called before anything is started. Checks that interfaces, PCI devices and directories for
// sockets exist; makes missing directories. Returns 0, or -EINVAL with a message that names the
// config's line and the port.
int drb_ports_check(const char *config_path, const struct drb_setup *setup);

// Returns the most packet buffers that egress queues, bursts and ports of this switch hold at once.
uint32_t drb_ports_buffers(const struct drb_setup *setup);
// True if some port has a driver of DPDK, which needs buffers in DPDK's memory.
bool drb_ports_driven(const struct drb_setup *setup);
// Returns the number of further buffers that are lent to the kernel for af_xdp ports.
uint32_t drb_ports_lent(const struct drb_setup *setup);

// Makes the pools and starts all ports. memif ports have no links yet (memif/link.h). setup and
// users (NULL: none) must outlive the ports. Returns 0, or -errno with a message that names the
// port and nothing left started.
int drb_ports_start(struct drb_port_set *set, const char *config_path,
		    const struct drb_setup *setup, uint32_t buffers,
		    const struct drb_port_users *users);
void drb_ports_stop(struct drb_port_set *set);

// Assigns the device's queues to workers, once port->rx_queues is known (see drb_port_rx_queue()).
void drb_port_share_queues(struct drb_port *port);
