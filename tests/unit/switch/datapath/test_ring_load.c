// SPDX-License-Identifier: BSD-3-Clause
// Occupancy with rings: uplinks of a test port kind, which accepts all packets and releases them
// when the test says so.
#include "fixtures/unit.h"

#include "fixtures/switch_eal.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/transmit.h"
#include "switch/datapath/workers.h"

#define UPLINKS 2
#define QUEUES 2
#define MS UINT64_C(1000000)
#define NO_DEVICE                                                                                  \
	"fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"                            \
	"link: {driver: none}\n"
#define HEAD                                                                                       \
	"fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"                            \
	"link: {driver: none, occupancy: ring}\n"

// The device behind an uplink.
struct device {
	struct drb_port port;
	struct queue {
		struct drb_port_queue base;
		uint16_t sent, drained; // a ring's head and tail, which wrap
		uint32_t looks;         // reads of the two
	} queue[QUEUES];
};

static struct device device[UPLINKS];
static struct drb_workers all;
static struct drb_worker *const w = &all.worker[0];
static struct drb_setup setup;

static uint32_t send_all(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result)
{
	(void)result;
	((struct queue *)q)->sent += (uint16_t)count;
	rte_pktmbuf_free_bulk(packets, count);
	return count;
}

static uint32_t in_ring(struct drb_port_queue *q)
{
	struct queue *own = (struct queue *)q;

	own->looks++;
	return (uint16_t)(own->sent - own->drained);
}

static const struct drb_port_kind kind = {.name = "test", .send = send_all, .in_ring = in_ring};

// A layer-1 switch of F(2,2) whose uplinks are the devices.
static void begin(const char *text)
{
	setup = setup_of(text);
	memset(device, 0, sizeof(device));
	assert_int_equal(drb_workers_init(&all, &setup), 0);
	for (uint32_t n = 0; n < setup.workers; n++) {
		struct drb_worker *worker = &all.worker[n];
		for (uint32_t i = 0; i < worker->egress.ports; i++) {
			struct device *d =
				i < w->egress.down_ports ? NULL : &device[i - w->egress.down_ports];
			if (d) {
				d->port = (struct drb_port){.kind = &kind,
							    .setup = &setup.ports[i],
							    .workers = setup.workers};
				drb_port_add_queue(&d->port, n, &d->queue[n].base);
				for (uint32_t k = 0; k <= n; k++)
					d->port.queue[k] = &d->queue[k].base;
			}
			drb_worker_attach(worker, i, 512, d ? &d->queue[n].base : NULL);
		}
		drb_worker_configure(worker, &setup);
		worker->egress.now_ns = 1000 * MS;
	}
}

