// SPDX-License-Identifier: BSD-3-Clause
// The forwarding path with real mbufs: a burst has the same effect as its packets one by one.
#include "fixtures/unit.h"

#include "switch/datapath/enqueue.h"
#include "fixtures/forward_switch.h"

// The effect of one burst: the packets of each queue in order, identified by their buffers'
// contents.
struct outcome {
	uint32_t length[DRB_PORTS_MAX], packet[DRB_PORTS_MAX][DRB_BURST_MAX];
	uint64_t octets[DRB_PORTS_MAX], next_ns[DRB_PORTS_MAX];
};

// Traffic of all kinds, most of it ordinary. The last bytes of each frame are its number. Every
// third burst has frames of one size.
static uint32_t make_mixed(struct drb_rng *r, uint8_t *frame, uint32_t number)
{
	bool same = (number >> 16) % 3 == 1;
	uint32_t len = 60 + (same ? 0 : drb_rng_below(r, 100)), kind = drb_rng_below(r, 20);

	make_frame(frame, (uint16_t)len, kind == 0 ? 5 : 0, drb_rng_below(r, setup.addr.hosts));
	if (kind == 1)
		frame[1] = 9; // of no fabric
	if (kind == 2)
		frame[0] |= 1;
	if (kind == 3)
		frame[2] = 1; // beyond all labels
	memcpy(frame + len - sizeof(number), &number, sizeof(number));
	return kind == 4 && !same ? 13 : len;
}

// Takes packets out of every queue as the worker does: all of them, or a few.
static void take_packets(struct outcome *to, uint32_t most)
{
	for (uint32_t i = 0; i < w.egress.ports; i++) {
		struct drb_egress *q = &w.egress.queue[i];
		uint64_t octets = 0;
		assert_int_equal(drb_egress_length(q), w.egress.occupancy[i]);
		to->next_ns[i] = drb_egress_next_ns(q);
		to->octets[i] = q->octets;
		to->length[i] = drb_egress_due(q, w.egress.now_ns, most);
		for (uint32_t n = 0; n < to->length[i]; n++) {
			struct rte_mbuf *m = q->packet[drb_egress_ring_index(q, n)];
			memcpy(&to->packet[i][n],
			       rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len - 4), 4);
			octets += m->pkt_len;
			rte_pktmbuf_free(m);
		}
		drb_egress_pop(q, to->length[i], octets, w.egress.now_ns);
		w.egress.queued -= to->length[i];
		w.egress.occupancy[i] -= to->length[i];
	}
}

static void run_bursts(const char *text, bool open, uint32_t size, struct outcome *to,
		       uint32_t count)
{
	struct drb_rng r = drb_rng_seed(size, 1);

	begin(text, 1024);
	w.egress.open = open;
	for (uint32_t n = 0; n < count; n++) {
		struct rte_mbuf *burst[DRB_BURST_MAX];
		for (uint32_t i = 0; i < size; i++) {
			uint8_t frame[256];
			uint32_t len = make_mixed(&r, frame, n << 16 | i);
			burst[i] = mbuf_of(frame, (uint16_t)len);
			assert_non_null(burst[i]);
		}
		drb_forward_burst(&w, n % 7 == 6 ? w.egress.ports - 1 : 0, burst, size);
		conserved();
		take_packets(&to[n], n % 3 == 2 ? DRB_BURST_MAX : 5);
		w.egress.now_ns += 5000;
	}
}

