// SPDX-License-Identifier: BSD-3-Clause
// The other end of memif and vhost-user links, faster than what it is for: sends frames of captures, the same ones
// again and again, as long as they are taken, and swallows whatever comes. Of tests/bench/dataplane.
//   neighbour EAL-OPTION... -- KIND:SOCKET[:CAPTURE]...
// KIND: memif-server or memif-client, its end of the link; vhost, for a virtio-user device. Without a CAPTURE, and by
// clients of memif, nothing is sent. A client waits for its server. /neighbour tells how many packets were offered, and how many of them taken.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pcap/pcap.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_telemetry.h>
#include <rte_vhost.h>

#include "switch/control/replies.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/doorbell.h"

enum {
	LINKS_MAX = 16,
	FRAMES_MAX = 128,
	BURST = 32,
	DESCRIPTORS = 512,
	RETRY_US = 50000,
	OCTETS_MAX = 64, // of a frame
	BUFFER = 2048,   // of memif
};

struct link {
	const char *socket;
	struct rte_mbuf **frame; // NULL: sends nothing
	uint32_t frames, next;
	bool vhost, client;
	// memif
	uint16_t device;
	struct drb_memif_link *memif;
	bool connected;
	bool started; // a client
	// vhost. The ring of what the device sends.
	int id;
	struct rte_vhost_vring sent;
	uint16_t swallowed;
	_Atomic bool ready; // written by vhost's thread
};

static struct link links[LINKS_MAX];
static uint32_t count;
static struct rte_mempool *pool;
static _Atomic uint64_t offered, taken;

static void need(bool holds, const char *what, const char *of)
{
	if (holds)
		return;
	fprintf(stderr, "neighbour: %s: %s\n", of, what);
	exit(1);
}

static void read_capture(struct link *l, const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const u_char *octets;
	pcap_t *capture = pcap_open_offline(path, why);

	need(capture, why, path);
	l->frame = calloc(FRAMES_MAX, sizeof(struct rte_mbuf *));
	need(l->frame, "out of memory", path);
	for (; l->frames < FRAMES_MAX && pcap_next_ex(capture, &head, &octets) == 1; l->frames++) {
		struct rte_mbuf *m = l->frame[l->frames] = rte_pktmbuf_alloc(pool);
		need(m, "more frames than there are buffers", path);
		need(head->caplen <= OCTETS_MAX, "a frame is too long", path);
		memcpy(rte_pktmbuf_append(m, (uint16_t)head->caplen), octets, head->caplen);
	}
	need(l->frames >= BURST, "too few frames", path);
	pcap_close(capture);
}

// vhost

static struct link *link_at(int id)
{
	char path[256];

	rte_vhost_get_ifname(id, path, sizeof(path));
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(links[i].socket, path) == 0)
			return &links[i];
	}
	return NULL;
}

static int device_came(int id)
{
	struct link *l = link_at(id);

	if (!l || rte_vhost_get_vhost_vring(id, 1, &l->sent) < 0)
		return -1;
	rte_vhost_enable_guest_notification(id, 0, 0);
	rte_vhost_enable_guest_notification(id, 1, 0);
	l->id = id;
	l->ready = true;
	return 0;
}

static void device_went(int id)
{
	(void)id;
	_exit(0); // its memory is gone; who started it wants nothing more
}

static void open_vhost(struct link *l)
{
	static const struct rte_vhost_device_ops calls = {.new_device = device_came,
							  .destroy_device = device_went};
	// What is sent is swallowed by a ring of the first form.
	const uint64_t not = 1ULL << 34 /* VIRTIO_F_RING_PACKED */;

	need(rte_vhost_driver_register(l->socket, 0) == 0 &&
		     rte_vhost_driver_disable_features(l->socket, not ) == 0 &&
		     rte_vhost_driver_callback_register(l->socket, &calls) == 0 &&
		     rte_vhost_driver_start(l->socket) == 0,
	     "no vhost socket", l->socket);
}

// All that the device has sent goes back to it, unread.
static void swallow_vhost(struct link *l)
{
	const struct rte_vhost_vring *v = &l->sent;
	const uint16_t mask = (uint16_t)(v->size - 1);
	const uint16_t end = __atomic_load_n(&v->avail->idx, __ATOMIC_ACQUIRE);

	if (l->swallowed == end)
		return;
	for (; l->swallowed != end; l->swallowed++)
		v->used->ring[l->swallowed & mask] =
			(struct vring_used_elem){v->avail->ring[l->swallowed & mask], 0};
	__atomic_store_n(&v->used->idx, end, __ATOMIC_RELEASE);
}

// memif

static void open_memif(struct link *l, uint32_t index)
{
	const struct rte_eth_conf conf = {0};
	char name[32], args[512];

	l->memif = drb_memif_link_new(&(struct drb_memif_link){
		.port = l->socket, .server = !l->client, .queues = 1, .connected = &l->connected});
	need(l->memif, "out of memory", l->socket);
	drb_memif_enter(l->memif);
	snprintf(name, sizeof(name), "net_memif%u", index);
	snprintf(args, sizeof(args), "%s,role=%s,socket=%s,socket-abstract=no,rsize=10", name,
		 l->client ? "client" : "server", l->socket);
	need(rte_dev_probe(args) == 0 && rte_eth_dev_get_port_by_name(name, &l->device) == 0 &&
		     rte_eth_dev_configure(l->device, 1, 1, &conf) == 0 &&
		     rte_eth_rx_queue_setup(l->device, 0, DESCRIPTORS, SOCKET_ID_ANY, NULL, pool) ==
			     0 &&
		     rte_eth_tx_queue_setup(l->device, 0, DESCRIPTORS, SOCKET_ID_ANY, NULL) == 0,
	     "no memif device", l->socket);
	if (!l->client)
		need(rte_eth_dev_start(l->device) == 0, "cannot listen", l->socket);
	drb_memif_leave();
}

