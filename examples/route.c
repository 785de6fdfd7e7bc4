// SPDX-License-Identifier: BSD-3-Clause
// Prints the paths of packets through the fat-tree F(l,d), switch by switch:
//   route LAYERS ARITY FROM TO [SCHEME [THRESHOLD [SEED [PACKETS]]]]
// Packets carry marks and switches keep state as the scheme needs. Queues of 0 to 7 packets are
// made up, so that schemes have loads to compare. Packets arrive d times as fast as an uplink
// sends.
#include <drb/scheme.h>
#include <drb/tree.h>
#include <stdio.h>
#include <stdlib.h>

#define UPLINKS 64

static struct drb_chooser *chooser[DRB_LAYERS_MAX + 1][UPLINKS * UPLINKS];

static uint32_t up(const struct drb_tree *t, struct drb_end at, struct drb_decision *d,
		   uint32_t now)
{
	uint32_t load[UPLINKS];

	for (uint32_t u = 0; u < drb_tree_up_ports(t, at.layer); u++)
		load[u] = (uint32_t)rand() / 8 % 8;
	uint32_t to = drb_chooser_choose(chooser[at.layer][at.label], load, d);
	printf("s%u-%u  up by u%u (%u queued; default u%u: %u)%s\n", at.layer, at.label, to,
	       load[to], d->def, load[d->def], to == d->def ? "" : ", redirected");
	drb_chooser_tick(chooser[at.layer][at.label], now, 1);
	return to;
}

int main(int argc, char **argv)
{
	uint32_t n[9] = {0, 0, 0, 0, 0, 0, 2, 1, 1}; // by position on the command line

	for (int i = 1; i < argc && i < 9; i++)
		n[i] = (uint32_t)strtoul(argv[i], NULL, 10);
	const struct drb_scheme_ops *scheme = drb_scheme_find(argc > 5 ? argv[5] : "drb");
	struct drb_tree *t = n[2] <= UPLINKS ? drb_tree_new(n[1], n[2], n[2]) : NULL;
	if (argc < 5 || argc > 9 || !scheme || !t || n[3] >= drb_tree_hosts(t) ||
	    n[4] >= drb_tree_hosts(t) || drb_tree_switches(t, 1) > UPLINKS * UPLINKS)
		return puts("route LAYERS ARITY FROM TO [SCHEME [T [SEED [PACKETS]]]]"), 2;
	srand(n[7]);
	for (uint32_t m = 1; m < n[1]; m++)
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++)
			chooser[m][s] = drb_chooser_new(
				scheme, &(struct drb_chooser_setup){t, m, s, n[6], 2, n[7], n[2]});
	for (uint32_t packet = 0; packet < n[8]; packet++) {
		struct drb_decision d = {.dest = n[4], .flow = n[3], .size = 1};
		struct drb_end at = drb_tree_host_peer(t, n[3]);
		for (printf("h%u\n", n[3]); at.layer > 0;) {
			if (!drb_tree_is_below(t, at.layer, at.label, n[4])) {
				at = drb_tree_up_peer(t, at.layer, at.label, up(t, at, &d, packet));
				continue;
			}
			uint32_t port = drb_tree_down_port(t, at.layer, at.label, n[4]);
			printf("s%u-%u  down by d%u\n", at.layer, at.label, port);
			at = drb_tree_down_peer(t, at.layer, at.label, port);
		}
		printf("h%u\n", at.label);
	}
}
