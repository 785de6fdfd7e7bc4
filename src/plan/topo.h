// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the verbs of drbtopo: the fabric that a command line describes, and an iterator over
// its links.

#include <stdbool.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "common/cli/table.h"
#include "core/fabric/addresses.h"
#include "core/fabric/names.h"
#include "core/fabric/tree.h"

// The fabric of a command line: options -l, -d, --uplinks, --fabric, --ipv4, --ipv6 and --mac.
struct topo {
	const char *fabric; // name
	struct drb_tree tree;
	struct drb_addr_plan addresses;
	const char *layers, *arity, *uplinks, *ipv4, *ipv6, *mac; // as given; NULL: not given
};

// TOPO_SET() is the set of these options for drb_options_parse(), for a struct topo that is all
// zeros. After parsing, the topo is complete and checked. Invalid values end the program with
// DRB_EXIT_USAGE.
extern const struct drb_option topo_options[];
void topo_complete(void *topo);
// clang-format off
#define TOPO_SET(topo) {.option = topo_options, topo, topo_complete}
// clang-format on

// One link, seen from its lower end. Every link of the fabric has exactly one lower end.
struct topo_link {
	struct drb_end lower, upper;
};

// An iterator over all links by their lower ends: hosts by label, then switches by layer, label and
// up-port. Start with {.tree = t}.
struct topo_links {
	const struct drb_tree *tree;
	uint32_t layer, label, port; // the next lower end
};

// The next link; false: there are no more.
bool topo_links_next(struct topo_links *walk, struct topo_link *link);

// A host's addresses as text.
#define TOPO_ADDR_MAX 48
void topo_mac(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host);
void topo_ipv4(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host);
void topo_ipv6(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host);
