// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/hellos.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "common/cli/log.h"
#include "switch/datapath/hello_sockets.h"
#include "switch/datapath/requests.h"
#include "switch/datapath/transmit.h"
#include "switch/ports/packet_socket/hello_outbox.h"

// Most hellos that other workers hand over between two iterations: several from each port.
#define RING_SIZE 256
// Time for which each port sends its own hellos after an interface has filled the shared socket.
// Each new attempt to send together costs every neighbour a hello.
#define APART_NS UINT64_C(60000000000)

static const struct drb_port *port_of(const struct drb_worker *w, uint32_t i)
{
	return w->port[i].queue->port;
}

static bool has_carrier(void *worker, uint32_t i)
{
	const struct drb_port *port = port_of(worker, i);

	return port->kind->carrier(port);
}

static uint16_t mtu(void *worker, uint32_t i)
{
	const struct drb_port *port = port_of(worker, i);

	return port->kind->mtu ? port->kind->mtu(port) : 0;
}

static uint64_t count_own(const struct drb_worker *w, uint32_t i)
{
	return w->port[i].in_packets - w->port[i].in_discards;
}

static uint64_t count_frames(void *worker, uint32_t i)
{
	struct drb_worker *w = worker;
	uint64_t frames = count_own(w, i);

	for (uint32_t n = 1; n < w->hello_io.workers; n++)
		frames += atomic_load_explicit(&w[n].shared.frames[i], memory_order_relaxed);
	return frames;
}

static uint64_t count_sent(void *worker, uint32_t i)
{
	const struct drb_worker *w = worker;

	// Packets on a link with a delay do not count, because hellos overtake them.
	return w->egress.queue[i].head - w->port[i].lost -
	       drb_delay_line_length(&w->egress.line[i]);
}

// A GSO packet that could not be cut was several packets.
static uint64_t count_missed(struct drb_port_queue *q)
{
	const struct drb_port_losses lost = drb_port_losses(q);

	return lost.missed + lost.bad_gso;
}

// A hello from a hello socket may be read after packets that were sent later, and before packets
// that were sent earlier and still wait. `earlier` and `complete` allow for that.
static struct drb_arrivals count_arrivals(void *worker, uint32_t i, bool *missed)
{
	struct drb_worker *w = worker;
	struct drb_port_queue *q = w->port[i].queue;
	const bool apart = w->hello_io.port[i].fd >= 0;
	const uint64_t received = w->port[i].in_packets - w->hello_io.port[i].refused;

	if (missed) {
		uint64_t before = w->hello_io.port[i].missed;
		w->hello_io.port[i].missed = count_missed(q);
		*missed = w->hello_io.port[i].missed != before;
	}
	return (struct drb_arrivals){
		.received = received,
		.earlier = apart ? w->hello_io.port[i].seen_before : received,
		.complete = !apart || q->kind->hello->is_empty(q),
	};
}

void drb_hellos_publish_frames(struct drb_worker *w)
{
	for (uint32_t i = 0; i < w->egress.ports; i++)
		atomic_store_explicit(&w->shared.frames[i], count_own(w, i), memory_order_relaxed);
}

static bool send_hello(void *worker, uint32_t i, const uint8_t *frame, uint32_t len)
{
	struct drb_worker *w = worker;
	struct drb_send_result result;

	if (drb_hello_sockets_send(w, i, frame, len))
		return true;
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->hello_io.pool);
	if (!m)
		return false;
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), frame, len);
	// Ahead of the queue, which may take longer than the neighbour's hold time.
	if (drb_transmit_now(w, i, &m, 1, &result) == 1)
		return true;
	rte_pktmbuf_free(m);
	return false;
}

int drb_hellos_init(struct drb_worker *w, const struct drb_setup *s, struct rte_mempool *pool)
{
	const struct drb_liveness_io io = {.context = w,
					   .has_carrier = has_carrier,
					   .mtu = mtu,
					   .count_frames = count_frames,
					   .count_sent = count_sent,
					   .count_arrivals = count_arrivals,
					   .send = send_hello};

	w->hello_io = (struct drb_hello_io){.pool = pool, .workers = s->workers, .out_fd = -1};
	int rc = drb_liveness_init(&w->liveness, s, &io, &w->shared.links);
	if (rc < 0)
		return rc;
	rc = drb_hello_sockets_find(w);
	if (rc < 0) {
		drb_hellos_free(w);
		return rc;
	}
	if (s->workers > 1)
		w->hello_io.ring =
			rte_ring_create("hellos", RING_SIZE, SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (s->workers > 1 && !w->hello_io.ring) {
		drb_error("no memory for hellos");
		drb_hellos_free(w);
		return -ENOMEM;
	}
	drb_hellos_set(w, s);
	return 0;
}

void drb_hellos_free(struct drb_worker *w)
{
	void *m;

	if (!w->liveness.port)
		return; // never initialised
	while (w->hello_io.ring && rte_ring_dequeue(w->hello_io.ring, &m) == 0)
		rte_pktmbuf_free(m);
	rte_ring_free(w->hello_io.ring);
	drb_hello_sockets_free(w);
	w->hello_io = (struct drb_hello_io){.look_ns = UINT64_MAX, .out_fd = -1};
	drb_liveness_free(&w->liveness);
}

void drb_hellos_set(struct drb_worker *w, const struct drb_setup *s)
{
	uint64_t active = 0, awaited = 0;

	for (uint32_t i = 0; i < w->egress.ports; i++) {
		active |= (uint64_t)w->port[i].active << i;
		awaited |= (uint64_t)(w->port[i].queue && !w->port[i].active) << i;
	}
	drb_liveness_set(&w->liveness, s, active, awaited, w->egress.now_ns);
	drb_hellos_read_links(w);
}

static void read_routes(struct drb_worker *w)
{
	bool routed, settled;

	if (!drb_routes_read(&w->owner->shared.links.routes, &w->links.routes_version,
			     w->links.routes, &routed, &settled))
		return;
	w->links.ports.routes = routed ? w->links.routes : NULL;
	w->links.ports.settled = settled;
}

void drb_hellos_read_links(struct drb_worker *w)
{
	struct drb_links links;

	if (likely(!drb_links_read(&w->owner->shared.links, &w->links.version, &links)))
		return;
	w->links.dead = links.dead | w->links.silenced;
	w->links.drained = links.drained & ~w->links.silenced;
	w->links.off = links.off;
	w->links.ports.no_alternate = links.no_alternate;
	w->links.ports.usable = 0;
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		if (w->port[i].active && !(w->links.dead >> i & 1))
			w->links.ports.usable |= UINT64_C(1) << i;
	}
	read_routes(w);
	w->links.reroutes = w->links.dead || w->links.ports.routes;
}

