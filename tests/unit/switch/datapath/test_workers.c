// SPDX-License-Identifier: BSD-3-Clause
// Several workers of one switch share ports and loads, but no packet is forwarded twice. Their
// counters are consistent at any time.
#include "fixtures/unit.h"

#include <sched.h>

#define EAL_LCORES "(0-2)@0"
#include "core/links/hello.h"
#include "core/math/random.h"
#include "switch/links/drain_rules.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/hellos.h"
#include "fixtures/apply.h"
#include "fixtures/ring_ports.h"

#define TWO "process: {workers: 2}\n"

// Takes a snapshot, and asserts that its decisions and drops account for every packet.
static struct totals whole_snapshot(void)
{
	struct totals t = snapshot();

	assert_int_equal(seen.routing.down + seen.routing.up_default + seen.routing.up_redirected +
				 seen.drop[DRB_DROP_not_below] + seen.drop[DRB_DROP_same_port],
			 t.in);
	return t;
}

// Writes the port and the receive queue of a frame into it, and a new number.
static void mark(uint8_t *frame, uint32_t in, uint32_t q)
{
	static uint64_t number;

	frame[40] = (uint8_t)q;
	frame[41] = (uint8_t)in;
	number++;
	memcpy(frame + 42, &number, sizeof(number));
}

// Collects packets that left, and returns their number. Asserts that packets of worker n left by
// transmit queue n, and that packets from the same port are in order.
static uint64_t collect(uint32_t last[QUEUES])
{
	static uint64_t number[PORTS][QUEUES][PORTS];
	uint64_t got = 0;

	for (uint32_t i = 0; i < PORTS; i++) {
		for (uint32_t q = 0; q < QUEUES; q++) {
			void *p;
			while (rte_ring_dequeue(from[i][q], &p) == 0) {
				const uint8_t *frame =
					rte_pktmbuf_mtod((struct rte_mbuf *)p, uint8_t *);
				uint64_t *before = &number[i][q][frame[41]], now;
				memcpy(&now, frame + 42, sizeof(now));
				assert_int_equal(frame[40], q);
				assert_true(now > *before);
				*before = now;
				last[q]++;
				rte_pktmbuf_free(p);
				got++;
			}
		}
	}
	return got;
}

static void random_traffic(const char *text, uint64_t packets)
{
	struct drb_rng r = drb_rng_seed(4, 4);
	uint32_t last[QUEUES] = {0};
	uint64_t sent = 0, got = 0;
	struct totals t;

	start_switch(text);
	assert_int_equal(drb_workers_start(&all), 0);
	while (sent < packets) {
		for (uint32_t n = drb_rng_below(&r, 200); n > 0; n--) {
			uint32_t in = drb_rng_below(&r, PORTS), q = drb_rng_below(&r, QUEUES);
			uint8_t frame[64];
			make_frame(frame, sizeof(frame), in < 2 ? in : 7, drb_rng_below(&r, 8));
			mark(frame, in, q);
			struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
			if (!m)
				break;
			if (rte_ring_enqueue(into[in][q], m) == 0)
				sent++;
			else
				rte_pktmbuf_free(m);
		}
		got += collect(last);
		if (drb_rng_below(&r, 20) == 0)
			whole_snapshot();
	}
	do {
		got += collect(last);
		t = whole_snapshot();
	} while (t.in < sent || t.queue > 0);
	got += collect(last);
	assert_int_equal(t.in, sent);
	assert_int_equal(t.out, got);
	// Both workers forwarded packets.
	assert_true(last[0] > packets / 50 && last[1] > packets / 50);
	drb_workers_stop(&all);
	drb_workers_join(&all);
	free_switch();
}

