// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/memif_port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/memif/server_probe.h"

#define DESCRIPTORS 512

// Stopped ports: their links are what callbacks speak of, which the driver may have left registered.
static struct drb_memif_port *stopped;

static struct drb_memif_port *own_of(const struct drb_port *port)
{
	return port->own;
}

static struct drb_memif_link *link_of(const struct drb_port_queue *q)
{
	return own_of(q->port)->link;
}

// The directory of a socket, made if only itself is missing.
static bool has_socket_dir(const struct drb_port_setup *p)
{
	char dir[sizeof(p->socket)];
	struct stat st;

	snprintf(dir, sizeof(dir), "%s", p->socket);
	char *slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return true;
	*slash = '\0';
	if (mkdir(dir, 0700) == 0)
		return true;
	if (errno == EEXIST && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST;
}

static int check(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	(void)workers;
	if (has_socket_dir(p))
		return 0;
	return drb_config_bad_port(path, p, "socket",
				   "port %s: no directory for \"%s\" (process.memif_dir): %s",
				   p->name, p->socket, strerror(errno));
}

static int create(struct drb_port *port, const char *path)
{
	const struct drb_port_setup *p = port->setup;
	char name[64], args[256];

	// The socket of a server that was killed stands in the way of the next.
	if (p->up && drb_memif_probe(p->socket) == -ECONNREFUSED)
		unlink(p->socket);
	// The socket is a file: abstract ones end at the network namespace.
	snprintf(name, sizeof(name), "net_memif_%s", p->name);
	snprintf(args, sizeof(args), "role=%s,socket=%s,socket-abstract=no,rsize=%d,bsize=%d",
		 p->up ? "server" : "client", p->socket, DRB_MEMIF_LOG2_RING, DRB_MEMIF_BUFFER);
	// The socket that a server listens on is for this user alone.
	mode_t mask = umask(0177);
	drb_memif_enter(own_of(port)->link);
	int rc = drb_dpdk_create(port, path, name, args);
	drb_memif_leave();
	umask(mask);
	return rc;
}

static int start(struct drb_port *port, const char *path)
{
	struct drb_memif_port *own = drb_port_own(port, sizeof(*own));

	if (!own)
		return -ENOMEM;
	own->dpdk.device = DRB_DPDK_NONE;
	own->link = drb_memif_link_new(&(struct drb_memif_link){
		.port = port->setup->name,
		.server = port->setup->up,
		.queues = port->workers,
		.connected = &port->connected,
		.of = port,
	});
	if (!own->link) {
		drb_error("port %s: out of memory", port->setup->name);
		return -ENOMEM;
	}
	port->needs_peer = true;
	int rc = create(port, path);
	if (rc == 0)
		rc = drb_dpdk_configure(port, path, DESCRIPTORS, DESCRIPTORS);
	if (rc < 0)
		return rc;
	// Clients start when they find their server (connect.h).
	for (uint32_t n = 0; n < port->workers; n++)
		port->queue[n]->doorbell = port->queue[n]->unfinished = true;
	drb_memif_enter(own->link);
	rc = drb_dpdk_begin(port, port->setup->up);
	drb_memif_leave();
	return rc;
}

static void stop(struct drb_port *port)
{
	struct drb_memif_port *own = port->own;

	if (!own)
		return;
	drb_memif_close();
	drb_memif_enter(own->link);
	drb_dpdk_remove(port);
	drb_memif_leave();
	own->next = stopped;
	stopped = own;
}

static void end(void)
{
	drb_memif_forget();
	while (stopped) {
		struct drb_memif_port *gone = stopped;
		stopped = gone->next;
		drb_memif_link_free(gone->link);
		free(gone);
	}
}

void drb_memif_port_restart(struct drb_port *port)
{
	const struct drb_memif_port *own = own_of(port);

	drb_memif_enter(own->link);
	if (!drb_dpdk_carrier(port)) { // may have come while this waited to enter
		rte_eth_dev_stop(own->dpdk.device);
		rte_eth_dev_start(own->dpdk.device);
	}
	drb_memif_leave();
}

// The driver keeps the control channel; packets pass it by.
static struct drb_memif_packets packets_of(const struct drb_port_queue *q,
					   const struct drb_doorbell *ring)
{
	return (struct drb_memif_packets){
		.frame_max = q->port->frame_max,
		.buffer = DRB_MEMIF_BUFFER,
		.marked = drb_memif_takes(ring, DRB_MEMIF_TAKES_UNFINISHED),
	};
}

static uint32_t receive_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_doorbell *rx = &link_of(q)->rx[q->rx];
	const struct drb_memif_packets p = packets_of(q, rx);

	return drb_memif_receive(rx, &p, q->port->pool, packets, count);
}

static uint32_t send_burst(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			   struct drb_send_result *result)
{
	struct drb_doorbell *tx = &link_of(q)->tx[q->tx];
	const struct drb_memif_packets p = packets_of(q, tx);

	if (!p.marked)
		drb_finish_checksums(packets, count);
	return drb_memif_send(tx, &p, packets, count, result);
}

static void flush(struct drb_port_queue *q)
{
	drb_doorbell_ring(&link_of(q)->tx[q->tx]);
}

static uint32_t in_ring(struct drb_port_queue *q)
{
	return drb_doorbell_packets(&link_of(q)->tx[q->tx]);
}

static int watch(struct drb_port_queue *q, int epoll_fd)
{
	struct drb_memif_link *link = link_of(q);

	drb_memif_enter(link);
	int rc = drb_memif_link_watch(link, q->rx, epoll_fd);
	drb_memif_leave();
	return rc;
}

static void arm(struct drb_port_queue *q)
{
	drb_doorbell_arm(&link_of(q)->rx[q->rx]);
}

static bool is_silent(struct drb_port_queue *q)
{
	return drb_doorbell_silent(&link_of(q)->rx[q->rx]);
}

static void disarm(struct drb_port_queue *q)
{
	drb_doorbell_disarm(&link_of(q)->rx[q->rx]);
}

const struct drb_port_kind drb_memif_port = {
	.name = "memif",
	.start = start,
	.stop = stop,
	.receive = receive_burst,
	.send = send_burst,
	.carrier = drb_dpdk_carrier,
	.mac = drb_dpdk_mac,
	.check = check,
	.end = end,
	.flush = flush,
	.in_ring = in_ring,
	.wake =
		&(const struct drb_wake_ops){
			.watch = watch, .arm = arm, .is_silent = is_silent, .disarm = disarm},
	.unfinished = true,
	.is_device = true,
};
