// SPDX-License-Identifier: BSD-3-Clause
// Compares the time of a decision in the switch by a scheme of the table with that by the same
// scheme from a shared object. They take turns; prints the best time of each, in ns a packet.
//   decide_bench SCHEME OBJECT
#include "fixtures/switch_eal.h"

#include <time.h>

#include "core/math/random.h"

#include "switch/datapath/decide/decide_burst.h"

enum { BURST = 64, BURSTS = 20000, TURNS = 15 };

struct contender {
	const char *scheme;
	struct drb_setup setup;
	double best; // ns a packet, in the best turn
	uint32_t redirected;
};

static struct drb_worker worker[2];
static struct rte_mbuf *packets[BURST];

static void begin(struct drb_worker *w, struct contender *c)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 3, arity: 8}\nswitch: {layer: 1, label: 0}\n"
		 "link: {driver: none, rate: 10Gbit}\nrouting: {scheme: %s, threshold: 1}\n",
		 c->scheme);
	c->setup = setup_of(text);
	if (drb_worker_init(w, &c->setup) < 0)
		exit(1);
	for (uint32_t i = 0; i < w->egress.ports; i++)
		drb_worker_attach(w, i, 1024, NULL);
	w->egress.open = true;
	c->best = 1e9;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void take_turn(struct drb_worker *w, struct contender *c)
{
	struct drb_burst b = {
		.in = 0, .count = BURST, .packets = packets, .classifier = &w->port[0].classifier};
	const double start = seconds();

	for (uint32_t i = 0; i < BURSTS; i++) {
		drb_decide_burst(&w->decide, &w->egress, &b, true);
		c->redirected += b.counters.redirected;
	}
	const double each = (seconds() - start) * 1e9 / BURST / BURSTS;
	c->best = each < c->best ? each : c->best;
}

int main(int argc, char **argv)
{
	struct contender c[2] = {0};
	struct drb_rng r = drb_rng_seed(1, 1);
	uint8_t frame[60];

	if (argc != 3 || start_eal() < 0)
		return 2;
	for (int i = 0; i < 2; i++) {
		c[i].scheme = argv[1 + i];
		begin(&worker[i], &c[i]);
	}
	for (uint32_t i = 0; i < BURST; i++) {
		make_frame(frame, sizeof(frame), 0,
			   8 + drb_rng_below(&r, c[0].setup.tree.hosts - 8));
		packets[i] = mbuf_of(frame, sizeof(frame));
	}
	for (int turn = 0; turn < TURNS; turn++)
		for (int i = 0; i < 2; i++)
			take_turn(&worker[i], &c[i]);
	if (c[0].redirected != c[1].redirected) {
		fprintf(stderr, "decide_bench: not the same scheme: %u and %u redirected\n",
			c[0].redirected, c[1].redirected);
		return 1;
	}
	printf("{\"bench\":\"decide\",\"scheme\":\"%s\",\"built_in_ns\":%.2f,\"loaded_ns\":%.2f}\n",
	       argv[1], c[0].best, c[1].best);
	return 0;
}
