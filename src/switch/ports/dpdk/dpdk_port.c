// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/dpdk/dpdk_port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <rte_ethdev.h>

#include "switch/ports/dpdk/pci_check.h"
#include "switch/ports/join.h"

#define DESCRIPTORS 512
// Limits of the search for frames that an emulated card has kept for its driver.
#define SETTLE_BURST 32
#define SETTLE_BURSTS 64
// Decisions do not see the packets in a card's transmit ring, and hellos wait behind them. With
// this size, they wait less than the period of hellos down to 10 Mbit/s. A call sends at most half
// a ring, because drivers free sent packets in halves.
#define CARD_TX_DESCRIPTORS 64
#define CARD_TX_BURST 32

static struct drb_dpdk_queue *dpdk_queue_of(struct drb_port_queue *q)
{
	return (struct drb_dpdk_queue *)q; // its first member is q
}

static int check_pci(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	(void)workers;
	return drb_pci_check("", path, p);
}

static uint32_t buffers(const struct drb_setup *s)
{
	return 2 * DESCRIPTORS * s->workers;
}

static int dpdk_port_start(struct drb_port *port, const char *path, bool vdev)
{
	const char *device = port->setup->device, *comma = strchr(device, ',');
	char name[64];

	if (!drb_port_own(port, sizeof(struct drb_dpdk_port)))
		return -ENOMEM;
	snprintf(name, sizeof(name), "%.*s", comma ? (int)(comma - device) : 63, device);
	int rc = drb_dpdk_create(port, path, name, !vdev ? NULL : comma ? comma + 1 : "");
	if (rc == 0)
		rc = drb_dpdk_configure(port, path, DESCRIPTORS,
					vdev ? DESCRIPTORS : CARD_TX_DESCRIPTORS);
	if (rc == 0)
		rc = drb_dpdk_begin(port);
	if (rc < 0)
		return rc;
	((struct drb_dpdk_port *)port->own)->parts = drb_dpdk_has_parts(port);
	drb_dpdk_carrier(port); // also reads the link's speed
	return 0;
}

static int interrupt_of(const struct drb_port *port, uint32_t n)
{
	const struct drb_dpdk_port *own = port->own;
	uint32_t rx = drb_port_rx_queue(port, n);

	if (rx == DRB_QUEUE_NONE || !own->interrupts)
		return -1;
	return rte_eth_dev_rx_intr_ctl_q_get_fd(own->device, (uint16_t)rx);
}

static int start_pci(struct drb_port *port, const char *path)
{
	int rc = dpdk_port_start(port, path, false);

	for (uint32_t n = 0; rc == 0 && n < port->workers; n++) {
		port->queue[n]->doorbell = interrupt_of(port, n) >= 0;
		port->queue[n]->send_max = CARD_TX_BURST;
	}
	return rc;
}

static int start_vdev(struct drb_port *port, const char *path)
{
	return dpdk_port_start(port, path, true);
}

static void dpdk_port_stop(struct drb_port *port)
{
	drb_dpdk_remove(port);
	free(port->own);
}

static uint32_t dpdk_port_receive(struct drb_port_queue *q, struct rte_mbuf **packets,
				  uint32_t count)
{
	return rte_eth_rx_burst(dpdk_queue_of(q)->device, q->rx, packets, (uint16_t)count);
}

static uint32_t dpdk_port_send(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			       struct drb_send_result *result)
{
	(void)result; // the driver sends every packet that it takes
	return rte_eth_tx_burst(dpdk_queue_of(q)->device, q->tx, packets, (uint16_t)count);
}

static uint32_t send_counted(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			     struct drb_send_result *result)
{
	uint32_t sent = dpdk_port_send(q, packets, count, result);

	dpdk_queue_of(q)->outstanding += sent;
	return sent;
}

