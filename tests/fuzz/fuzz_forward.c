// SPDX-License-Identifier: BSD-3-Clause
// Bursts of any frames into switches of several kinds, with real mbufs: counters must include every
// packet. Input: kind of switch and dead ports, which are only drained if the input's length is
// even. Then for each frame: its port, whether the burst ends, its length.
#include "fuzz.h"

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/forward.h"
#include "fixtures/switch_eal.h"

#define FABRIC(l, d, m, s)                                                                         \
	"fabric: {layers: " #l ", arity: " #d "}\nswitch: {layer: " #m ", label: " #s "}\n"        \
	"link: {driver: none"

static const char *const kinds[] = {
	FABRIC(3, 2, 1, 3) "}\n",
	FABRIC(3, 2, 2, 5) ", rate: 1Mbit}\nrouting: {scheme: ecmp}\n",
	FABRIC(3, 2, 3, 1) "}\n",
	FABRIC(2, 8, 1, 15) "}\nrouting: {scheme: micro, check_source: off}\n",
	FABRIC(2, 4, 1, 0) ", rate: 500pps}\nrouting: {choices: 3, threshold: 0}\n",
	FABRIC(1, 4, 1, 0) "}\n",
	FABRIC(3, 2, 2, 0) ", rate: 1Mbit}\nrouting: {scheme: walk}\n",
	FABRIC(3, 2, 1,
	       2) "}\nrouting: {unit: flow, flow_max: 20, flow_idle: 1us, flow_grace: 1us}\n",
	FABRIC(3, 2, 2, 1) "}\nrouting: {unit: flow, flow_max: 7, scheme: ecmp}\n",
	FABRIC(3, 2, 1, 2) "}\nrouting: {unit: flowlet, flow_max: 20, flowlet_gap: 1us}\n",
	FABRIC(3, 2, 1, 1) "}\nrouting: {check_source: mac}\n",
#define X(id, name, ...) FABRIC(3, 2, 1, 0) "}\nrouting: {scheme: " #name "}\n",
	DRB_SCHEMES(X)
#undef X
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct drb_setup setups[KINDS];
static struct drb_worker w;

static void once(void)
{
	require(start_eal() == 0);
	for (size_t i = 0; i < KINDS; i++) {
		setups[i] = setup_of(kinds[i]);
		for (uint32_t p = 0; p < DRB_PORTS_MAX; p++)
			setups[i].ports[p].queue = 20;
	}
}

ONCE(once())

static void conserved(uint64_t frames)
{
	uint64_t in = 0, seen = 0, dropped = 0, reasons = 0;

	drb_worker_take_snapshot(&w);
	for (uint32_t i = 0; i < w.egress.ports; i++) {
		const struct drb_port_counters *p = &w.shared.snapshot.port[i];
		in += p->in_packets;
		dropped += p->in_discards + p->out_discards;
		seen += p->out_packets + p->queue_packets;
		require(p->queue_packets <= 20);
	}
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		reasons += w.shared.snapshot.drop[i];
	require(in == frames && dropped == reasons);
	require(in + w.shared.snapshot.routing.too_big_replies == seen + dropped);
}

// Any ports towards any rack: neighbours may report anything.
static void take_routes(const struct drb_setup *setup, size_t size)
{
	if (!(size & 2))
		return;
	for (uint32_t i = 0; i < drb_tree_switches(&setup->tree, 1); i++)
		w.links.routes[i] = drb_mix64(size + i);
	w.links.ports.routes = w.links.routes;
	w.links.ports.settled = size & 4;
	w.links.reroutes = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t first = take(&data, &size);
	const struct drb_setup *setup = &setups[first % KINDS];
	struct rte_mbuf *burst[DRB_BURST_MAX];
	uint32_t count = 0, in = 0;
	uint64_t frames = 0, hellos = 0;

	require(drb_worker_init(&w, setup) == 0 && drb_assign_init(&w.decide, setup) == 0);
	w.decide.flow_secret = (struct drb_hash_key){
		{1, 2, 3, UINT64_C(0x9e3779b97f4a7c15)}}; // the same each time
	// The last port has no device.
	for (uint32_t i = 0; i + 1 < w.egress.ports; i++)
		drb_worker_attach(&w, i, 20, NULL);
	uint64_t dead = (first / KINDS) & ((1u << (w.egress.ports - 1)) - 1);
	const struct drb_links links = {.dead = dead, .drained = size & 1 ? dead : 0};
	drb_links_publish(&w.shared.links, &links);
	drb_hellos_read_links(&w);
	take_routes(setup, size);
	w.egress.now_ns = 1000000000;
	while (size > 0) {
		uint8_t head = take(&data, &size), len = take(&data, &size);
		uint32_t have = len < size ? len : (uint32_t)size;
		burst[count] = mbuf_of(data, have);
		require(burst[count]);
		hellos += have >= DRB_FRAME_MIN && drb_hello_is(data);
		data += have;
		size -= have;
		count++;
		frames++;
		if ((head & 0x80) || count == DRB_BURST_MAX || size == 0) {
			in = head % w.egress.ports;
			w.egress.now_ns += head * UINT64_C(100);
			drb_forward_burst(&w, in, burst, count);
			if (w.decide.flows.live > 0)
				drb_flow_table_age(&w.decide.flows, w.egress.now_ns);
			count = 0;
		}
	}
	// Hellos do not count as packets; all other frames must.
	require(w.counters.rx_packets <= frames && frames - w.counters.rx_packets <= hellos);
	conserved(w.counters.rx_packets);
	drb_worker_free(&w);
	require(rte_mempool_avail_count(test_pool) == MBUFS);
	return 0;
}
