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
	uint16_t device; // DPDK's number of the port's device
	// armed: the card's receive interrupt is on. fresh: it was turned on in this iteration.
	// Owned by the worker.
	bool armed, fresh;
	// Used if the card's driver reports sent packets (unsent.c). descriptors: size of the
	// transmit ring. outstanding: packets that may be in the ring, which are those of the last
	// count and those sent since. Owned by the worker.
	uint32_t descriptors, outstanding;
};

// A port's `own`, or the beginning of it.
struct drb_dpdk_port {
	uint16_t device;   // DPDK's number of the device; DRB_DPDK_NONE: not created
	bool interrupts;   // the receive queues have interrupts
	bool parts;        // packets may come in several buffers
	bool tells_unsent; // the driver reports which descriptors are done
	// The last poll of a card. Written by look(), read by workers and by readers of counters.
	atomic_bool up;
	atomic_uint_fast64_t missed;
	struct drb_card_losses losses; // owned by look()
	// Speed of the link in Mbit/s; 0: unknown. Written when the carrier is read; any thread
	// reads it.
	atomic_uint speed;
	struct drb_dpdk_queue queue[DRB_WORKERS_MAX];
};

// Makes the port use a DPDK device that the caller has configured, with a transmit queue for each
// of port->workers. `own` becomes port->own; the caller still owns it.
void drb_dpdk_adopt(struct drb_port *port, struct drb_dpdk_port *own, uint16_t device,
		    uint16_t rx_queues);

// The steps of a start. Each returns 0, or -errno with a message printed. -EINVAL: the config is
// wrong.

// Creates a virtual device, or finds the device on the bus (args NULL).
int drb_dpdk_create(struct drb_port *port, const char *config_path, const char *name,
		    const char *args);
// Sets up queues with these numbers of descriptors, or as near as the device can. Then adopts the
// device.
int drb_dpdk_configure(struct drb_port *port, const char *config_path, uint16_t rx, uint16_t tx);
// Starts the device, and makes it take frames for any MAC.
int drb_dpdk_begin(struct drb_port *port);
// True if a started device may put a packet into several buffers. Some devices fill only a power of
// two of each buffer.
bool drb_dpdk_has_parts(const struct drb_port *port);
// Stops, closes and removes the device, if there is one.
void drb_dpdk_remove(struct drb_port *port);
// Removes devices without a port, which are left from a failed start.
void drb_dpdk_remove_others(void);

// True if the card's driver can report sent packets and the config needs that (unsent.c).
bool drb_dpdk_tells_unsent(const struct drb_port *port, const struct rte_eth_dev_info *info);
// Gives this queue an in_ring(). Its transmit ring has this number of descriptors.
void drb_dpdk_count_unsent(struct drb_port_queue *q, uint16_t descriptors);

// Functions of struct drb_port_kind.
bool drb_dpdk_carrier(const struct drb_port *port);
bool drb_dpdk_mac(const struct drb_port *port, uint8_t mac[6]);