TEST(traffic)
{
	random_traffic(HEAD RINGS "link: {driver: vdev}\n" TWO, 100000);
	random_traffic(HEAD RINGS "link: {driver: vdev, queue: 64}\nrouting: {scheme: ecmp}\n"
				  "process: {workers: 2, idle: poll, burst: 7}\n",
		       100000);
	random_traffic(
		HEAD RINGS
		"link: {driver: vdev, queue: 100}\nrouting: {unit: flow, flow_max: 100}\n" TWO,
		50000);
	random_traffic(HEAD RINGS "link: {driver: vdev, rate: 400kpps, queue: 100}\n" TWO, 20000);
	random_traffic(HEAD RINGS
		       "link: {driver: vdev, rate: 1Gbit, queue: 8, catchup: 10us}\n" TWO,
		       40000);
}

// Gives worker n `count` packets from one host to host 2 (default u0), each of a flow of its own.
static void offer(uint32_t n, uint32_t count)
{
	static uint16_t flow;
	struct drb_worker *w = &all.worker[n];

	for (uint32_t i = 0; i < count; i++) {
		uint8_t frame[60];
		make_frame(frame, sizeof(frame), 0, 2);
		flow++;
		memcpy(frame + 12, (const uint8_t[]){0x08, 0, 0x45}, 3);
		frame[23] = 17;
		memcpy(frame + 34, &flow, 2);
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		drb_shared_load_read(&w->decide, w->egress.up_ports);
		drb_forward_burst(w, 0, &m, 1);
		drb_shared_load_publish(&w->shared.load, &w->decide, &w->egress);
	}
}

// A decision of one worker counts the queues of the other.
TEST(loads_are_sums)
{
	static const char *const configs[] = {
		HEAD RINGS "link: {driver: vdev}\nrouting: {threshold: 0}\n" TWO,
		HEAD RINGS "link: {driver: vdev, rate: 1pps}\nrouting: {threshold: 0}\n" TWO,
		HEAD RINGS "link: {driver: vdev}\nrouting: {threshold: 0, unit: flowlet}\n" TWO,
		HEAD RINGS "link: {driver: vdev}\nrouting: {threshold: 0, scheme: micro}\n" TWO,
		HEAD RINGS "link: {driver: vdev}\nrouting: {threshold: 0, scheme: least}\n" TWO,
	};

	for (size_t c = 0; c < ARRAY_SIZE(configs); c++) {
		start_switch(configs[c]);
		struct drb_worker *a = &all.worker[0], *b = &all.worker[1];
		// Worker 0 has 40 packets at u0 that never leave. Worker 1 evens that out.
		a->egress.occupancy[2] = 40;
		drb_shared_load_publish(&a->shared.load, &a->decide, &a->egress);
		offer(1, 40);
		assert_int_equal(b->egress.occupancy[2], 0);
		assert_int_equal(b->egress.occupancy[3], 40);
		offer(1, 20);
		assert_int_equal(b->egress.occupancy[2], 10);
		assert_int_equal(b->egress.occupancy[3], 50);
		// Worker 0 sees the sums, too.
		drb_shared_load_read(&a->decide, a->egress.up_ports);
		assert_int_equal(a->decide.shared_load.occupancy[0], 10);
		assert_int_equal(a->decide.shared_load.occupancy[1], 50);
		assert_int_equal(a->decide.shared_load.most, 50);
		a->egress.occupancy[2] = 0;
		free_switch();
	}
}

TEST(flows_are_sums)
{
	start_switch(HEAD RINGS "link: {driver: vdev}\n" TWO
				"routing: {threshold: 0, unit: flow, flow_max: "
				"1000}\n");
	all.worker[0].decide.flows.flows[0] = 30;
	drb_shared_load_publish(&all.worker[0].shared.load, &all.worker[0].decide,
				&all.worker[0].egress);
	offer(1, 30);
	assert_int_equal(all.worker[1].decide.flows.flows[0], 0);
	assert_int_equal(all.worker[1].decide.flows.flows[1], 30);
	offer(1, 10);
	assert_int_equal(all.worker[1].decide.flows.flows[0], 5);
	free_switch();
}

