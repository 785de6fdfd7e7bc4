// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How long the runs of `drbsim paper` with packets are: as long as queues take to settle, and what is
// measured behind that.

#include <stdbool.h>
#include <stdint.h>

struct paper_length {
	uint32_t slots, stats; // the last `stats` of them are measured
};

// Slots after which a fabric that began empty is as it will be. A queue of load rho forgets in some
// 1 / (1 - rho)^2 slots; four times that, at least 60.
uint32_t paper_settling(double rho);

// The paper's own experiment: 500 of 2000 slots, as in the paper, at loads at which queues need them. Below that as
// many slots as they take to settle, but no more than 120, behind those in which they do. quick: enough for a picture.
struct paper_length paper_length_itself(bool quick, double rho);

// The study of traffic that persists has one run of the full length at each point, in which links that grow slowly
// are found. The others of its runs tell how sure the means are: they measure a tenth of the full length, behind the
// same warm-up, for until then a scheme may still change its mind (walk judges over 2048 slots).
struct paper_length paper_length_beside(struct paper_length full, double rho);
