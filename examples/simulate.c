// SPDX-License-Identifier: BSD-3-Clause
// Simulates one edge switch with every scheme: prints the mean number of packets in its uplinks'
// queues while d hosts send by a pattern.
//   simulate ARITY LOAD [PATTERN [SLOTS]]        such as: simulate 8 0.9 tornado
#include <drb/scheme.h>
#include <drb/threshold.h>
#include <drb/traffic.h>
#include <drb/tree.h>
#include <stdio.h>
#include <stdlib.h>

#define ARITY 64

// The mean number of packets in all queues, over the slots.
static double queued(const struct drb_tree *t, struct drb_chooser *c, struct drb_sender *hosts,
		     uint32_t arity, uint32_t slots)
{
	uint32_t *dest = malloc(drb_tree_hosts(t) * sizeof(*dest)), queue[ARITY] = {0};
	double sum = 0;

	for (uint32_t slot = 0; slot < slots; drb_chooser_tick(c, ++slot, 0)) {
		drb_sender_slot(hosts, dest);
		for (uint32_t h = 0; h < arity; h++) {
			struct drb_decision d = {.dest = dest[h], .flow = h, .size = 1};
			if (dest[h] != DRB_SILENT && !drb_tree_is_below(t, 1, 0, dest[h]))
				queue[drb_chooser_choose(c, queue, &d)]++;
		}
		for (uint32_t u = 0; u < arity; u++) {
			sum += queue[u];
			queue[u] -= queue[u] > 0;
		}
	}
	free(dest);
	return sum / slots;
}

int main(int argc, char **argv)
{
	uint32_t arity = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	double load = argc > 2 ? atof(argv[2]) : 0;
	struct drb_tree *t = arity <= ARITY ? drb_tree_new(3, arity, arity) : NULL;

	if (!t || !(load > 0 && load < 1))
		return puts("simulate ARITY LOAD [PATTERN [SLOTS]]"), 2;
	for (uint32_t i = 0; drb_scheme_at(i); i++) {
		const struct drb_chooser_setup setup = {.tree = t,
							.layer = 1,
							.threshold = drb_threshold_packet(load),
							.packet_time = 1};
		struct drb_chooser *c = drb_chooser_new(drb_scheme_at(i), &setup);
		struct drb_sender *hosts =
			drb_sender_new(t, argc > 3 ? argv[3] : "permutation", load, 1);
		if (!hosts)
			return perror(argv[3]), 2;
		printf("%-8s %8.2f\n", drb_scheme_at(i)->name,
		       queued(t, c, hosts, arity, argc > 4 ? (uint32_t)atoi(argv[4]) : 10000));
		drb_sender_free(hosts);
		drb_chooser_free(c);
	}
}
