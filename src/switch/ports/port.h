// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From port configs to running DPDK devices.

#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/kernel_socket.h"
#include "switch/ports/packet_socket/tx_socket.h"

struct drb_memif_link;
struct rte_mempool;

#define DRB_PORT_NONE UINT16_MAX

struct drb_port_set {
	struct rte_mempool *pool;
	uint32_t count;
	uint16_t dpdk[DRB_PORTS_MAX];      // DPDK port ids; DRB_PORT_NONE: no device
	uint16_t rx_queues[DRB_PORTS_MAX]; // 1..workers; each worker has a transmit queue
	struct drb_kernel_socket socket[DRB_WORKERS_MAX][DRB_PORTS_MAX]; // of each receive queue
	struct drb_tx_socket out[DRB_WORKERS_MAX][DRB_PORTS_MAX];        // of each worker
	struct drb_memif_link *memif[DRB_PORTS_MAX];                     // NULL: no memif port
};

// Before anything is started: interfaces, PCI devices and directories for sockets (made if need be)
// exist. -EINVAL with a message naming the config's line and the port.
int drb_ports_check(const char *config_path, const struct drb_setup *setup);

// How many packet buffers the egress queues, bursts and drivers of this switch can hold at once.
uint32_t drb_ports_mbufs(const struct drb_setup *setup);

// Creates the pool and all devices, configures and starts them; memif clients start when they find
// their peer (memif_seek.h). 0, or -errno with a message naming the port and nothing left started.
int drb_ports_start(struct drb_port_set *set, const char *config_path,
		    const struct drb_setup *setup, uint32_t mbufs);
void drb_ports_stop(struct drb_port_set *set);
