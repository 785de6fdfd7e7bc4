// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All ports of a switch, from their configs to running ports.

#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/port.h"

struct rte_mempool;

// NULL: no device.
const struct drb_port_kind *drb_port_kind_of(enum drb_driver driver);

struct drb_port_set {
	struct rte_mempool *pool;
	struct rte_mempool *lent; // of af_xdp ports; NULL: there are none
	uint32_t count;
	const struct drb_port_users *users;  // of all its ports
	struct drb_port port[DRB_PORTS_MAX]; // down-ports first, as in the setup
	// As they are started: other threads read them while a reload writes its own.
	struct drb_port_setup setup[DRB_PORTS_MAX];
};

// Before anything is started: interfaces, PCI devices and directories for sockets (made if need be)
// exist. -EINVAL with a message naming the config's line and the port.
int drb_ports_check(const char *config_path, const struct drb_setup *setup);

// How many packet buffers the egress queues, bursts and ports of this switch can hold at once.
uint32_t drb_ports_buffers(const struct drb_setup *setup);
// Some port is a driver's of DPDK, which wants buffers in DPDK's memory.
bool drb_ports_driven(const struct drb_setup *setup);
// How many are lent to the kernel for af_xdp ports, besides.
uint32_t drb_ports_lent(const struct drb_setup *setup);

// Creates the pools and starts all ports; those of memif have no links yet (memif/link.h). setup and users (NULL: none)
// must outlive them. 0, or -errno with a message naming the port and nothing left started.
int drb_ports_start(struct drb_port_set *set, const char *config_path,
		    const struct drb_setup *setup, uint32_t buffers,
		    const struct drb_port_users *users);
void drb_ports_stop(struct drb_port_set *set);

// Which of its receive queues each worker has, once port->rx_queues is known: its own if there are
// enough. A port that has fewer is one worker's or some workers', the next port the next ones'.
void drb_port_share_queues(struct drb_port *port);
