// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/xdp/xdp_port.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/config/complaint.h"
#include "switch/ports/interface.h"
#include "switch/ports/dpdk/dpdk_port.h"
#include "switch/ports/packet_socket/packet_port.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/packet_socket/veth_offload.h"
#include "switch/ports/xdp/steer.h"
#include "switch/ports/xdp/veth_port.h"

// The driver fills this many buffers per queue at start, whatever it was asked for. Rings of this
// length take them all while the worker is off its CPU; a shorter one drops packets there are
// buffers for.
#define FILL 2048
// The kernel sends at most 32 packets of an AF_XDP socket per call; a longer burst would spin inside
// the driver.
#define SEND_MAX 32

// A packet must fit into a page, with what DPDK and the kernel keep before it; so must what a veth's peer may send
// to an XDP program.
#define MTU_MAX 3400

struct xdp_port {
	struct drb_dpdk_port dpdk;
	struct drb_tx_socket out[DRB_WORKERS_MAX]; // fd -1: the driver sends
	int ask_fd;                                // to ask for the carrier by
	unsigned interface;                        // its index, when the port was opened
};

static struct xdp_port *own_of(const struct drb_port *port)
{
	return port->own;
}

// Queues that the driver finds at an interface: one where there are no combined channels.
static uint32_t queues_of(const char *interface)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ifreq request = {.ifr_data = (void *)&channels};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request) < 0)
		channels.max_combined = 0;
	if (fd >= 0)
		close(fd);
	return channels.max_combined ? channels.combined_count : 1;
}

static int check(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	if (drb_interface_check(path, p) < 0)
		return -EINVAL;
	uint32_t queues = queues_of(p->interface);
	if (queues < workers)
		return drb_config_bad(path, "process.workers",
				      "port %s: the af_xdp driver needs a channel of interface "
				      "\"%s\" for each of %u workers and finds %u (ethtool -l; a "
				      "veth has 1): take fewer workers or another driver",
				      p->name, p->interface, workers, queues);
	if (strchr(p->xdp, '/') && access(p->xdp, R_OK) < 0) {
		return drb_config_bad_port(path, p, "xdp", "port %s: no program \"%s\": %s",
					   p->name, p->xdp, strerror(errno));
	}
	return 0;
}

static uint32_t buffers(uint32_t workers)
{
	return 2 * FILL * workers;
}

static int create(struct drb_port *port, const char *path)
{
	const char *program = drb_steer_program(port->setup);
	char name[64], args[1024];

	// An empty poll with a busy budget would enter the kernel each time.
	snprintf(name, sizeof(name), "net_af_xdp_%s", port->setup->name);
	snprintf(args, sizeof(args), "iface=%s,start_queue=0,queue_count=%u,busy_budget=0%s%s",
		 port->setup->interface, port->workers, program ? ",xdp_prog=" : "",
		 program ? program : "");
	return drb_dpdk_create(port, path, name, args);
}

static void open_outs(struct drb_port *port)
{
	struct xdp_port *own = own_of(port);

	for (uint32_t n = 0; n < port->workers; n++) {
		struct drb_tx_socket *out = &own->out[n];
		if (drb_packet_port_may_send_apart(port->workers) &&
		    drb_is_veth(port->setup->interface) &&
		    drb_tx_socket_open(out, port->setup->interface, -1))
			port->queue[n]->reviewed = port->queue[n]->unfinished = true;
		else
			port->queue[n]->send_max = SEND_MAX;
	}
}

static int start(struct drb_port *port, const char *path)
{
	struct drb_kernel_sockets before;
	struct xdp_port *own;

	if (drb_veth_port_start(port))
		return 0;
	before = drb_kernel_sockets();
	own = drb_port_own(port, sizeof(*own));

	if (!own)
		return -ENOMEM;
	own->dpdk.device = DRB_DPDK_NONE;
	for (uint32_t n = 0; n < DRB_WORKERS_MAX; n++)
		own->out[n].fd = -1;
	own->ask_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	own->interface = if_nametoindex(port->setup->interface);
	int rc = create(port, path);
	if (rc == 0)
		rc = drb_dpdk_configure(port, path, FILL, FILL);
	if (rc == 0)
		rc = drb_dpdk_begin(port, true);
	if (rc < 0)
		return rc;
	drb_dpdk_take_sockets(port, &before);
	open_outs(port);
	return 0;
}

static void stop(struct drb_port *port)
{
	struct xdp_port *own = own_of(port);

	for (uint32_t n = 0; own && n < DRB_WORKERS_MAX; n++)
		drb_tx_socket_close(&own->out[n]);
	drb_dpdk_remove(port);
	if (own && own->ask_fd >= 0)
		close(own->ask_fd);
	free(own);
}

// The kernel does not tell an XDP program what a sender left to its device.
static uint32_t receive_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count)
{
	uint32_t n = drb_dpdk_receive(q, packets, count);

	for (uint32_t i = 0; i < n; i++)
		drb_find_unfinished(packets[i]);
	return n;
}

static uint32_t send_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			   struct drb_send_result *result)
{
	struct drb_tx_socket *out = &own_of(q->port)->out[q->tx];

	if (out->fd >= 0)
		return drb_tx_socket_send(out, packets, count, result);
	return drb_dpdk_send(q, packets, count, result);
}

// An interface that was made again has another index, mostly.
static bool is_bound(const struct drb_port *port)
{
	return if_nametoindex(port->setup->interface) == own_of(port)->interface;
}

static bool carrier(const struct drb_port *port)
{
	return is_bound(port) && drb_interface_up(own_of(port)->ask_fd, port->setup->interface);
}

static uint16_t mtu(const struct drb_port *port)
{
	return drb_interface_mtu(own_of(port)->ask_fd, port->setup->interface);
}

static const char *state(const struct drb_port *port)
{
	return is_bound(port) ? drb_interface_state(port->setup->interface) : "gone";
}

static void review(struct drb_port_queue *q)
{
	drb_tx_socket_review(&own_of(q->port)->out[q->tx]);
}

bool drb_xdp_port_count(const struct drb_port *port, struct drb_xdp_counters *counts)
{
	if (!drb_steer_read(port->setup->interface, counts))
		return false;
	if (drb_veth_port_is(port)) {
		drb_veth_port_count(port, counts);
		return true;
	}
	for (uint32_t n = 0; n < port->workers; n++)
		drb_kernel_socket_xdp(&own_of(port)->dpdk.queue[n].socket, counts);
	return true;
}

const struct drb_port_kind drb_xdp_port = {
	.name = "af_xdp",
	.check = check,
	.buffers = buffers,
	.mtu_max = MTU_MAX,
	.yields_unfinished = true,
	.start = start,
	.stop = stop,
	.receive = receive_burst,
	.send = send_burst,
	.carrier = carrier,
	.mtu = mtu,
	.state = state,
	.mac = drb_dpdk_mac,
	.missed = drb_dpdk_missed,
	.is_bound = is_bound,
	.review = review,
};
