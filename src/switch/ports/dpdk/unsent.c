// SPDX-License-Identifier: BSD-3-Clause
// Packets in a card's transmit ring that are not sent yet, from what its driver reports of descriptors.
#include <string.h>

#include <rte_ethdev.h>

#include "switch/ports/dpdk/dpdk_port.h"

// Drivers that say of a descriptor what its card wrote there, if it writes to each: they round up to the next
// multiple of rs_thresh, and the descriptor that is written to stands one before it. net_e1000_em runs in
// tests; of the others the source says so.
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
	// The status is that of a place behind the last packet, which another worker cannot know.
	return port->kind->card && port->setup->occupancy == DRB_OCCUPANCY_RING &&
	       port->workers == 1 && tells(info->driver_name);
}

// From the last packet back to the first that is sent: what is before that is sent, too, but its descriptors do
// not say so once the driver has freed them.
static uint32_t unsent(struct drb_port_queue *queue)
{
	struct drb_dpdk_queue *q = (struct drb_dpdk_queue *)queue;
	uint32_t most = q->outstanding < q->descriptors ? q->outstanding : q->descriptors, n = 0;

	// The packet before the place of the next one is a whole ring less one further on.
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