static void end(void)
{
	drb_workers_free(&all);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

// Reads loads for a burst from port `in`, as drb_receive() does.
static void read_loads(struct drb_worker *worker, uint32_t in)
{
	drb_ring_load_read(worker, in);
	drb_shared_load_read(&worker->decide, worker->egress.up_ports);
}

// A burst from host 0 to these hosts goes through worker n.
static void burst(uint32_t n, const uint32_t *to, uint32_t count)
{
	struct drb_worker *worker = &all.worker[n];
	struct rte_mbuf *packets[DRB_BURST_MAX];
	uint64_t next_ns;

	for (uint32_t i = 0; i < count; i++) {
		uint8_t frame[60];
		make_frame(frame, sizeof(frame), 0, to[i]);
		packets[i] = mbuf_of(frame, sizeof(frame));
		assert_non_null(packets[i]);
	}
	if (worker->decide.outside)
		read_loads(worker, 0);
	drb_forward_burst(worker, 0, packets, count);
	drb_transmit(worker, &next_ns);
	drb_shared_load_publish(&worker->shared.load, &worker->decide, &worker->egress);
}

// Hosts 4 and 6 have u0 as default, hosts 5 and 7 u1.
static void one(uint32_t to)
{
	burst(0, &to, 1);
}

static uint16_t sent(uint32_t u)
{
	return device[u].queue[0].sent;
}

// The uplink of a packet to host 4 while the rings hold u0 and u1 packets.
static uint32_t goes_while(uint16_t u0, uint16_t u1)
{
	uint16_t before = sent(1);

	device[0].queue[0].drained = (uint16_t)(sent(0) - u0);
	device[1].queue[0].drained = (uint16_t)(sent(1) - u1);
	one(4);
	return sent(1) != before;
}

TEST(load_is_sent_less_drained)
{
	uint32_t total = 0, drained = 0;

	begin(HEAD "routing: {threshold: 1e9}\n");
	assert_int_equal(w->egress.rings, 3);
	for (uint32_t step = 0; total < 200000; step++) { // the ring wraps at 65536
		uint32_t to[DRB_BURST_MAX], count = 1 + step % DRB_BURST_MAX;
		for (uint32_t i = 0; i < count; i++)
			to[i] = 4;
		read_loads(w, 0);
		assert_int_equal(w->decide.shared_load.occupancy[0], total - drained);
		assert_int_equal(w->decide.shared_load.occupancy[1], 0);
		burst(0, to, count);
		total += count;
		drained += step % 7 == 0 ? total - drained : step % 3 ? 1 : 0;
		device[0].queue[0].drained = (uint16_t)drained;
		drb_worker_take_snapshot(w);
		assert_int_equal(w->shared.snapshot.port[w->egress.down_ports].ring_packets,
				 total - drained);
		assert_int_equal(w->shared.snapshot.port[w->egress.down_ports].out_packets, total);
	}
	end();
}

// Algorithm 1: less by more than T.
TEST(threshold_of_two)
{
	begin(HEAD "routing: {threshold: 2}\n");
	for (uint16_t i = 0; i < 400; i++) {
		one(4), one(5); // so that rings wrap
		assert_int_equal(goes_while(3, 0), 1);
		assert_int_equal(goes_while(2, 0), 0);
		assert_int_equal(goes_while(103, 100), 1);
		assert_int_equal(goes_while(102, 100), 0);
		assert_int_equal(goes_while(0, 9), 0);
	}
	end();
}

// The queue before the ring counts as well.
TEST(both_parts_count)
{
	begin(HEAD "routing: {threshold: 2}\n");
	w->egress.occupancy[w->egress.down_ports] = 2;
	w->egress.queued = 2;
	device[0].queue[0].sent = 1;
	w->egress.queue[w->egress.down_ports].head = w->egress.queue[w->egress.down_ports].tail = 1;
	const uint32_t to = 4;
	uint8_t frame[60];
	make_frame(frame, sizeof(frame), 0, to);
	struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
	read_loads(w, 0);
	drb_forward_burst(w, 0, &m, 1);
	assert_int_equal(w->egress.occupancy[w->egress.down_ports + 1], 1);
	w->egress.occupancy[w->egress.down_ports] = 0;
	w->egress.queued = 1;
	end();
}

TEST(packets_of_a_burst_count)
{
	const uint32_t turns[] = {4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6},
		       train[] = {4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6};

	begin(HEAD "routing: {threshold: 2}\n");
	burst(0, turns, ARRAY_SIZE(turns));
	assert_int_equal(sent(0), 7); // always at most three ahead
	assert_int_equal(sent(1), 5);
	device[0].queue[0].drained = sent(0);
	device[1].queue[0].drained = sent(1);
	// Consecutive packets to one host stay together; later packets count them.
	burst(0, train, ARRAY_SIZE(train));
	assert_int_equal(sent(0), 7 + 6);
	assert_int_equal(sent(1), 5 + 6);
	end();
}

// A ring is read while it may have packets, and if decisions compare loads.
TEST(idle_uplinks_are_not_looked_at)
{
	begin(HEAD "routing: {threshold: 2}\n");
	for (int i = 0; i < 100; i++) {
		one(4);
		device[0].queue[0].drained = sent(0);
	}
	assert_int_equal(device[0].queue[0].looks, 99); // the first burst found nothing sent
	assert_int_equal(device[1].queue[0].looks, 0);
	for (int i = 0; i < 100; i++) // the first read finds that the last packet is gone
		read_loads(w, 0);
	assert_int_equal(device[0].queue[0].looks, 100);
	one(4);
	read_loads(w, w->egress.down_ports); // packets from above do not go up
	assert_int_equal(device[0].queue[0].looks, 100);
	read_loads(w, 0);
	assert_int_equal(device[0].queue[0].looks, 101);
	end();
	static const char *const blind[] = {
		HEAD "routing: {scheme: dmodk}\n",
		HEAD "routing: {unit: flow}\n",
		NO_DEVICE,
	};
	for (size_t i = 0; i < ARRAY_SIZE(blind); i++) {
		begin(blind[i]);
		assert_int_equal(w->egress.rings, 0);
		assert_false(w->decide.outside);
		end();
	}
}

// Packets that one worker has sent count as load for the other until they are taken, also if the
// first worker does nothing more.
TEST(rings_of_all_workers)
{
	const uint32_t to[] = {4, 4, 4, 4, 4, 4, 4};

	begin(HEAD "routing: {threshold: 2}\nprocess: {workers: 2}\n");
	burst(0, to, ARRAY_SIZE(to));
	burst(1, to, 1);
	assert_int_equal(device[0].queue[1].sent, 0);
	assert_int_equal(device[1].queue[1].sent, 1);
	device[0].queue[0].drained = 6;
	burst(1, to, 1);
	assert_int_equal(device[0].queue[1].sent, 1);
	assert_int_equal(all.worker[1].decide.shared_load.occupancy[0], 1);
	assert_int_equal(all.worker[1].decide.shared_load.occupancy[1], 1);
	end();
}

// T follows from how often a burst finds packets in the rings.
TEST(threshold_follows)
{
	begin(HEAD "routing: {threshold: auto}\n");
	for (uint32_t i = 0; i < 20000; i++) {
		w->egress.now_ns += MS / 10;
		one(4);
		// Every second burst finds u0 empty, and u1 is never used.
		device[0].queue[0].drained = (uint16_t)(sent(0) - (i & 1));
		device[1].queue[0].drained = sent(1);
		if (w->egress.now_ns >= w->decide.threshold.due_ns)
			drb_threshold_update(w);
	}
	if (fabs(w->decide.threshold.utilisation - 0.25) > 0.01 ||
	    fabs(w->decide.threshold.value - (1 - log(0.75))) > 0.02)
		fail_msg("rho %g, T %g", w->decide.threshold.utilisation,
			 w->decide.threshold.value);
	end();
}

TEST_MAIN(setup_eal, free_eal)