// Sets the counters of worker `each` to random numbers, and adds these to the sums.
static void set_counters(struct drb_worker *each, struct drb_rng *rng, struct drb_snapshot *sum)
{
#define NEXT (drb_rng_next(rng) >> 32)
#define X(key, meaning) sum->worker.key += each->counters.key = NEXT;
	DRB_WORKER_COUNTERS(X)
#undef X
#define X(key, meaning) sum->routing.key += each->decide.routing.key = NEXT;
	DRB_ROUTING_COUNTERS(X)
#undef X
	sum->routing.flows_appeared +=
		(each->decide.flows.appeared = NEXT) - each->decide.routing.flows_appeared;
	sum->routing.flows_idled +=
		(each->decide.flows.idled = NEXT) - each->decide.routing.flows_idled;
	sum->routing.flows_closed +=
		(each->decide.flows.closed = NEXT) - each->decide.routing.flows_closed;
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		sum->drop[i] += each->drop[i] = NEXT;
	for (uint32_t i = 0; i < PORTS; i++) {
		struct drb_worker_port *p = &each->port[i];
		struct drb_egress *q = &each->egress.queue[i];
		struct drb_port_counters *row = &sum->port[i];
		row->in_packets += p->in_packets = NEXT;
		row->in_octets += p->in_octets = NEXT;
		row->in_discards += p->in_discards = NEXT;
		row->out_octets += p->out_octets = NEXT;
		row->out_packets += q->head = q->tail = NEXT;
		row->out_packets -= p->lost = NEXT;
		row->out_discards += p->lost + (q->discards = NEXT);
		row->queue_octets += q->octets = NEXT;
		row->queue_max_packets += q->max = (uint32_t)NEXT;
		row->queue_ns += q->queue_ns = NEXT;
		row->lost_credit_ns += q->lost_credit_ns = NEXT;
		sum->worker.lost_credit_events += q->lost_credit_events = NEXT;
		sum->worker.late_ns += q->late.ns = NEXT;
		sum->worker.late_slots += q->late.slots = NEXT;
		sum->worker.tx_refused += p->tx_refused = NEXT;
	}
}

// If a snapshot or a sum left out a counter, or added it twice, the sum would differ.
TEST(rows_of_all_tables_are_sums)
{
	struct drb_rng rng = drb_rng_seed(50, 1);
	struct drb_snapshot sum = {0};

	start_switch(HEAD RINGS "link: {driver: vdev, rate: 1Mbit}\n" TWO);
	for (uint32_t n = 0; n < all.count; n++) {
		struct drb_worker *each = &all.worker[n];
		set_counters(each, &rng, &sum);
		drb_worker_take_snapshot(each);
		sum.worker.busy_ns += each->shared.snapshot.time_ns - each->started_ns -
				      each->counters.sleep_ns - each->counters.busy_ns;
	}
	assert_true(drb_workers_have_snapshots(&all));
	drb_workers_sum_snapshots(&all, &seen);
	assert_memory_equal(&seen.worker, &sum.worker, sizeof(sum.worker));
	assert_memory_equal(&seen.routing, &sum.routing, sizeof(sum.routing));
	assert_memory_equal(seen.drop, sum.drop, sizeof(sum.drop));
	assert_memory_equal(seen.port, sum.port, sizeof(sum.port));
	free_switch();
}

// Each worker has an equal part of a port's rate and queue.
TEST(ports_are_divided)
{
	start_switch(HEAD RINGS "link: {driver: vdev, rate: 1kpps, queue: 101}\n" TWO);
	for (uint32_t n = 0; n < 2; n++) {
		for (uint32_t i = 0; i < PORTS; i++) {
			const struct drb_egress *q = &all.worker[n].egress.queue[i];
			assert_int_equal(q->limit, 51);
			assert_int_equal(q->time_per_unit >> 32, 2000000);
			assert_int_equal(all.worker[n].port[i].queue->rx, n);
			assert_int_equal(all.worker[n].port[i].queue->tx, n);
		}
	}
	assert_memory_not_equal(&all.worker[0].decide.rng, &all.worker[1].decide.rng,
				sizeof(struct drb_rng));
	free_switch();
	// Ports with one receive queue are assigned to workers in turn.
	for (uint32_t i = 0; i < PORTS; i++)
		port_set.port[i].rx_queues = 1;
	start_switch(HEAD RINGS "link: {driver: vdev}\n" TWO);
	for (uint32_t i = 0; i < PORTS; i++) {
		assert_int_equal(all.worker[i % 2].port[i].queue->rx, 0);
		assert_int_equal(all.worker[1 - i % 2].port[i].queue->rx, DRB_QUEUE_NONE);
		port_set.port[i].rx_queues = QUEUES;
	}
	free_switch();
}

