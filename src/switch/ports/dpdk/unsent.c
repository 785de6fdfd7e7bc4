// SPDX-License-Identifier: BSD-3-Clause
// Counts the packets in a card's transmit ring that are not sent yet, by the status of its
// descriptors.
#include <string.h>

#include <rte_ethdev.h>

#include "switch/ports/dpdk/dpdk_port.h"

// True for drivers that report the status that the card wrote to a descriptor. These drivers look
// at the next multiple of rs_thresh, but the card writes to the descriptor before it. Therefore
// rs_thresh must be 1. Tests cover net_e1000_em; for the others, this is known from their source.
static bool tells(const char *driver)
{
	static const char *const names[] = {"net_e1000_em", "net_e1000_igb", "net_ixgbe",
					    "net_i40e", "net_ice"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(driver, names[i]) == 0)
			return true;
	}
	return false;
}

bool drb_dpdk_tells_unsent(const struct drb_port *port, const struct rte_eth_dev_info *info)
{
	// A status is relative to the queue's last packet, so only one worker may use it.
	return port->kind->card && port->setup->occupancy == DRB_OCCUPANCY_RING &&
	       port->workers == 1 && tells(info->driver_name);
}

// Counts from the last packet back to the first sent one. Earlier packets are sent, too, but their
// descriptors do not show that once the driver has freed them.
static uint32_t unsent(struct drb_port_queue *queue)
{
	struct drb_dpdk_queue *q = (struct drb_dpdk_queue *)queue;
	uint32_t most = q->outstanding < q->descriptors ? q->outstanding : q->descriptors, n = 0;

	// Offsets count from the next free descriptor, so the last packet has the highest offset.
	while (n < most && rte_eth_tx_descriptor_status(q->device, queue->tx,
							(uint16_t)(q->descriptors - 1 - n)) !=
				   RTE_ETH_TX_DESC_DONE)
		n++;
	q->outstanding = n;
	return n;
}

void drb_dpdk_count_unsent(struct drb_port_queue *queue, uint16_t descriptors)
{
	struct drb_dpdk_queue *q = (struct drb_dpdk_queue *)queue;

	q->descriptors = descriptors;
	q->outstanding = 0;
	queue->in_ring = unsent;
}