// Not by the driver: with it this end would be the slower one. Of what comes the first octets are read.
static void swallow_memif(struct link *l)
{
	struct drb_doorbell *rx = &l->memif->rx[0];
	const bool lends = rx->empty > 0;

	if (!rx->ring)
		return;
	const uint16_t end = atomic_load_explicit(lends ? &rx->ring->tail : &rx->ring->head,
						  memory_order_acquire);
	if (lends && rx->next == end && rx->lent == (uint16_t)(end + rx->size))
		return;
	for (; rx->next != end; rx->next++) {
		struct drb_memif_desc *d = &rx->ring->desc[rx->next & (rx->size - 1)];
		(void)*(volatile uint64_t *)(rx->memory->region[d->region].at + d->offset);
	}
	if (!lends) {
		atomic_store_explicit(&rx->ring->tail, end, memory_order_release);
		return;
	}
	for (; rx->lent != (uint16_t)(end + rx->size); rx->lent++)
		rx->ring->desc[rx->lent & (rx->size - 1)].length = BUFFER;
	atomic_store_explicit(&rx->ring->head, rx->lent, memory_order_release);
}

// To a client, who lends the places.
static uint16_t send_memif(struct link *l, struct rte_mbuf **frame)
{
	struct drb_doorbell *tx = &l->memif->tx[0];
	uint16_t n = 0;

	if (!tx->ring)
		return 0;
	const uint16_t room =
		(uint16_t)(atomic_load_explicit(&tx->ring->head, memory_order_acquire) - tx->next);
	for (; n < BURST && n < room; n++, tx->next++) {
		struct drb_memif_desc *d = &tx->ring->desc[tx->next & (tx->size - 1)];
		memcpy(tx->memory->region[d->region].at + d->offset,
		       rte_pktmbuf_mtod(frame[n], const void *), OCTETS_MAX);
		d->length = frame[n]->data_len;
		d->flags = 0;
		d->metadata = 0;
	}
	atomic_store_explicit(&tx->ring->tail, tx->next, memory_order_release);
	return n;
}

// True if somebody listens. The driver asks once, when the device starts, and does not take no for an answer.
static bool has_server(const struct link *l)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", l->socket);
	bool has = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
	close(fd);
	return has;
}

static bool is_up(struct link *l)
{
	if (l->vhost)
		return l->ready;
	if (l->client && !l->started) {
		if (!has_server(l))
			return false;
		drb_memif_enter(l->memif);
		need(rte_eth_dev_start(l->device) == 0, "no connection", l->socket);
		drb_memif_leave();
		l->started = true;
	}
	return l->connected;
}

static void serve(struct link *l)
{
	if (l->frame) {
		struct rte_mbuf **frame = l->frame + l->next;
		uint16_t n = l->vhost ? rte_vhost_enqueue_burst(l->id, 0, frame, BURST)
				      : send_memif(l, frame);
		l->next = l->next + n + BURST <= l->frames ? l->next + n : 0;
		atomic_store_explicit(&offered, offered + BURST, memory_order_relaxed);
		atomic_store_explicit(&taken, taken + n, memory_order_relaxed);
	}
	if (l->vhost)
		swallow_vhost(l);
	else
		swallow_memif(l);
}

static int tell(const char *command, const char *args, struct rte_tel_data *d)
{
	(void)command, (void)args;
	rte_tel_data_start_dict(d);
	add_dict_u64(d, "offered", offered);
	return add_dict_u64(d, "taken", taken);
}

static void open_link(char *text)
{
	struct link *l = &links[count];
	const char *kind = strtok(text, ":");
	const char *socket = strtok(NULL, ":"), *capture = strtok(NULL, ":");

	need(socket && count < LINKS_MAX, "no KIND:SOCKET[:CAPTURE], or too many", text);
	*l = (struct link){.socket = socket,
			   .vhost = strcmp(kind, "vhost") == 0,
			   .client = strcmp(kind, "memif-client") == 0};
	need(l->vhost || l->client || strcmp(kind, "memif-server") == 0, "no such kind", kind);
	need(!capture || !l->client, "clients of memif send nothing", l->socket);
	if (capture)
		read_capture(l, capture);
	count++;
	if (l->vhost)
		open_vhost(l);
	else
		open_memif(l, count);
}

int main(int argc, char **argv)
{
	int used = rte_eal_init(argc, argv);

	need(used >= 0, "DPDK did not start", "EAL");
	// Small and few buffers: they stay in the caches.
	pool = rte_pktmbuf_pool_create("frames", LINKS_MAX * FRAMES_MAX, 64, 0,
				       RTE_PKTMBUF_HEADROOM + OCTETS_MAX, SOCKET_ID_ANY);
	need(pool, "no memory", "buffers");
	for (int i = used + 1; i < argc; i++)
		open_link(argv[i]);
	rte_telemetry_register_cmd("/neighbour", tell, "Packets offered and taken");
	for (uint32_t i = 0; i < count; i++) {
		while (!is_up(&links[i]))
			usleep(RETRY_US);
	}
	for (;;) {
		for (uint32_t i = 0; i < count; i++)
			serve(&links[i]);
	}
}
