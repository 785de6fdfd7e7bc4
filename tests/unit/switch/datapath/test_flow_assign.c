// SPDX-License-Identifier: BSD-3-Clause
// Flow and flowlet units with real mbufs: packets of a flow stay together, flows are the load, and
// counters include every packet.
#include "fixtures/unit.h"

#include "core/packet/flow_key.h"

#include "switch/datapath/decide/flow_assign.h"
#define EAL_MEMORY_MB "192"
#include "fixtures/forward_switch.h"

#define US UINT64_C(1000)
#define MS (1000 * US)

#define HEAD_RATE(l, d, m, s, rate)                                                                \
	"fabric: {layers: " #l ", arity: " #d "}\nswitch: {layer: " #m ", label: " #s "}\n"        \
	"link: {driver: none, rate: " rate "}\n"
#define HEAD(l, d, m, s) HEAD_RATE(l, d, m, s, "none")

static void begin_flows(const char *text)
{
	begin(text, 1 << 16);
	assert_int_equal(drb_assign_init(&w.decide, &setup), 0);
	w.decide.flow_secret = (struct drb_hash_key){
		{1, 2, 3,
		 UINT64_C(0x9e3779b97f4a7c15)}}; // the same flowlets share entries each time
}

// Packets are conserved, and no worker holds one back.
static void end_flows(void)
{
	conserved();
	end();
}

// A TCP segment of host 0 to a host; port identifies the flow.
static struct rte_mbuf *segment(uint32_t to, uint16_t port, uint8_t flags)
{
	static const uint8_t ip[20] = {0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10};
	uint8_t frame[60];
	struct rte_mbuf *m;

	make_frame(frame, sizeof(frame), 0, to);
	memcpy(frame + 14, ip, sizeof(ip));
	frame[33] = (uint8_t)(to + 1);
	memcpy(frame + 34, &port, 2);
	frame[46] = 0x50;
	frame[47] = flags;
	m = mbuf_of(frame, sizeof(frame));
	assert_non_null(m);
	return m;
}

// Sends one segment from host 0; returns its uplink.
static uint32_t uplink_of(uint32_t to, uint16_t port, uint8_t flags)
{
	struct rte_mbuf *m = segment(to, port, flags);
	uint32_t before[DRB_PORTS_MAX], uplink = UINT32_MAX;

	memcpy(before, w.egress.occupancy, sizeof(before));
	drb_forward_burst(&w, 0, &m, 1);
	for (uint32_t u = 0; u < w.egress.up_ports; u++) {
		if (w.egress.occupancy[w.egress.down_ports + u] != before[w.egress.down_ports + u])
			uplink = u;
	}
	assert_true(uplink < w.egress.up_ports);
	return uplink;
}

// Two uplinks, T = 0: each new flow to host 2 (default u0) takes the uplink with fewer flows,
// whatever the lengths of the queues.
TEST(new_flows_see_flows)
{
	begin_flows(HEAD(2, 2, 1, 0) "routing: {unit: flow, threshold: 0}\n");
	for (uint16_t port = 0; port < 200; port++) {
		uint32_t want = w.decide.flows.flows[1] < w.decide.flows.flows[0];
		w.egress.occupancy[2] = port % 3 * 10;
		w.egress.occupancy[3] = port % 5 * 10;
		assert_int_equal(uplink_of(2, port, 0), want);
		assert_int_equal(w.decide.flows.flows[0] + w.decide.flows.flows[1], port + 1);
		w.egress.occupancy[2] = drb_egress_length(&w.egress.queue[2]);
		w.egress.occupancy[3] = drb_egress_length(&w.egress.queue[3]);
	}
	assert_int_equal(w.decide.flows.flows[0], 100);
	assert_int_equal(w.decide.routing.up_redirected, 100);
	empty_queues();
	end_flows();
}