// A device that cannot give each worker a transmit queue is refused, and nothing stays started.
TEST(too_few_queues)
{
	uint16_t before = rte_eth_dev_count_avail();
	struct drb_port_set set;

	setup = setup_of(HEAD "link: {driver: vdev}\nports:\n"
			      "  - {name: d0, device: net_null0}\n"
			      "  - {name: d1, device: net_null1}\n"
			      "  - {name: u0, device: \"net_pcap0,tx_pcap=/dev/null\"}\n"
			      "  - {name: u1, driver: none}\n" TWO);
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), -EINVAL);
	assert_int_equal(rte_eth_dev_count_avail(), before);
	setup.workers = 1;
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), 0);
	assert_int_equal(set.port[0].rx_queues, 1);
	drb_ports_stop(&set);
	setup = setup_of(HEAD "link: {driver: vdev}\nports:\n"
			      "  - {name: d0, device: net_null0}\n"
			      "  - {name: d1, device: net_null1}\n"
			      "  - {name: u0, device: net_null2}\n"
			      "  - {name: u1, driver: none}\n" TWO);
	assert_int_equal(drb_ports_start(&set, "none", &setup, 4096, NULL), 0);
	assert_int_equal(set.port[0].rx_queues, 2);
	drb_ports_stop(&set);
}

// Sends 40 packets for both uplinks into both workers. Returns once the switch has received
// `all_in` packets in total.
static struct totals offer_up(uint64_t all_in)
{
	struct totals t;

	for (uint32_t n = 0; n < 40; n++) {
		uint32_t q = n / 2 % QUEUES;
		uint8_t frame[64];
		make_frame(frame, sizeof(frame), 0, 2 + n % 2);
		mark(frame, 0, q);
		assert_int_equal(rte_ring_enqueue(into[0][q], mbuf_of(frame, sizeof(frame))), 0);
	}
	do {
		t = snapshot();
	} while (t.in < all_in);
	return t;
}

#define U1 3

static void meet_peer(struct drb_worker *w, uint32_t n, void *unused)
{
	(void)unused;
	port_set.port[U1].queue[n]->connected = true;
	if (!w->port[U1].active)
		drb_worker_attach_port(w, &port_set.port[U1], &setup);
}

static void lose_peer(struct drb_worker *w, uint32_t n, void *unused)
{
	(void)w, (void)unused;
	port_set.port[U1].queue[n]->connected = false;
}

// A memif port gets no packet before it has met its peer, and keeps none when the peer is gone.
TEST(without_peer)
{
	uint32_t last[QUEUES] = {0};
	struct totals t;

	for (uint32_t n = 0; n < QUEUES; n++)
		port_set.port[U1].queue[n]->connected = false;
	start_switch(HEAD RINGS "link: {driver: vdev, rate: 1pps}\nrouting: {scheme: dmodk}\n" TWO);
	// Workers know this before the first iteration.
	for (uint32_t n = 0; n < all.count; n++) {
		drb_hellos_read_links(&all.worker[n]);
		assert_int_equal(all.worker[n].links.dead, UINT64_C(1) << U1);
	}
	assert_int_equal(drb_workers_start(&all), 0);
	t = offer_up(40);
	assert_int_equal(t.in, 40);
	assert_int_equal(seen.port[U1].queue_packets, 0);
	assert_int_equal(t.dropped, 0);

	assert_int_equal(apply(&all, meet_peer, NULL), 0);
	t = offer_up(80);
	assert_int_equal(seen.port[U1].queue_packets, 20);

	assert_int_equal(apply(&all, lose_peer, NULL), 0);
	do {
		t = snapshot();
	} while (seen.port[U1].queue_packets > 0);
	assert_int_equal(seen.drop[DRB_DROP_port_down], 20);
	assert_int_equal(seen.port[U1].out_discards, 20);
	assert_int_equal(seen.port[U1].out_packets, 0);

	drb_workers_stop(&all);
	drb_workers_join(&all);
	collect(last);
	free_switch();
	for (uint32_t n = 0; n < QUEUES; n++)
		port_set.port[U1].queue[n]->connected = true;
}

