// SPDX-License-Identifier: BSD-3-Clause
// Links the decision core and prints the way of one packet through the fat-tree F(l,d):
//   route LAYERS ARITY FROM TO [SCHEME [THRESHOLD [SEED]]]
// For schemes that keep nothing from packet to packet, for which drb_choose() is all. One that does is
// refused: it needs drb_decide_uplink(), and memory at each switch (struct drb_decider).
// Every switch on the way up has made-up queues of 0 to 7 packets, so that there is something to
// decide. The same seed gives the same queues and the same draws.
#include <stdio.h>
#include <stdlib.h>

#include "core/fabric/names.h"
#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"
#include "core/math/random.h"
#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "drb/threshold.h"

#define UPLINKS_MAX 64

static int usage(void)
{
	fprintf(stderr, "usage: route LAYERS ARITY FROM TO [SCHEME [THRESHOLD [SEED]]]\n"
			"such as: route 3 2 4 10 drb 2\n");
	return 2;
}

// The number argument i stands for; absent if there is none, UINT32_MAX if it is not a number.
static uint32_t number(int argc, char **argv, int i, uint32_t absent)
{
	char *end;

	if (i >= argc)
		return absent;
	unsigned long value = strtoul(argv[i], &end, 10);
	return end != argv[i] && *end == '\0' && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

// The uplink that switch (layer, label) takes, where def is D-mod-k's.
static uint32_t decide(const struct drb_choice *choice, uint32_t def, struct drb_rng *rng)
{
	uint32_t load[UPLINKS_MAX];

	for (uint32_t u = 0; u < choice->uplinks; u++)
		load[u] = drb_rng_below(rng, 8);
	uint32_t up = drb_choose(choice, load, def, 0, drb_rng_next(rng));
	printf("  up by u%u (default u%u%s; queued", up, def, up == def ? "" : ", redirected");
	for (uint32_t u = 0; u < choice->uplinks; u++)
		printf(" u%u:%u", u, load[u]);
	printf(")\n");
	return up;
}

static void print_route(const struct drb_tree *t, uint32_t from, uint32_t to,
			struct drb_choice *choice, struct drb_rng *rng)
{
	struct drb_end at = drb_tree_host_peer(t, from);
	char name[DRB_END_NAME_MAX];

	printf("h%u\n", from);
	while (at.layer > 0) {
		struct drb_hop hop = drb_hop_at(t, at.layer, at.label);
		uint32_t digit = drb_hop_digit(&hop, to);
		drb_end_name(name, &at);
		printf("%s", name);
		if (drb_hop_below(&hop, to)) {
			printf("  down by d%u\n", digit);
			at = drb_tree_down_peer(t, at.layer, at.label, digit);
		} else {
			choice->uplinks = drb_tree_up_ports(t, at.layer);
			at = drb_tree_up_peer(t, at.layer, at.label, decide(choice, digit, rng));
		}
	}
	printf("h%u\n", at.label);
}

int main(int argc, char **argv)
{
	uint32_t layers = number(argc, argv, 1, UINT32_MAX);
	uint32_t arity = number(argc, argv, 2, UINT32_MAX);
	uint32_t from = number(argc, argv, 3, UINT32_MAX);
	uint32_t to = number(argc, argv, 4, UINT32_MAX);
	uint32_t threshold = number(argc, argv, 6, 2);
	uint32_t seed = number(argc, argv, 7, 1);
	struct drb_choice choice = {.choices = 2};
	enum drb_scheme scheme;
	struct drb_tree tree;

	if (argc > 8 || arity > UPLINKS_MAX || drb_tree_init(&tree, layers, arity) < 0 ||
	    from >= tree.hosts || to >= tree.hosts || from == to || threshold == UINT32_MAX ||
	    seed == UINT32_MAX || drb_scheme_parse(argc > 5 ? argv[5] : "drb", &scheme) < 0)
		return usage();
	choice.ops = drb_scheme_ops(scheme);
	if (choice.ops->state_size) {
		fprintf(stderr,
			"route: %s keeps something from packet to packet, and this example shows "
			"one "
			"packet; take drb, or see all schemes in drbsim packet\n",
			choice.ops->name);
		return 2;
	}
	choice.margin = drb_margin(threshold);
	struct drb_rng rng = drb_rng_seed(seed, 0);
	print_route(&tree, from, to, &choice, &rng);
	return 0;
}
