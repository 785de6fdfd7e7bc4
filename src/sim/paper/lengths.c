// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/lengths.h"

#include <math.h>

#define LEAST 60 // slots: several times as long as a path
#define MOST_MEASURED 120
// The paper's.
#define SLOTS 2000
#define STATS 500

uint32_t paper_settling(double rho)
{
	double slots = 4 / ((1 - rho) * (1 - rho));

	return slots > LEAST ? (uint32_t)fmin(ceil(slots), UINT32_MAX / 2) : LEAST;
}

struct paper_length paper_length_itself(bool quick, double rho)
{
	const uint32_t settling = paper_settling(rho);
	const uint32_t stats = settling < MOST_MEASURED ? settling : MOST_MEASURED;

	if (quick)
		return (struct paper_length){60, 20};
	if (settling > SLOTS - STATS)
		return (struct paper_length){SLOTS, STATS};
	return (struct paper_length){settling + stats, stats};
}

struct paper_length paper_length_beside(struct paper_length full, double rho)
{
	const uint32_t warm_up = full.slots - full.stats, stats = full.slots / 10;

	if (paper_settling(rho) > warm_up)
		return full;
	return (struct paper_length){warm_up + stats, stats};
}