bool drb_dpdk_carrier(const struct drb_port *port)
{
	struct drb_dpdk_port *own = port->own;
	struct rte_eth_link link;

	// A device that cannot report its link counts as up.
	if (rte_eth_link_get_nowait(own->device, &link) < 0)
		return true;
	if (link.link_status && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		atomic_store_explicit(&own->speed, link.link_speed, memory_order_relaxed);
	return link.link_status;
}

static uint64_t speed(const struct drb_port *port)
{
	const struct drb_dpdk_port *own = port->own;

	return UINT64_C(1000000) * atomic_load_explicit(&own->speed, memory_order_relaxed);
}

static uint16_t mtu(const struct drb_port *port)
{
	const struct drb_dpdk_port *own = port->own;
	uint16_t octets;

	return rte_eth_dev_get_mtu(own->device, &octets) == 0 ? octets : 0;
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

// Counts the packets that found no descriptor. A refused buffer (rx_nombuf) loses no packet: it
// stays in the ring. Packets that the card found damaged (ierrors) were lost by the link, not by
// the switch.
static void look_at_losses(struct drb_dpdk_port *own)
{
	uint64_t said[DRB_CARD_READS];
	struct rte_eth_stats stats;

	for (int i = 0; i < DRB_CARD_READS; i++) {
		if (rte_eth_stats_get(own->device, &stats) < 0)
			return;
		said[i] = stats.imissed;
		if (own->losses.begun && said[i] == own->losses.said)
			return; // nothing was lost
	}
	drb_card_losses_note(&own->losses, said);
	atomic_store_explicit(&own->missed, own->losses.missed, memory_order_relaxed);
}

// May take milliseconds, because it asks a card's PHY, and registers behind a bus.
static bool look_at_card(struct drb_port *port)
{
	struct drb_dpdk_port *own = port->own;
	bool up = drb_dpdk_carrier(port);

	look_at_losses(own);
	return atomic_exchange(&own->up, up) != up;
}

static void segments_join(const struct drb_port *port, struct rte_mbuf **packets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (packets[i]->nb_segs > 1)
			packets[i] = drb_join(packets[i], port->frame_max + 1);
	}
}

// The interrupt stays on until a packet comes, which avoids turning it on and off for each sleep.
static uint32_t receive_of_card(struct drb_port_queue *queue, struct rte_mbuf **packets,
				uint32_t count)
{
	struct drb_dpdk_queue *q = dpdk_queue_of(queue);
	uint32_t n = dpdk_port_receive(queue, packets, count);

	if (unlikely(q->armed && n > 0)) {
		rte_eth_dev_rx_intr_disable(q->device, queue->rx);
		q->armed = false;
	}
	if (unlikely(((const struct drb_dpdk_port *)queue->port->own)->parts))
		segments_join(queue->port, packets, n);
	return n;
}

static int watch_card(struct drb_port_queue *q, int epoll_fd)
{
	// Edge-triggered, so that the eventfd need not be read.
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	if (epoll_fd < 0)
		return 0; // closing the set removes the interrupt
	event.data.u64 =
		(uint32_t)rte_eth_dev_rx_intr_ctl_q_get_fd(dpdk_queue_of(q)->device, q->rx);
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, (int)event.data.u64, &event) < 0 ? -errno : 0;
}

static void arm_card(struct drb_port_queue *queue)
{
	struct drb_dpdk_queue *q = dpdk_queue_of(queue);

	if (q->armed)
		return;
	q->armed = q->fresh = true;
	rte_eth_dev_rx_intr_enable(q->device, queue->rx);
}

// False once after the interrupt was turned on. Packets that came before raise none, so the worker
// must receive once more before it sleeps.
static bool is_card_silent(struct drb_port_queue *queue)
{
	struct drb_dpdk_queue *q = dpdk_queue_of(queue);
	bool fresh = q->fresh;

	q->fresh = false;
	return !fresh;
}

static void disarm_card(struct drb_port_queue *q)
{
	(void)q; // done by receive_of_card()
}

static void settle_card(struct drb_port *port)
{
	struct rte_mbuf *packets[SETTLE_BURST];

	for (uint16_t rx = 0; rx < port->rx_queues; rx++) {
		uint16_t device = ((struct drb_dpdk_port *)port->own)->device, n = SETTLE_BURST;
		for (uint32_t i = 0; n > 0 && i < SETTLE_BURSTS; i++) {
			n = rte_eth_rx_burst(device, rx, packets, SETTLE_BURST);
			rte_pktmbuf_free_bulk(packets, n);
		}
	}
}

static bool card_carrier(const struct drb_port *port)
{
	const struct drb_dpdk_port *own = port->own;

	return atomic_load_explicit(&own->up, memory_order_relaxed);
}

// The count is of the whole card, so only its first queue reports it.
static struct drb_port_losses card_losses(struct drb_port_queue *q)
{
	const struct drb_dpdk_port *own = q->port->own;
	struct drb_port_losses lost = {0};

	if (q->rx == 0)
		lost.missed = atomic_load_explicit(&own->missed, memory_order_relaxed);
	return lost;
}

const struct drb_port_kind drb_pci_port = {
	.name = "pci",
	.start = start_pci,
	.stop = dpdk_port_stop,
	.receive = receive_of_card,
	.send = send_counted,
	.carrier = card_carrier,
	.mac = drb_dpdk_mac,
	.check = check_pci,
	.buffers = buffers,
	.end = drb_dpdk_remove_others,
	.losses = card_losses,
	.mtu = mtu,
	.speed = speed,
	.wake = &(const struct drb_wake_ops){.watch = watch_card,
					     .arm = arm_card,
					     .is_silent = is_card_silent,
					     .disarm = disarm_card},
	.card = &(const struct drb_card_ops){.look = look_at_card, .settle = settle_card},
	.is_driven = true,
};

const struct drb_port_kind drb_vdev_port = {
	.name = "vdev",
	.start = start_vdev,
	.stop = dpdk_port_stop,
	.receive = dpdk_port_receive,
	.send = dpdk_port_send,
	.carrier = drb_dpdk_carrier,
	.mac = drb_dpdk_mac,
	.buffers = buffers,
	.mtu = mtu,
	.speed = speed,
	.is_driven = true,
};
