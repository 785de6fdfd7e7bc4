// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counters of a switch: JSON keys, meanings, drop reasons and commands of the stats socket. They
// are defined once for the switch, its readers, the tests and docs/reference/counters.md. Port
// counters follow RFC 2863. In every snapshot of a switch, summed over its ports:
//   in_packets + too_big_replies = out_packets + in_discards + out_discards + queue_packets
// Every discard has one reason.

#include <stdint.h>

// clang-format off
// X(key, meaning): counters of one port. Bytes are without FCS and preamble.
#define DRB_PORT_COUNTERS(X) \
	X(in_packets, "packets received, including those dropped later") \
	X(in_discards, "packets received here and dropped before they reached an egress queue") \
	X(in_missed, "packets that the kernel or the card reports as dropped before the switch received them; a GSO packet counts once without CAP_BPF") \
	X(out_packets, "packets handed to the link") \
	X(out_discards, "packets dropped at this port's egress queue") \
	X(queue_packets, "packets in the egress queue now, including the one being sent") \
	X(queue_max_packets, "most packets the egress queue has held") \
	X(in_octets, "bytes received") \
	X(out_octets, "bytes handed to the link") \
	X(queue_octets, "bytes in the egress queue now") \
	X(queue_ns, "sum of the times that packets were queued, ns; its growth per ns is the mean " \
		    "queue length; 0 without a rate") \
	X(ring_packets, "packets of out_packets that wait in the link's ring now, 0 if the driver " \
			"cannot report them; memif counts the parts of packets over 2048 bytes") \
	X(lost_credit_ns, "time in which packets waited and the link was idle, because the switch woke later " \
			  "than catchup allows, ns")

// X(key, meaning): counters of an af_xdp port, kept by its XDP program and by the kernel behind it.
// At rest, in_packets = xdp_redirected - xdp_ring_full - xdp_dropped and in_missed = xdp_ring_full
// + xdp_dropped.
#define DRB_XDP_COUNTERS(X)                                                                        \
	X(xdp_seen, "packets that reached the port's interface")                                    \
	X(xdp_redirected, "packets the XDP program sent to the switch")                             \
	X(xdp_passed, "packets the XDP program left to the kernel's network stack")                 \
	X(xdp_ring_full, "frames for the switch that found its receive ring full")                 \
	X(xdp_dropped, "frames for the switch that found no free buffer or did not fit into one")

// X(key, meaning): reasons for which packets are dropped.
#define DRB_DROP_REASONS(X)                                                                        \
	X(bad_frame, "malformed: too short, or a header that ends too early")                      \
	X(oversize, "longer than a packet of fabric.mtu bytes with two VLAN tags") \
	X(bad_gso, "GSO packet whose headers contradict each other")                     \
	X(multicast, "broadcast or multicast that this switch does not answer")                    \
	X(unknown_destination, "destination MAC belongs to no host of this fabric")                \
	X(not_below, "came from above, but its destination is not below this switch")              \
	X(same_port, "would leave by the port through which it came")                                       \
	X(spoofed_source, "from a host, with another source MAC than its own")                    \
	X(spoofed_ip, "from a host, with another source IP address than its own")                \
	X(spoofed_neighbour, "ARP or neighbour discovery packet that a host sends in another's name")  \
	X(hello_from_host, "from a host, with the EtherType of hellos")              \
	X(bad_hello, "malformed hello")                                                            \
	X(hello_version, "hello of a switch whose release has another version of hellos")           \
	X(forged_hello, "hello without proof of hello_key")                                \
	X(replayed_hello, "hello that is old, from another link, or not from the neighbour")             \
	X(hellos_waiting, "hello that found the queue to the first worker full")       \
	X(spoofed_mark, "from a host, with a detour mark")                               \
	X(no_route, "no usable port leads there, or the detour would exceed its limit")            \
	X(unknown_neighbour, "ARP request or neighbour solicitation for an address outside the fabric") \
	X(too_many_questions, "ARP or neighbour solicitation of a host beyond 10000 a second")     \
	X(over_rate, "from a host, more than host_burst ahead of its link's rate")                \
	X(queue_full, "egress queue full")                                                         \
	X(port_down, "input or output port is down or not connected")                                          \
	X(not_sent, "the kernel could not send it: interface down, MTU too small, or no buffer space")

