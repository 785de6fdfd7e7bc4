// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The clients of the stats socket. DPDK's telemetry serves at most ten, each by a thread that waits for it
// without end, so that ten silent ones lock out all others. Its call of accept() is linked to a function
// here (ld --wrap), which gives it one client: us. Its listening thread then serves any number, one
// request of each in turn, and waits for none of them.

// Most clients at once. Beyond, whoever has been silent for longest makes room for the next.
#define DRB_STATS_CLIENTS_MAX 1024
// Who does not take replies is let go after so long.
#define DRB_STATS_TAKE_WITHIN_NS UINT64_C(5000000000)

// Before EAL starts: as many descriptors as so many clients take, if the process may have them.
void drb_stats_clients_begin(void);