void drb_hellos_read_silence(struct drb_worker *w)
{
	const bool silent = atomic_load_explicit(&w->shared.silent, memory_order_relaxed);
	const uint64_t silenced = silent ? w->hellos : 0;

	if (w->owner == w)
		w->liveness.silent = silent;
	if (silenced == w->links.silenced)
		return;
	w->links.silenced = silenced;
	w->links.dead |= silenced; // at once: worker 0 may be stuck while it publishes
	w->links.drained &= ~silenced;
	w->links.ports.usable &= ~silenced;
	w->links.reroutes |= silent;
	w->links.version = UINT_MAX; // odd, so no complete write has it: read again
}

// Hellos count as packets only if they are dropped.
static void count_drop(struct drb_worker *w, uint32_t in, uint32_t len, enum drb_drop reason)
{
	w->counters.rx_packets++;
	w->port[in].in_packets++;
	w->port[in].in_octets += len;
	w->port[in].in_discards++;
	w->drop[reason]++;
}

enum drb_hello_result drb_hellos_hear(struct drb_worker *w, uint32_t in,
				      const struct drb_hello_frame *frame, bool counted)
{
	static const enum drb_drop reason[] = {[DRB_HELLO_BAD] = DRB_DROP_bad_hello,
					       [DRB_HELLO_VERSION_DIFFERS] = DRB_DROP_hello_version,
					       [DRB_HELLO_FORGED] = DRB_DROP_forged_hello,
					       [DRB_HELLO_REPLAYED] = DRB_DROP_replayed_hello};
	enum drb_hello_result result = drb_liveness_hear(&w->liveness, in, frame, w->egress.now_ns);

	w->hello_io.port[in].refused += result != DRB_HELLO_HEARD;
	if (result != DRB_HELLO_HEARD && !(result == DRB_HELLO_BAD && counted))
		count_drop(w, in, frame->length, reason[result]);
	return result;
}

static struct drb_hello_frame frame_of(const struct rte_mbuf *m)
{
	return (struct drb_hello_frame){rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, 0};
}

bool drb_hellos_receive(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	const struct drb_hello_frame frame = frame_of(m);
	struct drb_hello_io *io = &w->owner->hello_io;
	const uint64_t bit = UINT64_C(1) << in;
	struct drb_hello hello;

	if (io->port[in].fd >= 0) { // the hello socket has it, too, maybe behind others
		if (!(atomic_fetch_or(&io->news, bit) & bit) && w->owner != w)
			drb_worker_kick(w->owner);
	} else if (w->owner == w) {
		if (drb_hellos_hear(w, in, &frame, true) == DRB_HELLO_BAD)
			return false;
		drb_hellos_read_links(w);
	} else if (drb_hello_decode(frame.octets, frame.length, &hello) == -EINVAL) {
		return false;
	} else if (io->ring) {
		m->port = (uint16_t)in;
		if (rte_ring_enqueue(io->ring, m) == 0) {
			drb_worker_kick(w->owner);
			return true;
		}
		count_drop(w, in, m->data_len, DRB_DROP_hellos_waiting);
	}
	rte_pktmbuf_free(m);
	return true;
}

bool drb_hellos_waiting(const struct drb_worker *w)
{
	return atomic_load_explicit(&w->hello_io.news, memory_order_relaxed) ||
	       (w->hello_io.ring && !rte_ring_empty(w->hello_io.ring));
}

static void take_waiting(struct drb_worker *w)
{
	void *waiting;

	while (rte_ring_dequeue(w->hello_io.ring, &waiting) == 0) {
		struct rte_mbuf *m = waiting;
		const struct drb_hello_frame frame = frame_of(m);
		drb_hellos_hear(w, m->port, &frame, false);
		rte_pktmbuf_free(m);
	}
}

void drb_hellos_service(struct drb_worker *w)
{
	struct drb_hello_outbox out;

	if (w->hello_io.ring)
		take_waiting(w);
	// Read sockets before any port is judged: after a pause many hellos may wait.
	if (w->hello_io.look_ns != UINT64_MAX)
		drb_hello_sockets_take(w);
	if (w->egress.now_ns >= w->liveness.due_ns) {
		drb_hello_outbox_begin(&out, w->hello_io.out_fd);
		w->hello_io.out = &out;
		drb_liveness_service(&w->liveness, w->egress.now_ns);
		drb_hello_outbox_send(&out);
		w->hello_io.out = NULL;
		if (out.full)
			w->hello_io.apart_until_ns = w->egress.now_ns + APART_NS;
	}
	atomic_store_explicit(&w->shared.rests, w->liveness.rests, memory_order_relaxed);
	drb_hellos_read_links(w);
}