static char said[64];

static void order_u1(struct drb_worker *w, uint32_t n, void *order)
{
	if (n == 0)
		assert_int_equal(drb_port_order(&w->liveness, *(enum drb_port_order *)order, "u1",
						said, sizeof(said)),
				 0);
}

// A port without hellos that is down by order sends no packets. Packets that arrive there are
// dropped with their own reason, until the port is up again.
TEST(down_by_order)
{
	const uint32_t u1 = 3;
	uint32_t last[QUEUES] = {0};
	uint8_t frame[64];

	start_switch(HEAD RINGS "link: {driver: vdev}\nrouting: {scheme: dmodk}\n" TWO);
	assert_int_equal(drb_workers_start(&all), 0);
	assert_int_equal(apply(&all, order_u1, &(enum drb_port_order){DRB_DOWN}), 0);
	assert_string_equal(said, "down by order now: u1");
	while (atomic_load(&all.worker[0].shared.links.off) == 0)
		sched_yield();
	make_frame(frame, sizeof(frame), 7, 0);
	for (uint32_t q = 0; q < QUEUES; q++)
		assert_int_equal(rte_ring_enqueue(into[u1][q], mbuf_of(frame, sizeof(frame))), 0);
	offer_up(40 + QUEUES);
	do {
		snapshot();
	} while (seen.port[u1 - 1].out_packets + seen.port[u1].out_discards < 40);
	assert_int_equal(seen.port[u1].out_packets | seen.port[u1].out_octets, 0);
	assert_int_equal(seen.port[u1].in_discards, QUEUES);
	assert_int_equal(seen.drop[DRB_DROP_port_down], QUEUES);

	assert_int_equal(apply(&all, order_u1, &(enum drb_port_order){DRB_UP}), 0);
	while (atomic_load(&all.worker[0].shared.links.off))
		sched_yield();
	offer_up(80 + QUEUES);
	do {
		snapshot();
	} while (seen.port[u1].out_packets < 20);
	assert_int_equal(seen.drop[DRB_DROP_port_down], QUEUES);
	drb_workers_stop(&all);
	drb_workers_join(&all);
	assert_int_equal(collect(last), 80);
	free_switch();
}

// Hellos that another worker passes to the first wait in a ring. If it is full, they are dropped
// with their own reason.
TEST(too_many_hellos)
{
	struct drb_worker *second = &all.worker[1];
	const uint32_t up = 2, more = 5, room = 255;
	struct drb_hello hello = {.from = {.layer = 2}, .period_ms = 100, .serial = {1, 1}};
	uint8_t frame[DRB_HELLO_LEN_MAX];
	const uint32_t len = drb_hello_encode(&hello, frame);

	start_switch(HEAD RINGS "link: {driver: vdev}\n" TWO);
	for (uint32_t n = 0; n < room + more; n++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(test_pool);
		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, (uint16_t)len), frame, len);
		assert_true(drb_hellos_receive(second, up, m));
	}
	assert_int_equal(second->drop[DRB_DROP_hellos_waiting], more);
	assert_int_equal(second->port[up].in_packets, more);
	assert_int_equal(second->port[up].in_discards, more);
	free_switch();
}

TEST_MAIN(setup_rings, free_eal)
