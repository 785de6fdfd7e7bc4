// SPDX-License-Identifier: BSD-3-Clause
// What a packet costs in units flow and flowlet, by the flows that come: CPU time of forwarding from
// the received burst into the egress queues, the best of five, one JSON object a line. "chosen" are
// flows that an unkeyed multiply-and-fold hash puts into one bucket.
//   flow_bench

#include <time.h>

#define EAL_MEMORY_MB "256"
#include "fixtures/switch_eal.h"

#include "core/math/random.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/decide/flow_assign.h"

#define ROUNDS 5
#define BURSTS 8000
#define BURST 64

enum traffic { ORDINARY, CHOSEN };

static const char *const name_of[] = {[ORDINARY] = "ordinary", [CHOSEN] = "chosen"};

static struct drb_worker w;
static struct rte_mbuf *packets[BURST];

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// A UDP packet of host 0 to host 127: of flow n.
static void write_flow(struct rte_mbuf *m, enum traffic traffic, uint32_t n)
{
	static const uint8_t chosen[] = {47, 100, 189, 120, 101, 29, 118, 160};
	uint8_t *ip = rte_pktmbuf_mtod(m, uint8_t *) + 14;
	uint64_t mixed = drb_mix64(n);

	if (traffic == CHOSEN) {
		memcpy(ip + 12, chosen, 8);
		memcpy(ip + 20, &n, 4);
	} else {
		memcpy(ip + 12, &mixed, 8);
		memcpy(ip + 20, &n, 4);
	}
}

// What a burst left in the queues leaves; the buffers are used again.
static void empty_queues(void)
{
	for (uint32_t i = 0; i < w.ports; i++) {
		uint32_t n = drb_egress_length(&w.egress[i]);
		if (n == 0)
			continue;
		drb_egress_pop(&w.egress[i], n, w.egress[i].octets, w.now_ns);
		w.occupancy[i] -= n;
		w.queued -= n;
	}
}

// ns per packet of flows that begin at `first` and repeat after `flows`.
static double cost(enum traffic traffic, uint32_t first, uint32_t flows)
{
	uint32_t n = 0;
	double ns = 0;

	for (uint32_t b = 0; b < BURSTS; b++) {
		for (uint32_t i = 0; i < BURST; i++, n = n + 1 < flows ? n + 1 : 0)
			write_flow(packets[i], traffic, first + n);
		double start = cpu_ns();
		w.now_ns += 1000;
		drb_forward_burst(&w, 0, packets, BURST);
		empty_queues();
		if (w.flows.live > 0)
			drb_flow_table_age(&w.flows, w.now_ns);
		ns += cpu_ns() - start;
	}
	return ns / BURSTS / BURST;
}

static void report(const char *unit, enum traffic traffic, uint32_t flows, bool appear)
{
	double best = 1e30;
	char text[256];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 3, arity: 4}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none}\nrouting: {unit: %s, check_source: off}\n",
		 unit);
	struct drb_setup setup = setup_of(text);
	if (drb_worker_init(&w, &setup) < 0 || drb_assign_init(&w, &setup) < 0)
		exit(1);
	for (uint32_t i = 0; i < w.ports; i++)
		drb_worker_attach(&w, i, 512, NULL);
	w.open = true;
	w.now_ns = 1000000000;
	for (int round = 0; round < ROUNDS; round++) {
		// Each packet begins a flow, or none does: the first round lets them appear.
		double ns = cost(traffic, appear ? (uint32_t)round * flows : 0, flows);
		best = (appear || round > 0) && ns < best ? ns : best;
	}
	printf("{\"bench\": \"flow\", \"unit\": \"%s\", \"flows\": \"%s\", \"count\": %u, "
	       "\"appear\": %s, \"ns\": %.1f, \"live\": %u, \"alone\": %lu}\n",
	       unit, name_of[traffic], flows, appear ? "true" : "false", best, w.flows.live,
	       w.routing.flow_table_full);
	fflush(stdout);
	drb_worker_free(&w);
}

int main(int argc, char **argv)
{
	static const char *const units[] = {"flow", "flowlet", "packet"};
	static const uint32_t counts[] = {1, 1000, 10000, 100000};

	if (start_eal() < 0)
		return 1;
	for (uint32_t i = 0; i < BURST; i++) {
		static uint8_t ip[20] = {0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17};
		uint8_t frame[60];
		make_frame(frame, sizeof(frame), 0, 127);
		memcpy(frame + 14, ip, sizeof(ip));
		packets[i] = mbuf_of(frame, sizeof(frame));
	}
	for (size_t u = 0; u < RTE_DIM(units); u++) {
		if (argc > 1 && strcmp(argv[1], units[u]) != 0)
			continue;
		for (size_t c = 0; c < RTE_DIM(counts); c++) {
			for (int t = ORDINARY; t <= CHOSEN; t++) {
				if (argc > 2 && t == CHOSEN)
					continue;
				report(units[u], (enum traffic)t, counts[c], false);
			}
		}
		for (int t = ORDINARY; t <= CHOSEN; t++) {
			if (argc > 2 && t == CHOSEN)
				continue;
			report(units[u], (enum traffic)t, BURSTS * BURST / 4, true);
		}
	}
	return rte_eal_cleanup();
}
