// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "common/config/config_file.h"
#include "common/cli/log.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/connect.h"
#include "switch/ports/packet_socket/driver_fixes.h"
#include "switch/startup/packet_pool.h"
#include "switch/ports/xdp/steer.h"

#define RX_DESCRIPTORS 512
#define TX_DESCRIPTORS 512
// Frames of the ring of each receive queue of an af_packet port. The ring holds what comes while
// its switch is off its CPU: with 512 it lost bursts of TCP segments, with 2048 it loses nothing
// more but is too long for the cache. A frame has room for a packet and 66 octets before it; at a
// power of two they would all want the same part of the cache. A block is pages that frames fill
// exactly.
#define AF_PACKET_FRAMES 1024
#define AF_PACKET_FRAME 1664
#define AF_PACKET_BLOCK_PAGES 13
// The af_xdp driver fills this many buffers per queue at start, whatever it was asked for. Rings of
// this length take them all while the worker is off its CPU; a shorter one drops packets there are
// buffers for.
#define AF_XDP_FILL 2048

uint32_t drb_ports_mbufs(const struct drb_setup *s)
{
	uint32_t ports = s->down_ports + s->up_ports,
		 n = (DRB_POOL_CACHE * 2 + s->burst) * s->workers + s->buffers;

	for (uint32_t i = 0; i < ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		n += p->queue + 2; // and hellos
		if (p->driver == DRB_DRIVER_AF_XDP)
			n += 2 * AF_XDP_FILL * s->workers;
		else if (p->driver != DRB_DRIVER_AF_PACKET && p->driver != DRB_DRIVER_NONE)
			n += (RX_DESCRIPTORS + TX_DESCRIPTORS) * s->workers;
	}
	return n;
}

// The vdev name and arguments of a port. The name is unique within the process.
static void describe(const struct drb_port_setup *p, uint32_t workers, char name[64],
		     char args[1024])
{
	const char *comma = strchr(p->device, ','), *program = drb_steer_program(p);

	switch (p->driver) {
	case DRB_DRIVER_AF_PACKET:
		snprintf(name, 64, "net_af_packet_%s", p->name);
		snprintf(args, 1024, "iface=%s,blocksz=%d,framesz=%d,framecnt=%d,qpairs=%u",
			 p->interface, AF_PACKET_BLOCK_PAGES * getpagesize(), AF_PACKET_FRAME,
			 AF_PACKET_FRAMES, workers);
		break;
	case DRB_DRIVER_AF_XDP:
		// An empty poll with a busy budget would enter the kernel each time.
		snprintf(name, 64, "net_af_xdp_%s", p->name);
		snprintf(args, 1024, "iface=%s,start_queue=0,queue_count=%u,busy_budget=0%s%s",
			 p->interface, workers, program ? ",xdp_prog=" : "",
			 program ? program : "");
		break;
	case DRB_DRIVER_MEMIF:
		// The socket is a file: abstract ones end at the network namespace.
		snprintf(name, 64, "net_memif_%s", p->name);
		snprintf(args, 1024, "role=%s,socket=%s,socket-abstract=no,rsize=10",
			 p->up ? "server" : "client", p->socket);
		break;
	default:
		snprintf(name, 64, "%.*s", comma ? (int)(comma - p->device) : 63, p->device);
		snprintf(args, 1024, "%s", comma ? comma + 1 : "");
		break;
	}
}

static int init_vdev(const char *name, const char *args, struct drb_memif_link *memif)
{
	if (!memif)
		return rte_vdev_init(name, args);
	// The socket that a server listens on is for this user alone.
	mode_t mask = umask(0177);
	drb_memif_enter(memif);
	int rc = rte_vdev_init(name, args);
	drb_memif_leave();
	umask(mask);
	return rc;
}

// -EINVAL for a device string that no driver takes, with a message naming its line.
static int create(const char *path, const struct drb_port_setup *p, uint32_t workers, uint16_t *id,
		  struct drb_memif_link *memif)
{
	char name[64], args[1024], key[64];
	int rc;

