// SPDX-License-Identifier: BSD-3-Clause
// Creates, configures, starts and removes the DPDK device of a port.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "switch/ports/dpdk/dpdk_port.h"
#include "switch/ports/dpdk/pci_check.h"

static struct drb_dpdk_port *own_of(const struct drb_port *port)
{
	return port->own;
}

void drb_dpdk_adopt(struct drb_port *port, struct drb_dpdk_port *own, uint16_t device,
		    uint16_t rx_queues)
{
	own->device = device;
	port->own = own;
	port->rx_queues = rx_queues;
	for (uint32_t n = 0; n < port->workers; n++) {
		struct drb_dpdk_queue *q = &own->queue[n];
		drb_port_add_queue(port, n, &q->base);
		q->device = device;
	}
}

int drb_dpdk_create(struct drb_port *port, const char *path, const char *name, const char *args)
{
	const struct drb_port_setup *p = port->setup;
	struct drb_dpdk_port *own = own_of(port);

	own->device = DRB_DPDK_NONE;
	if (args && rte_vdev_init(name, args) < 0)
		return drb_config_bad_port(
			path, p, "device",
			"port %s: cannot create device \"%s%s%s\" (-v shows what the driver says)",
			p->name, name, *args ? "," : "", args);
	if (rte_eth_dev_get_port_by_name(name, &own->device) == 0)
		return 0;
	if (!args)
		return drb_pci_refused("", path, p);
	return drb_config_bad_port(path, p, "device",
				   "port %s: \"%s\" is no device that a driver of this program "
				   "knows",
				   p->name, name);
}

// True for drivers whose receive interrupts are known to work. Those of 82540EM and 82574L
// (net_e1000_em) can be turned on but never come; other drivers are untested.
static bool has_interrupts(const struct rte_eth_dev_info *info)
{
	return strcmp(info->driver_name, "net_virtio") == 0;
}

// Returns the longest IP packet that a card takes: as the driver reports it, or by its longest
// frame including the CRC.
static uint32_t max_mtu(const struct rte_eth_dev_info *info)
{
	const uint32_t frame = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;

	if (info->max_mtu < UINT16_MAX || info->max_rx_pktlen <= frame)
		return info->max_mtu;
	return info->max_rx_pktlen - frame;
}

// Sets the MTU of cards only. In-memory devices take any length, whatever MTU they report.
static int set_mtu(const struct drb_port *port, const char *path,
		   const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	if (!port->kind->card)
		return 0;
	if (max_mtu(info) < port->mtu)
		return drb_config_bad(path, "fabric.mtu", "%u: port %s: \"%s\" takes at most %u",
				      port->mtu, port->setup->name, drb_port_device(port->setup),
				      max_mtu(info));
	conf->rxmode.mtu = port->mtu;
	return 0;
}

// Chooses a device's queues: one transmit queue for each worker, and the same number of receive
// queues if it has them.
static int count_queues(struct drb_port *port, const char *path, struct rte_eth_conf *conf)
{
	const uint64_t wanted = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;
	uint32_t workers = port->workers;
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(own_of(port)->device, &info) < 0)
		return -ENODEV;
	if (info.max_tx_queues < workers)
		return drb_config_bad(path, "process.workers",
				      "port %s: \"%s\" has %u transmit queues, too few for %u "
				      "workers",
				      port->setup->name, drb_port_device(port->setup),
				      info.max_tx_queues, workers);
	port->rx_queues = (uint16_t)(info.max_rx_queues < workers ? info.max_rx_queues : workers);
	if (set_mtu(port, path, &info, conf) < 0)
		return -EINVAL;
	own_of(port)->tells_unsent = drb_dpdk_tells_unsent(port, &info);
	own_of(port)->interrupts = port->kind->card && has_interrupts(&info);
	conf->intr_conf.rxq = own_of(port)->interrupts;
	if (port->rx_queues > 1 && (info.flow_type_rss_offloads & wanted)) {
		conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf->rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads & wanted;
	}
	return 0;
}

