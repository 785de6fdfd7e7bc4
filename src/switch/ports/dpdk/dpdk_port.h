// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports that are DPDK devices: PCI cards and virtual devices.

#include <stdatomic.h>

#include "switch/ports/dpdk/card_losses.h"
#include "switch/ports/port.h"

struct rte_eth_dev_info;

#define DRB_DPDK_NONE UINT16_MAX

extern const struct drb_port_kind drb_pci_port, drb_vdev_port;

struct drb_dpdk_queue {
	_Alignas(64) struct drb_port_queue base;
	uint16_t device; // as in struct drb_dpdk_port
	// Of a card's receive interrupt, its worker's alone: it is on; and has not been for an iteration.
	bool armed, fresh;
	// Of a card whose driver tells what it has sent: places in its transmit ring, and packets that may be
	// in it: those of the last look and what came since. Its worker's.
	uint32_t descriptors, outstanding;
};

// In a port's `own`, or at the beginning of what is.
struct drb_dpdk_port {
	uint16_t device;   // DPDK's number of it; DRB_DPDK_NONE: not created
	bool interrupts;   // its receive queues have them
	bool parts;        // packets may come in several buffers
	bool tells_unsent; // its driver tells which descriptors are done
	// Of a card: what it said last. Written by look(), read by workers and by readers of counters.
	atomic_bool up;
	atomic_uint_fast64_t missed;
	struct drb_card_losses losses; // look()'s own
	// Of the link, in Mbit/s, 0: unknown. Written by whoever asks for the carrier, read by any thread.
	atomic_uint speed;
	struct drb_dpdk_queue queue[DRB_WORKERS_MAX];
};

// Makes a port of a device that DPDK has and that the caller runs, with a transmit queue for each of
// port->workers. `own` is port->own from now on and stays the caller's.
void drb_dpdk_adopt(struct drb_port *port, struct drb_dpdk_port *own, uint16_t device,
		    uint16_t rx_queues);

// The steps of a start. Each returns 0, or -errno with a message printed; -EINVAL where the config
// is at fault.
// Creates a virtual device, or finds the one on the bus (args NULL).
int drb_dpdk_create(struct drb_port *port, const char *config_path, const char *name,
		    const char *args);
// Queues of so many descriptors or as near as the device can. Then adopts it.
int drb_dpdk_configure(struct drb_port *port, const char *config_path, uint16_t rx, uint16_t tx);
// Starts the device, and takes frames for any MAC.
int drb_dpdk_begin(struct drb_port *port);
// Whether a device that was started may put a packet into several buffers: some fill a power of two of each.
bool drb_dpdk_has_parts(const struct drb_port *port);
// Stops, closes and removes the device, if there is one.
void drb_dpdk_remove(struct drb_port *port);
// The same for devices that no port has: of ports whose start failed before.
void drb_dpdk_remove_others(void);

// A card whose driver can tell which packets it has sent, where the config wants to know (unsent.c).
bool drb_dpdk_tells_unsent(const struct drb_port *port, const struct rte_eth_dev_info *info);
// From now on this queue, whose transmit ring has so many descriptors, has in_ring().
void drb_dpdk_count_unsent(struct drb_port_queue *q, uint16_t descriptors);

// Functions of struct drb_port_kind.
bool drb_dpdk_carrier(const struct drb_port *port);
bool drb_dpdk_mac(const struct drb_port *port, uint8_t mac[6]);