	describe(p, workers, name, args);
	// The socket of a server that was killed stands in the way of the next.
	if (p->driver == DRB_DRIVER_MEMIF && p->up && drb_memif_probe(p->socket) == -ECONNREFUSED)
		unlink(p->socket);
	drb_packet_asks = drb_packet_unringed = p->driver == DRB_DRIVER_AF_PACKET;
	rc = p->driver == DRB_DRIVER_PCI ? 0 : init_vdev(name, args, memif);
	drb_packet_asks = drb_packet_unringed = false;
	if (rc < 0) {
		snprintf(key, sizeof(key), "%s%s", p->key,
			 p->driver == DRB_DRIVER_VDEV ? "device" : "driver");
		return drb_config_bad(path, key,
				      "port %s: cannot create device \"%s%s%s\" (-v shows what the "
				      "driver says)",
				      p->name, name, *args ? "," : "", args);
	}
	if (rte_eth_dev_get_port_by_name(name, id) < 0) {
		snprintf(key, sizeof(key), "%sdevice", p->key);
		return drb_config_bad(path, key,
				      "port %s: \"%s\" is no device that a driver of this program "
				      "knows",
				      p->name, name);
	}
	return 0;
}

// A device's queues: one to transmit for each worker, and as many to receive if it has them.
struct queues {
	uint16_t rx, tx;
};

static int count_queues(const char *path, const struct drb_port_setup *p, uint16_t id,
			uint32_t workers, struct queues *q, struct rte_eth_conf *conf)
{
	const uint64_t wanted = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(id, &info) < 0)
		return -ENODEV;
	if (info.max_tx_queues < workers)
		return drb_config_bad(path, "process.workers",
				      "port %s: \"%s\" has %u transmit queues, too few for %u "
				      "workers",
				      p->name, drb_port_device(p), info.max_tx_queues, workers);
	q->tx = (uint16_t)workers;
	q->rx = info.max_rx_queues < workers ? info.max_rx_queues : (uint16_t)workers;
	if (q->rx > 1 && (info.flow_type_rss_offloads & wanted)) {
		conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf->rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads & wanted;
	}
	return 0;
}

// Clients of memif start when they find their server (memif_seek.h).
static int start_device(const struct drb_port_setup *p, uint16_t id, struct drb_memif_link *memif)
{
	int rc = 0;

	if (!memif)
		return rte_eth_dev_start(id);
	if (p->up) {
		drb_memif_enter(memif);
		rc = rte_eth_dev_start(id);
		drb_memif_leave();
	}
	return rc;
}

static int start(const struct drb_port_setup *p, uint16_t id, const struct queues *queues,
		 const struct rte_eth_conf *conf, struct rte_mempool *pool,
		 struct drb_memif_link *memif)
{
	bool xdp = p->driver == DRB_DRIVER_AF_XDP;
	uint16_t rx = xdp ? AF_XDP_FILL : RX_DESCRIPTORS, tx = xdp ? AF_XDP_FILL : TX_DESCRIPTORS;
	unsigned node = (unsigned)rte_eth_dev_socket_id(id);
	const char *step = "configure";
	int rc = rte_eth_dev_configure(id, queues->rx, queues->tx, conf);

	if (rc == 0)
		rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
	for (uint16_t q = 0; rc == 0 && q < queues->rx; q++) {
		step = "set up a receive queue of";
		rc = rte_eth_rx_queue_setup(id, q, rx, node, NULL, pool);
	}
	for (uint16_t q = 0; rc == 0 && q < queues->tx; q++) {
		step = "set up a transmit queue of";
		rc = rte_eth_tx_queue_setup(id, q, tx, node, NULL);
	}
	if (rc == 0) {
		step = "start";
		rc = start_device(p, id, memif);
	}
	if (rc == 0) {
		// Frames carry the MACs of hosts, not of ports. In-memory devices take all anyway.
		step = "make promiscuous";
		rc = rte_eth_promiscuous_enable(id);
		rc = rc == -ENOTSUP ? 0 : rc;
	}
	if (rc < 0)
		drb_error("port %s: cannot %s its device: %s", p->name, step, rte_strerror(-rc));
	return rc;
}

// Also behind a vdev there may be sockets; drivers open them queue by queue.
static int find_sockets(struct drb_port_set *set, const struct drb_port_setup *p, uint32_t i)
{
	for (uint32_t n = 0; n < set->rx_queues[i]; n++)
		set->socket[n][i] =
			drb_kernel_socket_new(&set->socket[0][0], DRB_WORKERS_MAX * DRB_PORTS_MAX);
	if (p->driver != DRB_DRIVER_AF_PACKET || set->socket[set->rx_queues[i] - 1][i].fd >= 0)
		return 0;
	drb_error("port %s: cannot find its socket in /proc/self/fd", p->name);
	return -EIO;
}

