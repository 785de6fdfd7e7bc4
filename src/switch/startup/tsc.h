// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How fast the cycle counter runs, without the tenth of a second that DPDK sleeps to find out.

// Called as early as possible: the counter is compared with the clock from here until EAL asks.
void drb_tsc_begin(void);