// Every scheme: the packets of a flow take one uplink, in bursts of any composition.
TEST(flows_stay_together)
{
	for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
		if (drb_scheme_packets_only((enum drb_scheme)scheme))
			continue;
		struct drb_rng r = drb_rng_seed((uint64_t)scheme, 5);
		uint8_t uplink[500];
		char text[256];
		snprintf(text, sizeof(text),
			 HEAD(2, 4, 1, 0) "routing: {unit: flow, scheme: %s, threshold: 1}\n",
			 drb_scheme_name((enum drb_scheme)scheme));
		begin_flows(text);
		memset(uplink, 0xff, sizeof(uplink));
		for (int burst = 0; burst < 300; burst++) {
			struct rte_mbuf *m[DRB_BURST_MAX];
			uint32_t n = 1 + drb_rng_below(&r, DRB_BURST_MAX);
			for (uint32_t i = 0; i < n; i++) {
				uint16_t flow = (uint16_t)drb_rng_below(&r, 500);
				m[i] = segment(4 + flow % 28, flow, 0);
			}
			w.egress.now_ns += drb_rng_below(&r, 100) * MS;
			drb_forward_burst(&w, 0, m, n);
			for (uint32_t u = 0; u < 4; u++) {
				struct drb_egress *q = &w.egress.queue[4 + u];
				for (uint32_t k = 0; k < drb_egress_length(q); k++) {
					uint16_t flow;
					memcpy(&flow,
					       rte_pktmbuf_mtod_offset(
						       (struct rte_mbuf *)
							       q->packet[drb_egress_ring_index(q,
											       k)],
						       uint8_t *, 34),
					       2);
					if (uplink[flow] == 0xff)
						uplink[flow] = (uint8_t)u;
					assert_int_equal(uplink[flow], u);
				}
			}
			empty_queues();
		}
		assert_int_equal(w.decide.flows.appeared, 500);
		assert_int_equal(w.decide.flows.live, 500);
		end_flows();
	}
}

// A flow is decided again after the idle time, and after FIN or RST within the grace time.
TEST(flows_end)
{
	static const uint8_t ends[] = {DRB_TCP_FIN, DRB_TCP_RST};

	begin_flows(
		HEAD(2, 2, 1,
		     0) "routing: {unit: flow, threshold: 0, flow_idle: 1s, flow_grace: 10ms}\n");
	assert_int_equal(uplink_of(2, 1, 0), 0);
	assert_int_equal(uplink_of(2, 2, 0), 1);
	for (int i = 0; i < 20; i++) {
		w.egress.now_ns += 900 * MS;
		assert_int_equal(uplink_of(2, 2, 0), 1);
	}
	assert_int_equal(w.decide.flows.appeared, 2);
	// Flows 1 and 2 have ended, and count until they are found.
	w.egress.now_ns += 1002 * MS;
	assert_int_equal(uplink_of(2, 3, 0), 0);
	assert_int_equal(w.decide.flows.live, 3);
	drb_flow_table_age(&w.decide.flows, w.egress.now_ns);
	for (int i = 0; i < 32; i++) {
		w.egress.now_ns += w.decide.flows.step_ns;
		drb_flow_table_age(&w.decide.flows, w.egress.now_ns);
	}
	assert_int_equal(w.decide.flows.live, 1);
	assert_int_equal(w.decide.routing.flow_table_full, 0);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t closed = w.decide.flows.closed, appeared = w.decide.flows.appeared;
		assert_int_equal(uplink_of(2, (uint16_t)(10 + i), ends[i]), 1);
		w.egress.now_ns += 9 * MS;
		assert_int_equal(uplink_of(2, (uint16_t)(10 + i), 0), 1); // a late segment
		w.egress.now_ns += 11 * MS;
		// A flow that comes again is no load itself. Only flow 3 is one, on u0.
		assert_int_equal(uplink_of(2, (uint16_t)(10 + i), 0), 1);
		assert_int_equal(w.decide.flows.closed, closed + 1);
		assert_int_equal(w.decide.flows.appeared, appeared + 2);
		uplink_of(2, (uint16_t)(10 + i), DRB_TCP_FIN);
		w.egress.now_ns += 11 * MS;
		for (int k = 0; k < 32; k++) {
			w.egress.now_ns += w.decide.flows.step_ns;
			drb_flow_table_age(&w.decide.flows, w.egress.now_ns);
		}
		assert_int_equal(w.decide.flows.live, 1);
	}
	empty_queues();
	end_flows();
}

// More flows than fit in the table: the others are decided packet by packet, by the queues.
TEST(full_table)
{
	begin_flows(HEAD(2, 2, 1, 0) "routing: {unit: flow, threshold: 0, flow_max: 12}\n");
	// A quarter of the 12 flows is reserved for the other host.
	for (uint16_t port = 0; port < 9; port++)
		uplink_of(2, port, 0);
	assert_int_equal(w.decide.routing.flow_table_full, 0);
	empty_queues();
	for (uint16_t port = 100; port < 200; port++) {
		uint32_t want = w.egress.occupancy[3] < w.egress.occupancy[2];
		assert_int_equal(uplink_of(2, port % 7 + 100, 0), want);
	}
	assert_int_equal(w.decide.routing.flow_table_full, 100);
	assert_int_equal(w.decide.flows.live, 9);
	assert_int_equal(w.egress.occupancy[2], 50);
	drb_worker_take_snapshot(&w);
	assert_int_equal(w.shared.snapshot.flows, 9);
	assert_int_equal(w.shared.snapshot.routing.flow_table_full, 100);
	empty_queues();
	end_flows();
}

