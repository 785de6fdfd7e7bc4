// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/dpdk/dpdk_port.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "common/config/complaint.h"

#define DESCRIPTORS 512

static struct drb_dpdk_queue *queue_of(struct drb_port_queue *q)
{
	return (struct drb_dpdk_queue *)q; // begins with it
}

// A PCI device as the kernel knows it, with the domain that may be left out.
static bool has_pci_device(const struct drb_port_setup *p)
{
	int len = (int)strcspn(p->device, ",");
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s%.*s", len < 12 ? "0000:" : "", len,
		 p->device);
	for (char *c = path; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return access(path, F_OK) == 0;
}

static int check_pci(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	(void)workers;
	if (has_pci_device(p))
		return 0;
	return drb_config_bad_port(path, p, "device", "port %s: no PCI device \"%s\"", p->name,
				   p->device);
}

uint32_t drb_dpdk_buffers(uint32_t workers)
{
	return 2 * DESCRIPTORS * workers;
}

static int start(struct drb_port *port, const char *path, bool vdev)
{
	const char *device = port->setup->device, *comma = strchr(device, ',');
	struct drb_kernel_sockets before = drb_kernel_sockets();
	char name[64];

	if (!drb_port_own(port, sizeof(struct drb_dpdk_port)))
		return -ENOMEM;
	snprintf(name, sizeof(name), "%.*s", comma ? (int)(comma - device) : 63, device);
	int rc = drb_dpdk_create(port, path, name, !vdev ? NULL : comma ? comma + 1 : "");
	if (rc == 0)
		rc = drb_dpdk_configure(port, path, DESCRIPTORS);
	if (rc == 0)
		rc = drb_dpdk_begin(port, true);
	// Also behind a virtual device there may be a socket.
	if (rc == 0 && vdev)
		drb_dpdk_take_sockets(port, &before);
	return rc;
}

static int start_pci(struct drb_port *port, const char *path)
{
	return start(port, path, false);
}

static int start_vdev(struct drb_port *port, const char *path)
{
	return start(port, path, true);
}

static void stop(struct drb_port *port)
{
	drb_dpdk_remove(port);
	free(port->own);
}

uint32_t drb_dpdk_receive(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count)
{
	return rte_eth_rx_burst(queue_of(q)->device, q->rx, packets, (uint16_t)count);
}

uint32_t drb_dpdk_send(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
		       struct drb_send_result *result)
{
	(void)result; // what the driver takes is sent
	return rte_eth_tx_burst(queue_of(q)->device, q->tx, packets, (uint16_t)count);
}

bool drb_dpdk_carrier(const struct drb_port *port)
{
	const struct drb_dpdk_port *own = port->own;
	struct rte_eth_link link;

	// One that cannot tell is up.
	return rte_eth_link_get_nowait(own->device, &link) < 0 || link.link_status;
}

static uint16_t mtu(const struct drb_port *port)
{
	const struct drb_dpdk_port *own = port->own;
	uint16_t octets;

	return rte_eth_dev_get_mtu(own->device, &octets) == 0 ? octets : 0;
}

const char *drb_dpdk_state(const struct drb_port *port)
{
	return drb_dpdk_carrier(port) ? "up" : "down";
}

bool drb_dpdk_mac(const struct drb_port *port, uint8_t mac[6])
{
	const struct drb_dpdk_port *own = port->own;
	struct rte_ether_addr address;

	if (rte_eth_macaddr_get(own->device, &address) < 0)
		return false;
	memcpy(mac, address.addr_bytes, sizeof(address.addr_bytes));
	return true;
}

uint64_t drb_dpdk_missed(struct drb_port_queue *q)
{
	drb_kernel_socket_count(&queue_of(q)->socket);
	return queue_of(q)->socket.missed;
}

const struct drb_port_kind drb_pci_port = {
	.name = "pci",
	.check = check_pci,
	.buffers = drb_dpdk_buffers,
	.start = start_pci,
	.stop = stop,
	.receive = drb_dpdk_receive,
	.send = drb_dpdk_send,
	.carrier = drb_dpdk_carrier,
	.mtu = mtu,
	.state = drb_dpdk_state,
	.mac = drb_dpdk_mac,
};

const struct drb_port_kind drb_vdev_port = {
	.name = "vdev",
	.buffers = drb_dpdk_buffers,
	.start = start_vdev,
	.stop = stop,
	.receive = drb_dpdk_receive,
	.send = drb_dpdk_send,
	.carrier = drb_dpdk_carrier,
	.mtu = mtu,
	.state = drb_dpdk_state,
	.mac = drb_dpdk_mac,
	.missed = drb_dpdk_missed,
};