static int failed(const struct drb_port *port, const char *step, int rc)
{
	drb_error("port %s: cannot %s its device: %s", port->setup->name, step, rte_strerror(-rc));
	return rc;
}

static int set_up_queues(const struct drb_port *port, uint16_t rx, uint16_t tx, const char **step)
{
	const struct drb_dpdk_port *own = own_of(port);
	unsigned node = (unsigned)rte_eth_dev_socket_id(own->device);
	struct rte_eth_dev_info info;
	int rc = rte_eth_dev_info_get(own->device, &info);

	info.default_txconf.tx_rs_thresh = 1; // report each sent packet, see unsent.c
	for (uint16_t q = 0; rc == 0 && q < port->rx_queues; q++) {
		*step = "set up a receive queue of";
		rc = rte_eth_rx_queue_setup(own->device, q, rx, node, NULL, port->pool);
	}
	for (uint16_t q = 0; rc == 0 && q < port->workers; q++) {
		*step = "set up a transmit queue of";
		rc = rte_eth_tx_queue_setup(own->device, q, tx, node,
					    own->tells_unsent ? &info.default_txconf : NULL);
	}
	return rc;
}

int drb_dpdk_configure(struct drb_port *port, const char *path, uint16_t rx, uint16_t tx)
{
	uint16_t id = own_of(port)->device;
	struct rte_eth_conf conf = {0};
	const char *step = "configure";
	int rc = count_queues(port, path, &conf);

	if (rc < 0)
		return rc;
	rc = rte_eth_dev_configure(id, port->rx_queues, (uint16_t)port->workers, &conf);
	if (rc == 0)
		rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
	if (rc == 0)
		rc = set_up_queues(port, rx, tx, &step);
	if (rc < 0)
		return failed(port, step, rc);
	drb_dpdk_adopt(port, port->own, id, port->rx_queues);
	if (own_of(port)->tells_unsent)
		drb_dpdk_count_unsent(port->queue[0], tx);
	return 0;
}

bool drb_dpdk_has_parts(const struct drb_port *port)
{
	struct rte_eth_rxq_info info = {0};

	return rte_eth_rx_queue_info_get(own_of(port)->device, 0, &info) == 0 && info.scattered_rx;
}

int drb_dpdk_begin(struct drb_port *port)
{
	uint16_t id = own_of(port)->device;
	int rc = rte_eth_dev_start(id);

	if (rc < 0)
		return failed(port, "start", rc);
	// Frames carry the MACs of hosts, not of ports. In-memory devices take all frames anyway.
	rc = rte_eth_promiscuous_enable(id);
	// A promiscuous virtual function may receive unicast only, but hellos are multicast.
	if (rc == 0)
		rte_eth_allmulticast_enable(id);
	return rc == 0 || rc == -ENOTSUP ? 0 : failed(port, "make promiscuous", rc);
}

static void remove_device(uint16_t id)
{
	struct rte_eth_dev_info info = {0};
	int known = rte_eth_dev_info_get(id, &info);

	rte_eth_dev_close(id);
	if (known == 0 && info.device)
		rte_dev_remove(info.device);
}

void drb_dpdk_remove(struct drb_port *port)
{
	struct drb_dpdk_port *own = own_of(port);

	if (!own || own->device == DRB_DPDK_NONE)
		return;
	rte_eth_promiscuous_disable(own->device);
	rte_eth_dev_stop(own->device);
	remove_device(own->device);
	own->device = DRB_DPDK_NONE;
}

void drb_dpdk_remove_others(void)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	uint16_t id;

	RTE_ETH_FOREACH_DEV(id)
	{
		// Cards have their PCI address as name. Virtual devices have no memory mapped.
		if (rte_eth_dev_get_name_by_port(id, name) == 0 && strchr(name, ':'))
			remove_device(id);
	}
}
