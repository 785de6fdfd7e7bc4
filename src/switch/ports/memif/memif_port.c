// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/memif_port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"
#include "switch/ports/memif/door.h"

#define LOG2_LEAST 6 // logarithm of the fewest descriptors in a ring: a burst of packets

static struct drb_memif_queue *memif_queue_of(struct drb_port_queue *q)
{
	return (struct drb_memif_queue *)q; // its first member is q
}

// True if the directory of a socket exists. Makes it if it is missing in an existing parent.
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

static int memif_port_check(const char *path, const struct drb_port_setup *p, uint32_t workers)
{
	(void)workers;
	if (has_socket_dir(p))
		return 0;
	return drb_config_bad_port(path, p, "socket",
				   "port %s: no directory for \"%s\" (process.memif_dir): %s",
				   p->name, p->socket, strerror(errno));
}

static int memif_port_start(struct drb_port *port, const char *path)
{
	const struct drb_port_setup *p = port->setup;
	struct drb_memif_port *own = drb_port_own(port, sizeof(*own));

	if (!own)
		return -ENOMEM;
	own->door = -1;
	int rc = drb_doorbell_open(port->workers);
	if (rc < 0) {
		drb_error("port %s: memif needs asynchronous I/O to wake its peer: %s: the kernel "
			  "needs CONFIG_AIO, and a container io_setup(); with many other users of "
			  "it, raise fs.aio-max-nr",
			  p->name, strerror(-rc));
		return rc;
	}
	port->rx_queues = (uint16_t)port->workers;
	for (uint32_t n = 0; n < port->workers; n++) {
		struct drb_memif_queue *q = &own->queue[n];
		drb_port_add_queue(port, n, &q->base);
		q->base.doorbell = q->base.unfinished = true;
		q->base.connected = false;
		q->epoll_fd = -1;
	}
	if (!p->up)
		return 0;
	own->door = drb_memif_door_open(p->socket);
	if (own->door >= 0)
		return 0;
	return drb_config_bad_port(path, p, "socket", "port %s: cannot listen on \"%s\": %s",
				   p->name, p->socket, strerror(-own->door));
}

static void memif_port_stop(struct drb_port *port)
{
	struct drb_memif_port *own = port->own;

	if (own && own->door >= 0)
		close(own->door);
	free(own);
}

uint8_t drb_memif_log2_ring(const struct drb_port *port)
{
	const uint32_t parts = (port->frame_max + DRB_MEMIF_BUFFER - 1) / DRB_MEMIF_BUFFER;
	const double carried = drb_port_carries_meanwhile(port) * parts;
	uint8_t log2_size = LOG2_LEAST;

	if (carried == 0 || port->setup->peer.layer == 0) // a host sends bursts
		return DRB_MEMIF_LOG2_RING;
	while (log2_size < DRB_MEMIF_LOG2_RING && 1u << log2_size <= carried)
		log2_size++;
	return log2_size;
}

void drb_memif_port_change(uint32_t n, void *of)
{
	const struct drb_port *port = of;
	struct drb_memif_queue *q = memif_queue_of(port->queue[n]);
	const struct drb_memif_channel *c = atomic_load(&drb_memif_port_of(port)->channel);

	// A slow doorbell rests for a while, and a peer cannot end that by reconnecting.
	const struct drb_doorbell before = q->tx;
	q->rx = q->tx = (struct drb_doorbell){0};
	// A peer may have more rings in one direction than in the other. Use whole pairs only: a
	// ring that is not received from would wake its worker for ever.
	if (c && drb_memif_channel_tx(c, n)->ring) {
		q->rx = *drb_memif_channel_rx(c, n);
		q->tx = *drb_memif_channel_tx(c, n);
		q->tx.asks_each = c->ours;
		q->tx.worker = n;
		drb_doorbell_disarm(&q->rx);
		q->packets = (struct drb_memif_packets){
			.frame_max = port->frame_max,
			.buffer = DRB_MEMIF_BUFFER,
			.marked = c->takes >> DRB_MEMIF_TAKES_UNFINISHED & 1};
	}
	q->tx.slow = before.slow;
	q->tx.rests_ns = before.rests_ns;
	q->base.connected = q->tx.ring;
}

static bool has_link(const struct drb_port *port)
{
	return atomic_load_explicit(&drb_memif_port_of(port)->channel, memory_order_relaxed);
}

static bool no_mac(const struct drb_port *port, uint8_t mac[6])
{
	(void)port;
	(void)mac;
	return false;
}

static uint32_t memif_port_receive(struct drb_port_queue *queue, struct rte_mbuf **packets,
				   uint32_t count)
{
	struct drb_memif_queue *q = memif_queue_of(queue);

	return drb_memif_receive(&q->rx, &q->packets, queue->port->pool, packets, count);
}

static uint32_t memif_port_send(struct drb_port_queue *queue, struct rte_mbuf **packets,
				uint32_t count, struct drb_send_result *result)
{
	struct drb_memif_queue *q = memif_queue_of(queue);

	if (!q->packets.marked)
		drb_finish_checksums(packets, count);
	return drb_memif_send(&q->tx, &q->packets, packets, count, result);
}

static void flush(struct drb_port_queue *q)
{
	drb_doorbell_ring(&memif_queue_of(q)->tx);
}

static uint32_t in_ring(struct drb_port_queue *q)
{
	return drb_doorbell_packets(&memif_queue_of(q)->tx);
}

static int memif_port_watch(struct drb_port_queue *queue, int epoll_fd)
{
	struct drb_memif_queue *q = memif_queue_of(queue);

	q->epoll_fd = epoll_fd;
	return 0;
}

static void arm(struct drb_port_queue *q)
{
	drb_doorbell_arm(&memif_queue_of(q)->rx);
}

static bool is_silent(struct drb_port_queue *q)
{
	return drb_doorbell_silent(&memif_queue_of(q)->rx);
}

static void disarm(struct drb_port_queue *q)
{
	drb_doorbell_disarm(&memif_queue_of(q)->rx);
}

const struct drb_port_kind drb_memif_port = {
	.name = "memif",
	.start = memif_port_start,
	.stop = memif_port_stop,
	.receive = memif_port_receive,
	.send = memif_port_send,
	.carrier = has_link,
	.mac = no_mac,
	.check = memif_port_check,
	.flush = flush,
	.in_ring = in_ring,
	.wake = &(const struct drb_wake_ops){.watch = memif_port_watch,
					     .arm = arm,
					     .is_silent = is_silent,
					     .disarm = disarm},
	.unfinished = true,
};
