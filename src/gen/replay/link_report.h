// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What links did while something was replayed, and what the machine took from them: their switches woke too late,
// so they did not send though packets waited.

#include <stdint.h>
#include <stdio.h>

#include "common/measures/growth.h"
#include "gen/replay/link_watch.h"

struct link_report {
	// From the first packet to the last.
	uint32_t silent; // switches that did not answer in time: what follows is without them
	uint32_t late_switches;   // that lost link time or were a slot late
	char worst[DRB_NAME_MAX]; // instance of the one with the slowest link
	double slowest;           // the part of its rate at which the slowest link ran, 0..1
	double slowed_s; // when a link first lost 1 % of its time, in s since the first packet; NaN: none
	uint64_t machine_lost;  // packets: machine_loss.h
	double machine_late_ns; // how much later packets left switches by the machine, added up
	// Of what is measured.
	uint64_t forwarded; // packets that left switches
	uint64_t late_slots, lost_credit_events;
	double late_ns;    // a packet and switch
	double redirected; // share of decisions on the way up; NaN without any
	// Of the second half, if slots are known.
	enum drb_growth growing;
	uint64_t growing_links;
};

struct link_report_setup {
	uint64_t start_ns;
	uint64_t slot_ns; // 0: not known, and whether queues grow is not told
	uint32_t lasting; // slots that destinations last: common/measures/growth.h
};

// The time of a packet on its link, or of an average one; 0: it has no rate.
double link_packet_ns(const struct watched_port *p);

// Whether a switch lost link time, or was a slot late.
bool link_was_late(const struct watched_switch *s);

struct link_report link_report_of(const struct link_watch *w,
				  const struct link_report_setup *setup);

// A warning if it matters: with the packets lost in all, and the latencies of all packets added up.
void link_report_say(const struct link_report *r, uint64_t lost, double latency_ns);
// Whether it matters.
bool link_report_slowed(const struct link_report *r, double latency_ns);

// A line of CSV for each link.
void link_report_write(FILE *out, const struct link_watch *w,
		       const struct link_report_setup *setup);