// X(key, meaning): routing decisions, in packets unless the meaning says otherwise.
#define DRB_ROUTING_COUNTERS(X)                                                                    \
	X(up_default, "sent up by the default (D-mod-k) uplink")                                   \
	X(up_redirected, "sent up by an uplink other than the default")                             \
	X(up_walked, "sent up round-robin by scheme walk; also in up_default or up_redirected") \
	X(scheme_errors, "sent up by another uplink because a loaded scheme chose one that is dead or does not exist") \
	X(down, "sent down by the only port to the destination")                                     \
	X(detours_begun, "sent on a detour, or on a longer one, around a dead link or switch") \
	X(detoured, "forwarded along a detour that began at another switch")                       \
	X(flows_appeared, "flows assigned to an uplink (unit flow)")                                     \
	X(flows_idled, "flows that ended after a pause of flow_idle")                       \
	X(flows_closed, "flows that ended flow_grace after a TCP FIN or RST")                      \
	X(flows_moved, "flows moved because their uplink died")                                    \
	X(flow_table_full, "packets decided one by one because the flow table was full")           \
	X(flowlets, "flowlets assigned to an uplink (unit flowlet)")                                     \
	X(arp_replies, "ARP requests answered on behalf of hosts")                                 \
	X(nd_replies, "IPv6 neighbour solicitations answered on behalf of hosts")                  \
	X(too_big_replies, "ICMP replies with fabric.mtu to senders of oversize packets; the switch creates these packets")

// X(key, meaning): counters of a worker.
#define DRB_WORKER_COUNTERS(X)                                                                     \
	X(iterations, "iterations of the forwarding loop")                                         \
	X(idle_iterations, "iterations that moved no packet")                                      \
	X(work_cycles, "cycles of the time stamp counter in iterations that moved packets")               \
	X(rx_bursts, "receive bursts that were not empty")                                         \
	X(rx_packets, "packets received")                                                          \
	X(sleeps, "times the worker slept until a packet or a departure")                          \
	X(sleep_ns, "time asleep, ns")                                                             \
	X(busy_ns, "time awake, ns")                                                               \
	X(late_ns, "sum of the delays of packets by late wake-ups of the worker, ns") \
	X(late_slots, "packets that left a slotted link at least one slot late")                      \
	X(lost_credit_events, "how often link time was lost")                                      \
	X(tx_refused, "packets that stayed queued because the driver refused them")       \
	X(gso_packets, "packets passed to the kernel as part of a GSO packet")            \
	X(changes, "changes applied while forwarding: reloads, orders, captures, ports")        \
	X(change_ns, "time of these changes, in which nothing was forwarded, ns")

// X(key, meaning): memory of a switch's process, bytes. Memory that several processes share is
// divided equally among them.
#define DRB_MEMORY(X)                                                                              \
	X(memory_code, "programs and libraries, bytes")              \
	X(memory_rings, "receive rings of packet sockets, bytes")        \
	X(memory_buffers, "packet buffers made so far, bytes")                         \
	X(memory_shared, "other memory of DPDK, and rings of memif links, bytes")                    \
	X(memory_own, "tables, heap and stacks of the switch, bytes")          \
	X(memory_page_tables, "page tables, bytes")
// clang-format on

// The lists above in C: drop reasons as numbers, counters as structs whose members are the keys.
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

struct drb_memory {
	DRB_MEMORY(X)
};
#undef X

// Version of the format of replies. A reader takes what it knows from any reply of its own format
// or an earlier one, so keys may come and go. Only a change of a key's meaning makes a new format.
#define DRB_STATS_FORMAT 1

#define DRB_CMD_INFO "/drb/info"
#define DRB_CMD_PORTS "/drb/ports"
#define DRB_CMD_PORT "/drb/port"
#define DRB_CMD_ROUTING "/drb/routing"
#define DRB_CMD_DROPS "/drb/drops"
#define DRB_CMD_WORKER "/drb/worker"
#define DRB_CMD_ALL "/drb/all"
#define DRB_CMD_MEMORY "/drb/memory"
// Commands that change the switch. The reply is one string: DRB_REPLY_OK or DRB_REPLY_ERROR, a
// colon, and a message.
#define DRB_CMD_RELOAD "/drb/reload"
#define DRB_CMD_SET "/drb/set"
#define DRB_CMD_CAPTURE "/drb/capture"
#define DRB_CMD_DRAIN "/drb/drain"
#define DRB_CMD_UNDRAIN "/drb/undrain"
#define DRB_CMD_DOWN "/drb/down"
#define DRB_CMD_UP "/drb/up"
#define DRB_REPLY_OK "ok"
#define DRB_REPLY_ERROR "error"
#define DRB_CMD_DIFFERENCES "/drb/differences"

// Histogram of load(default) - load(candidate) over decisions that compare with a threshold. The
// first bin counts -DRB_DIFFERENCE_MAX and less, the last DRB_DIFFERENCE_MAX and more. In unit flow
// every decision is counted, otherwise the decisions of one receive burst in DRB_DIFFERENCE_EVERY.
// That number is a prime so that the sampled port varies.
#define DRB_DIFFERENCE_MAX 32
#define DRB_DIFFERENCES (2 * DRB_DIFFERENCE_MAX + 1)
#define DRB_DIFFERENCE_EVERY 61

// Histograms of sizes by their number of bits: bin 0 counts zeros, bin b counts sizes from 2^(b-1)
// to 2^b - 1, and the last bin also counts all larger sizes. Every receive burst is counted. One
// burst in DRB_QUEUE_SAMPLE_EVERY samples the queue lengths of all ports. That number is a prime
// for the same reason.
#define DRB_LOG_BINS 16
#define DRB_QUEUE_SAMPLE_EVERY 61