static int start_port(struct drb_port_set *set, const char *path, const struct drb_setup *s,
		      uint32_t i)
{
	const struct drb_port_setup *p = &s->ports[i];
	struct rte_eth_conf conf = {0};
	struct queues queues = {0};
	int rc = 0;

	if (p->driver == DRB_DRIVER_MEMIF) {
		set->memif[i] = drb_memif_link_new(p->up);
		rc = set->memif[i] ? 0 : -ENOMEM;
	}
	if (rc == 0)
		rc = create(path, p, s->workers, &set->dpdk[i], set->memif[i]);
	if (rc == 0)
		rc = count_queues(path, p, set->dpdk[i], s->workers, &queues, &conf);
	if (rc == 0)
		rc = start(p, set->dpdk[i], &queues, &conf, set->pool, set->memif[i]);
	set->rx_queues[i] = queues.rx;
	return rc == 0 ? find_sockets(set, p, i) : rc;
}

// After all drivers' sockets were found, among which these would be. Copying af_xdp makes a packet
// of each frame anyway.
static void open_outs(struct drb_port_set *set, const struct drb_setup *s)
{
	bool spared = s->workers == 1 || drb_packet_fanout_spares();

	for (uint32_t i = 0; i < set->count; i++) {
		enum drb_driver driver = s->ports[i].driver;
		for (uint32_t n = 0; n < s->workers; n++) {
			struct drb_tx_socket *out = &set->out[n][i];
			if (driver != DRB_DRIVER_AF_PACKET && driver != DRB_DRIVER_AF_XDP)
				continue;
			if (!(spared && drb_tx_socket_open(out, s->ports[i].interface)) &&
			    driver == DRB_DRIVER_AF_PACKET)
				out->fd = set->socket[n][i].fd;
		}
	}
}

int drb_ports_start(struct drb_port_set *set, const char *path, const struct drb_setup *s,
		    uint32_t mbufs)
{
	int rc = 0;

	drb_packet_fanout = s->workers > 1;
	*set = (struct drb_port_set){.count = s->down_ports + s->up_ports};
	for (uint32_t i = 0; i < set->count; i++) {
		set->dpdk[i] = DRB_PORT_NONE;
		for (uint32_t n = 0; n < DRB_WORKERS_MAX; n++)
			set->socket[n][i].fd = set->out[n][i].fd = -1;
	}
	set->pool = drb_pool_new(s, mbufs);
	if (!set->pool) {
		drb_error("cannot allocate %u packet buffers: %s (process.memory sets the MiB)",
			  mbufs, rte_strerror(rte_errno));
		return -rte_errno;
	}
	if (drb_steer_init(s) < 0)
		rc = -EIO;
	for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
		if (s->ports[i].driver != DRB_DRIVER_NONE)
			rc = start_port(set, path, s, i);
	}
	if (rc < 0)
		drb_ports_stop(set);
	else
		open_outs(set, s);
	return rc;
}

static void close_outs(struct drb_port_set *set)
{
	for (uint32_t n = 0; n < DRB_WORKERS_MAX; n++) {
		for (uint32_t i = 0; i < set->count; i++) {
			if (set->out[n][i].headed)
				close(set->out[n][i].fd);
			set->out[n][i] = (struct drb_tx_socket){.fd = -1};
		}
	}
}

void drb_ports_stop(struct drb_port_set *set)
{
	drb_memif_close();
	close_outs(set);
	for (uint32_t i = set->count; i-- > 0;) {
		if (set->dpdk[i] == DRB_PORT_NONE)
			continue;
		struct rte_eth_dev_info info = {0};
		int known = rte_eth_dev_info_get(set->dpdk[i], &info);
		rte_eth_promiscuous_disable(set->dpdk[i]);
		rte_eth_dev_stop(set->dpdk[i]);
		rte_eth_dev_close(set->dpdk[i]);
		if (known == 0 && info.device)
			rte_dev_remove(info.device);
		set->dpdk[i] = DRB_PORT_NONE;
	}
	drb_memif_forget();
	for (uint32_t i = 0; i < set->count; i++) {
		drb_memif_link_free(set->memif[i]);
		set->memif[i] = NULL;
	}
	rte_mempool_free(set->pool);
	set->pool = NULL;
}
