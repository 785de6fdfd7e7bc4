// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A case of the search for traffic under which queues grow: what its traffic is like, in a few numbers.
// Each gene has few values, so that cases can be changed one gene at a time.

#include <stddef.h>
#include <stdint.h>

#include "core/math/random.h"

// A row says: name, how many values, and what the gene is.
// clang-format off
#define SEARCH_GENES(X)                                                                            \
	X(send,    5, "eighths of the pods that only send")                                        \
	X(receive, 5, "eighths of the pods that only receive")                                     \
	X(silent,  5, "eighths of the racks that are silent")                                      \
	X(keep,    9, "eighths of the sending racks that keep their destinations")                 \
	X(how,     4, "which ones: any, below one uplink, in one pod, both")                       \
	X(little,  5, "eighths of the racks that send a tenth")                                    \
	X(answers, 4, "share of what receivers answer: none, 1, 5, 20 %")                          \
	X(lasts,   4, "slots that destinations are kept for: all, 256, 64, 16")                    \
	X(split,   3, "kinds of receivers that the others draw from")
// clang-format on

enum search_gene {
#define X(name, ...) SEARCH_##name,
	SEARCH_GENES(X)
#undef X
		SEARCH_GENES_COUNT
};

struct search_case {
	uint8_t gene[SEARCH_GENES_COUNT];
	uint8_t load;  // place in the list of loads
	uint32_t seed; // of what is drawn by the genes
};

extern const char *const search_gene_name[SEARCH_GENES_COUNT];

// Any case, at one of so many loads.
struct search_case search_case_any(struct drb_rng *rng, uint32_t loads);
// One like it: a gene, the load or the seed is another one.
struct search_case search_case_like(const struct search_case *c, struct drb_rng *rng,
				    uint32_t loads);
// "2,0,1,...": the genes and the seed, as rows begin with.
#define SEARCH_CASE_TEXT 64
void search_case_format(const struct search_case *c, char text[SEARCH_CASE_TEXT]);
