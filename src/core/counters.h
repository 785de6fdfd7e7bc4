// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names of everything a switch counts: telemetry commands, JSON keys and drop reasons, defined
// once for the switch, its readers and the tests. Field names follow RFC 2863 in spirit.
// At every instant, per switch: in_packets = out_packets + in_discards + out_discards +
// queue_packets, each summed over its ports; every discard has one reason.

#include <stdint.h>

// X(key, meaning): counters of one port. Octets are without FCS and preamble.
#define DRB_PORT_COUNTERS(X)                                                                       \
	X(in_packets, "packets received, discarded ones included")                                 \
	X(in_octets, "bytes received")                                                             \
	X(in_discards, "packets received here and dropped before an egress queue")                 \
	X(in_missed, "packets the kernel dropped before the switch could receive them")            \
	X(out_packets, "packets handed to the link")                                               \
	X(out_octets, "bytes handed to the link")                                                  \
	X(out_discards, "packets dropped at this port's egress queue")                             \
	X(queue_packets, "packets in the egress queue now, the one being serialised included")     \
	X(queue_octets, "bytes in the egress queue now")                                           \
	X(queue_max, "most packets the egress queue ever held")                                    \
	X(queue_ns, "time packets were queued, added up, ns: its growth is the mean length; 0 "    \
		    "without a rate")

// X(key, meaning): of an af_xdp port, counted by its XDP program and by the kernel behind it. At
// rest in_packets = xdp_redirected - xdp_ring_full - xdp_dropped, and those two are in_missed.
#define DRB_XDP_COUNTERS(X)                                                                        \
	X(xdp_seen, "frames that reached the port's interface")                                    \
	X(xdp_redirected, "of them sent on to the switch")                                         \
	X(xdp_passed, "of them left to the kernel's network stack")                                \
	X(xdp_ring_full, "sent on to the switch when its receive ring was full")                   \
	X(xdp_dropped, "sent on to the switch when it had no buffer for them, or too long for "    \
		       "one")

// X(key, meaning): why packets are dropped.
#define DRB_DROP_REASONS(X)                                                                        \
	X(bad_frame, "shorter than an Ethernet header")                                            \
	X(oversize, "longer than a frame of 1500 bytes with two VLAN tags")                        \
	X(multicast, "broadcast or multicast that this switch does not answer")                    \
	X(unknown_destination, "destination MAC is no host of this fabric")                        \
	X(not_below, "came from above and is not for a host below")                                \
	X(same_port, "would leave by the port it came from")                                       \
	X(spoofed_source, "source of a host's frame is not the label of that host")                \
	X(hello_from_host, "hello of a switch that came from a host's port")                       \
	X(bad_hello, "hello with wrong contents")                                                  \
	X(spoofed_mark, "frame from a host's port marked as if it were on a detour")               \
	X(no_way, "no live port leads there, or none within the limit of a detour")                \
	X(unknown_neighbour, "ARP or neighbour solicitation for an address outside the fabric")    \
	X(queue_full, "egress queue full")                                                         \
	X(port_down, "egress port is not in use")                                                  \
	X(not_sent,                                                                                \
	  "the kernel could not send it: interface down, MTU too small, no room behind it")

// X(key, meaning): what decisions did, in packets.
#define DRB_ROUTING_COUNTERS(X)                                                                    \
	X(up_default, "sent up by the default (D-mod-k) uplink")                                   \
	X(up_redirected, "sent up by another uplink than the default")                             \
	X(up_walked, "of all sent up, those that walk: the default is whose turn it is")           \
	X(down, "sent down by the deterministic port")                                             \
	X(bounced, "sent around a dead link or switch: a detour began here, or grew")              \
	X(detoured, "passed on while on a detour that began elsewhere")                            \
	X(flows_appeared, "flows that were given an uplink (flow unit)")                           \
	X(flows_idled, "flows that ended because they paused for the idle time")                   \
	X(flows_closed, "flows that ended by TCP FIN or RST and the grace time")                   \
	X(flows_moved, "flows that were moved because their uplink died")                          \
	X(flow_table_full, "packets decided one by one because the flow table was full")           \
	X(flowlets, "uplinks chosen for a flowlet (flowlet unit)")                                 \
	X(arp_replies, "ARP requests answered for fabric hosts")                                   \
	X(nd_replies, "IPv6 neighbour solicitations answered for fabric hosts")

// X(key, meaning): the worker thread.
#define DRB_WORKER_COUNTERS(X)                                                                     \
	X(iterations, "turns of the loop")                                                         \
	X(idle_iterations, "turns that moved no packet")                                           \
	X(work_cycles, "time stamp counter cycles of turns that moved packets")                    \
	X(rx_bursts, "receive bursts that were not empty")                                         \
	X(rx_packets, "packets received")                                                          \
	X(sleeps, "times the worker waited for packets or a departure")                            \
	X(sleep_ns, "time spent waiting, ns")                                                      \
	X(busy_ns, "time spent not waiting, ns")                                                   \
	X(late_ns, "sum of wake-up lateness against packet departures, ns")                        \
	X(late_slots, "packets that left a slotted link a slot or more late")                      \
	X(lost_credit_ns, "link time lost because wake-ups came later than catchup, ns")           \
	X(lost_credit_events, "how often link time was lost")                                      \
	X(tx_refused, "packets a driver refused at least once and that stayed queued")             \
	X(run_packets, "packets handed to the kernel together, as runs of TCP segments")

// The same as C: numbers of drop reasons, and counters with the keys as member names.
enum drb_drop {
#define X(key, meaning) DRB_DROP_##key,
	DRB_DROP_REASONS(X)
#undef X
		DRB_DROP_COUNT
};

#define X(key, meaning) uint64_t key;
struct drb_port_counters {
	DRB_PORT_COUNTERS(X)
};

struct drb_xdp_counters {
	DRB_XDP_COUNTERS(X)
};

struct drb_routing_counters {
	DRB_ROUTING_COUNTERS(X)
};

struct drb_worker_counters {
	DRB_WORKER_COUNTERS(X)
};
#undef X

#define DRB_CMD_INFO "/drb/info"
#define DRB_CMD_PORTS "/drb/ports"
#define DRB_CMD_PORT "/drb/port"
#define DRB_CMD_ROUTING "/drb/routing"
#define DRB_CMD_DROPS "/drb/drops"
#define DRB_CMD_WORKER "/drb/worker"
// Orders. The reply is one string, DRB_REPLY_OK or DRB_REPLY_ERROR, a colon and what there is to
// say.
#define DRB_CMD_RELOAD "/drb/reload"
#define DRB_CMD_DRAIN "/drb/drain"
#define DRB_CMD_UNDRAIN "/drb/undrain"
#define DRB_REPLY_OK "ok"
#define DRB_REPLY_ERROR "error"
#define DRB_CMD_DIFFERENCES "/drb/differences"

// Decisions against a threshold by load(default) - load(candidate): from -DRB_DIFFERENCE_MAX or
// less to DRB_DIFFERENCE_MAX or more. A sample: those of one burst in DRB_DIFFERENCE_EVERY, a
// prime, lest it be always the same port's; in flow units all.
#define DRB_DIFFERENCE_MAX 32
#define DRB_DIFFERENCES (2 * DRB_DIFFERENCE_MAX + 1)
#define DRB_DIFFERENCE_EVERY 61
