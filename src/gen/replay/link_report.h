// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of links during a replay, and the link time that was lost because of the machine:
// switches woke too late, so that links were idle although packets waited.

#include <stdint.h>
#include <stdio.h>

#include "common/cli/table.h"
#include "common/measures/growth.h"
#include "gen/replay/link_watch.h"

struct link_report {
	// Figures from the first packet to the last.
	uint32_t silent; // switches that did not answer in time: the figures below leave them out
	uint32_t late_switches;   // switches that lost link time or were a slot late
	char worst[DRB_NAME_MAX]; // instance of the switch with the slowest link
	double slowest;           // the share of its rate at which the slowest link ran, 0..1
	// Time when a link had lost 1 % of its time or more for the first time, in s since the
	// first packet. NaN: no link did.
	double slowed_s;
	uint64_t machine_lost;  // packets: machine_loss.h
	double machine_late_ns; // sum of the delays of packets at switches that the machine caused
	// Figures of the measured part.
	uint64_t forwarded; // packets that left switches
	uint64_t late_slots, lost_credit_events;
	double late_ns;    // mean per packet and switch
	double redirected; // share of upward decisions; NaN without decisions
	// Figures of the second half, if slots are known.
	enum drb_growth growing;
	uint64_t growing_links;
};

struct link_report_setup {
	uint64_t start_ns;
	uint64_t slot_ns; // 0: unknown, and growth of queues is not reported
	uint32_t lasting; // slots that destinations last: common/measures/growth.h
};

// The time of a packet on its link, or of an average packet; 0: the link has no rate.
double link_packet_ns(const struct watched_port *p);

// True if a switch lost link time, or was a slot late.
bool link_was_late(const struct watched_switch *s);

struct link_report link_report_of(const struct link_watch *w,
				  const struct link_report_setup *setup);

// Prints a warning if the machine disturbed the run. lost: all lost packets; latency_ns: sum of the
// latencies of all packets.
void link_report_say(const struct link_report *r, uint64_t lost, double latency_ns);
// True if the machine disturbed the run.
bool link_report_slowed(const struct link_report *r, double latency_ns);

struct link_table {
	const struct link_watch *watch;
	const struct link_report_setup *setup;
	size_t most; // rows
};

// Writes a row for each link, the busiest first. 0 or -ENOMEM.
int link_report_write(FILE *out, const struct link_table *table, enum drb_format format);
