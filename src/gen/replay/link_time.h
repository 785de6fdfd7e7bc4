// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The time that packets take on the links of a running fabric, by the rates that its switches
// report.

#include <stdint.h>

// The link of one host, in both directions. A frame takes packet_ns, and octet_ns for each of its
// bytes and each byte of overhead on the wire.
struct host_link {
	double packet_ns, octet_ns; // both 0: without a rate, or unknown
	uint64_t overhead;          // bytes that a frame takes on the wire beyond its own
};

// ns that a frame of `size` bytes, without its FCS, takes.
static inline double host_link_ns(const struct host_link *link, uint32_t size)
{
	return link->packet_ns + link->octet_ns * (double)(size + link->overhead);
}

// Fills in link[h] for each host by the answers of the layer-1 switches. Returns the number of
// links with a rate, or -ENOENT if no switch answers.
int link_time_of_hosts(const char *fabric, uint32_t hosts, struct host_link link[]);

struct link_time_traffic {
	const char *fabric;
	uint64_t slot_ns;
	uint32_t size; // bytes of its frames without FCS
};

// Asks all switches for the time of a packet on their uplinks. Prints a line if most uplinks have
// another time than the slot, and a line if some links have another rate than most. Prints nothing
// if links have no rate or no switch answers.
void link_time_compare(const struct link_time_traffic *traffic);
