// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A case tried: the scheme that is searched and the one that it is held against, under the same traffic.

#include <stdbool.h>

#include "sim/models/packet.h"

#include "sim/search/genes.h"

// Longer runs, with other seeds, of a case whose queues seem to grow.
#define SEARCH_SEEDS 3
#define SEARCH_LONGER 4

struct search_setup {
	struct drb_packet_setup packet; // all but scheme, load and traffic
	enum drb_scheme scheme, against;
	const double *load;
	uint32_t loads;
};

struct search_result {
	double latency, tail, against_latency, against_tail;
	// Queues grow under the scheme in a run of the usual length, and under the other; grows_alone: in each of
	// the longer runs under the scheme, and in none under the other.
	bool grows, against_grows, grows_alone;
	bool done;
};

// 0, or a negative errno.
int search_try(const struct search_setup *s, const struct search_case *c,
	       struct search_result *result);
// How bad a case is: the latency over that of the scheme it is held against; 0 where that one grows.
double search_badness(const struct search_result *result);
