// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From port configs to running DPDK devices.

#include <stdatomic.h>
#include <stdint.h>

#include "common/config.h"
#include "kernel_socket.h"

struct drb_memif_link;
struct rte_mempool;

#define DRB_PORT_NONE UINT16_MAX

struct drb_port_set {
	struct rte_mempool *pool;
	uint32_t count;
	uint16_t dpdk[DRB_PORTS_MAX];      // DPDK port ids; DRB_PORT_NONE: no device
	uint16_t rx_queues[DRB_PORTS_MAX]; // 1..workers; each worker has a transmit queue
	struct drb_kernel_socket socket[DRB_WORKERS_MAX][DRB_PORTS_MAX]; // of each receive queue
	struct drb_memif_link *memif[DRB_PORTS_MAX];                     // NULL: no memif port
};

// Before anything is started: interfaces, PCI devices and directories for sockets (made if need be)
// exist. -EINVAL with a message naming the config's line and the port.
int drb_ports_check(const char *config_path, const struct drb_setup *setup);

// How many packet buffers the egress queues, bursts and drivers of this switch can hold at once.
uint32_t drb_ports_mbufs(const struct drb_setup *setup);

// Creates the pool and all devices, configures and starts them. 0, or -errno with a message
// naming the port and nothing left started. Waiting for memif peers ends early, with -errno and
// no message, when *stop is set.
int drb_ports_start(struct drb_port_set *set, const char *config_path,
		    const struct drb_setup *setup, uint32_t mbufs, const atomic_bool *stop);
void drb_ports_stop(struct drb_port_set *set);

// True when every memif port has met its peer. Other ports need no link to be set up: a cable may
// be plugged in later.
bool drb_ports_linked(const struct drb_port_set *set);

// Starts memif clients without a link again: one that met its server's socket before the server
// was ready is turned away, and does not try again by itself.
void drb_ports_reconnect(const struct drb_port_set *set, const struct drb_setup *setup);