// Bursts that are written directly to their queue positions end up like bursts that are queued
// packet by packet. Order, departures and counters are the same, with few uplinks, whose loads fit
// in a register, and with many.
TEST(both_ways_agree)
{
	static const char *const schemes[] = {
#define X(id, name, ...) #name ", threshold: 1", #name ", threshold: 0, choices: 3",
		DRB_SCHEMES(X)
#undef X
	};
	static const char *const shapes[] = {"layers: 3, arity: 4", "layers: 2, arity: 3",
					     "layers: 2, arity: 12"};
	static const uint32_t sizes[] = {1, 33, 64, 255, 256};
	static const char *const rates[] = {"none", "3Gbit", "700000pps"};
	enum { COUNT = 14 };
	struct outcome *a = calloc(COUNT, sizeof(*a)), *b = calloc(COUNT, sizeof(*b));

	for (size_t k = 0; k < ARRAY_SIZE(schemes) * ARRAY_SIZE(shapes); k++) {
		for (size_t z = 0; z < ARRAY_SIZE(sizes); z++) {
			char text[256];
			snprintf(text, sizeof(text),
				 "fabric: {%s}\nswitch: {layer: 1, label: 0}\n"
				 "link: {driver: none, rate: %s}\nrouting: {scheme: %s}\n",
				 shapes[k % ARRAY_SIZE(shapes)], rates[z % ARRAY_SIZE(rates)],
				 schemes[k / ARRAY_SIZE(shapes)]);
			run_bursts(text, true, sizes[z], a, COUNT);
			struct drb_snapshot open = w.shared.snapshot;
			end();
			run_bursts(text, false, sizes[z], b, COUNT);
			assert_memory_equal(&open.routing, &w.shared.snapshot.routing,
					    sizeof(open.routing));
			assert_memory_equal(open.drop, w.shared.snapshot.drop, sizeof(open.drop));
			for (uint32_t i = 0; i < w.egress.ports; i++) {
				assert_int_equal(open.port[i].in_packets,
						 w.shared.snapshot.port[i].in_packets);
				assert_int_equal(open.port[i].in_octets,
						 w.shared.snapshot.port[i].in_octets);
			}
			end();
			for (uint32_t n = 0; n < COUNT; n++) {
				for (uint32_t i = 0; i < w.egress.ports; i++) {
					assert_int_equal(a[n].length[i], b[n].length[i]);
					assert_int_equal(a[n].octets[i], b[n].octets[i]);
					assert_int_equal(a[n].next_ns[i], b[n].next_ns[i]);
					assert_memory_equal(a[n].packet[i], b[n].packet[i],
							    a[n].length[i] * sizeof(uint32_t));
				}
			}
		}
	}
	free(a);
	free(b);
}

// The number of packets that are redirected in a burst of 40 with the same default uplink.
static uint32_t redirected_of_burst(const char *rate, uint32_t waiting)
{
	struct rte_mbuf *burst[40];
	uint8_t frame[60];
	char text[256];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none, rate: %s}\n"
		 "routing: {threshold: 1}\n",
		 rate);
	begin(text, 1024);
	make_frame(frame, sizeof(frame), 0, 2);
	for (uint32_t i = 0; i < waiting; i++)
		drb_enqueue(&w, w.egress.down_ports, mbuf_of(frame, sizeof(frame)));
	w.port[0].in_packets += waiting;
	w.decide.routing.down += waiting; // any decision will do, so that the counts agree
	for (uint32_t i = 0; i < ARRAY_SIZE(burst); i++)
		burst[i] = mbuf_of(frame, sizeof(frame));
	drb_forward_burst(&w, 0, burst, ARRAY_SIZE(burst));
	conserved();
	assert_int_equal(w.decide.routing.up_default + w.decide.routing.up_redirected,
			 ARRAY_SIZE(burst));
	end();
	return (uint32_t)w.decide.routing.up_redirected;
}

// Packets of one burst count as load of an uplink with a rate, and of one whose driver has refused
// packets. Other uplinks send them at once, so they are no load; otherwise larger bursts would mean
// larger loads.
TEST(a_burst_loads_uplinks_that_wait)
{
	// Two uplinks and T = 1: both queues grow together.
	assert_int_equal(redirected_of_burst("1Gbit", 0), 19);
	assert_int_equal(redirected_of_burst("1Gbit", 10), 24);
	assert_int_equal(redirected_of_burst("none", 0), 0);
	// Refused packets stay at the default; redirected packets leave at once.
	assert_int_equal(redirected_of_burst("none", 10), 40);
	assert_int_equal(redirected_of_burst("none", 1), 39);
}

TEST_MAIN(setup_eal, free_eal)
