// SPDX-License-Identifier: BSD-3-Clause
// Speed of the decision core on one core, one JSON object a line: ns per next hop and per decision
// of each scheme. CPU time, so that other load on the machine disturbs less; the best of five.
//   core_bench

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/routing/decide.h"
#include "core/packet/flow_key.h"
#include "core/fabric/next_hop.h"

#define ROUNDS 5
#define CALLS 4000000u
#define HOSTS 4096 // destinations asked for in turn

static uint32_t destination[HOSTS];
static volatile uint64_t sink; // what is computed must not be left out

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void report(const char *what, const char *scheme, uint32_t uplinks, double ns)
{
	printf("{\"bench\": \"core\", \"what\": \"%s\", ", what);
	if (scheme)
		printf("\"scheme\": \"%s\", ", scheme);
	printf("\"uplinks\": %u, \"ns\": %.2f}\n", uplinks, ns);
	fflush(stdout);
}

// Best time of body per call, in ns.
#define MEASURE(ns, body)                                                                          \
	do {                                                                                       \
		(ns) = 1e30;                                                                       \
		for (int round = 0; round < ROUNDS; round++) {                                     \
			double start = cpu_ns();                                                   \
			for (uint32_t i = 0; i < CALLS; i++)                                       \
				body;                                                              \
			double each = (cpu_ns() - start) / CALLS;                                  \
			(ns) = each < (ns) ? each : (ns);                                          \
		}                                                                                  \
	} while (0)

// Layer, label -> down-port or default uplink, as a switch without a table computes it.
static void next_hop(uint32_t arity)
{
	struct drb_tree tree;
	uint64_t sum = 0;
	double ns;

	if (drb_tree_init(&tree, 3, arity) < 0)
		return;
	struct drb_hop hop = drb_hop_at(&tree, 2, 1);
	struct drb_rng rng = drb_rng_seed(1, arity);
	for (uint32_t i = 0; i < HOSTS; i++)
		destination[i] = drb_rng_below(&rng, hop.hosts);
	MEASURE(ns, {
		uint32_t h = destination[i % HOSTS];
		sum += drb_hop_digit(&hop, h) + drb_hop_below(&hop, h);
	});
	sink = sum;
	report("next_hop", NULL, arity, ns);
}

// Decisions that change the loads the next ones read; one packet leaves per packet that comes.
static void decision(enum drb_scheme scheme, uint32_t uplinks, uint32_t choices)
{
	struct drb_choice choice = {.scheme = scheme,
				    .uplinks = uplinks,
				    .choices = choices,
				    .margin = drb_margin(2),
				    .salt = 7};
	struct drb_rng rng = drb_rng_seed(2, uplinks);
	uint32_t load[DRB_CHOICES_MAX] = {0}, leaves = 0;
	char name[32];
	double ns;

	MEASURE(ns, {
		uint64_t draw = drb_rng_next(&rng);
		uint32_t def = destination[i % HOSTS] % uplinks;
		load[drb_choose(&choice, load, def, i * UINT64_C(0x9e3779b97f4a7c15), draw)]++;
		leaves = leaves + 1 < uplinks ? leaves + 1 : 0;
		load[leaves] -= load[leaves] > 0;
	});
	sink = load[0];
	snprintf(name, sizeof(name), choices > 2 ? "%s of %u" : "%s", drb_scheme_name(scheme),
		 choices);
	report("decision", name, uplinks, ns);
}

static void flow_hash(void)
{
	uint8_t flags;
	uint8_t frame[64] = {[12] = 8, [14] = 0x45, [23] = 17};
	uint64_t sum = 0;
	double ns;

	MEASURE(ns, {
		memcpy(frame + 26, &i, sizeof(i));
		sum += drb_flow_hash_of(frame, sizeof(frame), &flags) + flags;
	});
	sink = sum;
	report("flow_hash", NULL, 0, ns);
}

int main(void)
{
	static const uint32_t arities[] = {4, 16};

	for (size_t a = 0; a < sizeof(arities) / sizeof(arities[0]); a++) {
		next_hop(arities[a]);
		for (int s = 0; s < DRB_SCHEME_COUNT; s++) {
			if (!drb_scheme_packets_only((enum drb_scheme)s)) // decide as drb does
				decision((enum drb_scheme)s, arities[a], 2);
		}
		decision(DRB_SCHEME_DRB, arities[a], 3);
	}
	flow_hash();
	return 0;
}