// A flowlet keeps its uplink during short pauses; after a longer pause the queues decide again.
TEST(flowlets)
{
	begin_flows(
		HEAD(2, 2, 1, 0) "routing: {unit: flowlet, threshold: 0, flowlet_gap: 100us}\n");
	for (int i = 0; i < 100; i++) {
		w.egress.now_ns += 99 * US;
		assert_int_equal(uplink_of(2, 1, 0), 0);
	}
	assert_int_equal(w.decide.routing.flowlets, 1);
	w.egress.now_ns += 102 * US;
	for (int i = 0; i < 50; i++)
		assert_int_equal(uplink_of(2, 1, 0), 1); // u0 holds 100
	assert_int_equal(w.decide.routing.flowlets, 2);
	w.egress.now_ns += 102 * US;
	assert_int_equal(uplink_of(2, 1, 0), 1);
	assert_int_equal(w.decide.routing.flowlets, 3);
	empty_queues();
	w.egress.now_ns += 102 * US;
	assert_int_equal(uplink_of(2, 1, 0), 0);
	empty_queues();
	end_flows();
}

// LetFlow: under vlb each flowlet of a flow takes any uplink, whatever the previous uplink and the
// queues. All packets of a flowlet take the same uplink.
TEST(flowlets_of_vlb_are_letflow)
{
	enum { FLOWLETS = 4000, UPLINKS = 4 };
	uint32_t pairs[UPLINKS][UPLINKS] = {{0}}, last = 0;

	begin_flows(HEAD(2, 4, 1, 0) "routing: {unit: flowlet, scheme: vlb, flowlet_gap: 100us}\n");
	for (int i = 0; i < FLOWLETS; i++) {
		w.egress.now_ns += 102 * US;
		uint32_t up = uplink_of(4, 1, 0);
		for (int more = i % 3; more > 0; more--)
			assert_int_equal(uplink_of(4, 1, 0), up);
		pairs[last][up]++;
		last = up;
		if (i % 16 == 0)
			empty_queues();
	}
	for (uint32_t a = 0; a < UPLINKS; a++)
		for (uint32_t b = 0; b < UPLINKS; b++)
			assert_in_range(pairs[a][b], FLOWLETS / 16 * 3 / 4, FLOWLETS / 16 * 5 / 4);
	assert_int_equal(w.decide.routing.flowlets, FLOWLETS);
	empty_queues();
	end_flows();
}

// Flowlets of ars, which the scheme itself keeps. Its idle time of 20 packets at 500 packets a
// second is 40 ms, and shorter pauses end no flowlet.
TEST(flowlets_of_ars)
{
	begin_flows(HEAD_RATE(2, 2, 1, 0, "500pps") "routing: {scheme: ars}\n");
	const uint32_t first = uplink_of(2, 1, 0);
	for (int i = 0; i < 100; i++) {
		w.egress.now_ns += 39 * MS;
		assert_int_equal(uplink_of(2, 1, 0), first);
	}
	w.egress.now_ns += 41 * MS;
	for (int i = 0; i < 50; i++)
		assert_int_equal(uplink_of(2, 1, 0), !first); // the other one holds 101
	empty_queues();
	end_flows();
}

// Flowlets that begin within one burst count each other's packets if these wait.
TEST(flowlets_of_a_burst)
{
	struct rte_mbuf *m[100];

	for (int paced = 0; paced < 2; paced++) {
		begin_flows(paced ? HEAD_RATE(2, 2, 1, 0,
					      "1Gbit") "routing: {unit: flowlet, threshold: 0}\n"
				  : HEAD(2, 2, 1, 0) "routing: {unit: flowlet, threshold: 0}\n");
		for (uint16_t i = 0; i < 100; i++)
			m[i] = segment(2, i, 0);
		drb_forward_burst(&w, 0, m, 100);
		assert_int_equal(w.egress.occupancy[2], paced ? 50 : 100);
		assert_int_equal(w.egress.occupancy[3], paced ? 50 : 0);
		assert_int_equal(w.decide.routing.flowlets, 100);
		empty_queues();
		end_flows();
	}
}

// A core switch has no uplinks and needs no table.
TEST(no_uplinks)
{
	begin_flows(HEAD(2, 2, 2, 0) "routing: {unit: flow}\n");
	assert_false(w.decide.assigns);
	end_flows();
}

TEST_MAIN(setup_eal, free_eal)
