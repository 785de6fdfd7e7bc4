// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Switch or host? Rules of switches next to rules of hosts over ECMP, under transfers and jobs. Transfers have
// windows, links take three slots more, queues have no limit. A rule that sends packets of a transfer by several ways
// hears losses by a timeout alone: each packet has its own, be it hosts or switches that choose.

#include "sim/flows/transfers.h"

#define PAPER_HOSTS_LONGEST 50000 // slots of a run: some may never arrive beside dead links

struct paper_hosts {
	const struct paper_hosts_rule *rule;
	const struct paper_hosts_case *traffic;
	const struct paper_hosts_fabric *fabric;
	struct drb_transfers_setup transfers;
	uint32_t amount; // packets of a transfer, data of a rank, or slots in which transfers begin
};

// Times in slots; NaN: some transfer was not over.
struct paper_hosts_result {
	double slowdown, slowdown_p99; // time of a transfer next to that on an idle fabric
	double makespan,
		bound;         // of all, and what links of hosts and the order of transfers ask for
	double marked, resent; // shares of packets
	double unfinished;     // transfers
};

struct paper;

void paper_plan_hosts(struct paper *p);
const char *paper_hosts_label(const struct paper_hosts *h);
const char *paper_hosts_traffic(const struct paper_hosts *h);
// Packets that cross links, about.
double paper_hosts_estimate(const struct paper_hosts *h);
// 0, or as drb_list_run().
int paper_hosts_run(const struct paper_hosts *h, struct paper_hosts_result *result);
