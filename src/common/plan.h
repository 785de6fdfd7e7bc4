// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Keys of plan.json, which drbtopo writes and topo/fabric and drbgen read.
//
//   format          DRB_PLAN_FORMAT; 1 if the key is missing, as up to 0.3.0
//   version         of drbtopo
//   fabric          name
//   layers, arity   l, d of F(l,d)
//   uplinks         uplinks of a layer-1 switch: d, or fewer
//   scheme          routing.scheme of switches
//   driver          driver of veths: af_packet or af_xdp
//   rate            rate of every link as text, or "none"
//   rate_value      the rate as a number, 0 for "none": packets/s if rate_per_packet, else bit/s
//   rate_per_packet
//   mtu             MTU of hosts and of the interfaces of switches
//   ipv4_length     prefix lengths that put every host of the fabric on-link
//   ipv6_length
//   memif_dir       folder of the memif sockets; absent unless links are memif
//   namespaces      ip -batch file that creates the namespaces, beside plan.json
//   wires           ip -batch file that creates the veth links
//   switches        [{name, namespace, layer, label, code (top digit first), config, batch}]
//   hosts           [{name, namespace, label, code, mac, ipv4, ipv6, batch}]
//   links           [{lower, lower_port, upper, upper_port, kind ("veth" or "memif")}]
//
// Between two machines, kind is "vxlan", "vlan" or "cable", and the link has an id: a VNI, a VLAN
// or a number of the cable. Further keys for several machines:
//
//   lower_interface for a VLAN or cable: the interface of the machine at that end
//   upper_interface
//   machines        in the plan of the whole: [{name, address, share, ssh_user, ssh_port, command,
//                   pods, core, switches, hosts, links, links_out}]; every node has its machine
//   between         links from one machine to another: [{machines, links}]
//   machine         in the plan of one machine: its name; the plan has the machine's nodes and the
//                   links with an end there
//   udp_port        UDP port of VXLAN
//   underlay_mtu    MTU that packets to other machines need
//   remotes         addresses of the machines at the other ends of links
//   elsewhere       hosts of other machines
//
// config and batch are files beside plan.json: the switch's YAML, and the ip -batch file to run
// inside the node's namespace. lower and upper are names of nodes.

// Each running fabric has a folder with its name here: topo/drbfabric/fabric/fabrics.py.
#define DRB_RUN_DIR "/run/drbswitch"

#define DRB_PLAN_FILE "plan.json"
// A file in the folder of a running fabric. It has a line "s2-5 PID START" for each switch that was
// started, and "s2-5 stopped" for each switch that was asked to end. The last line of a switch
// counts.
#define DRB_PROCESSES_FILE "processes"
#define DRB_PROCESS_STOPPED "stopped"

// Readers ignore keys that they do not know, so a new format is needed only when the meaning of a
// key changes.
#define DRB_PLAN_FORMAT 1

#define DRB_PLAN_FORMAT_KEY "format"
#define DRB_PLAN_VERSION "version"
#define DRB_PLAN_FABRIC "fabric"
#define DRB_PLAN_LAYERS "layers"
#define DRB_PLAN_ARITY "arity"
#define DRB_PLAN_UPLINKS "uplinks"
#define DRB_PLAN_SCHEME "scheme"
#define DRB_PLAN_DRIVER "driver"
#define DRB_PLAN_RATE "rate"
#define DRB_PLAN_RATE_VALUE "rate_value"
#define DRB_PLAN_RATE_PER_PACKET "rate_per_packet"
#define DRB_PLAN_IPV4_LENGTH "ipv4_length"
#define DRB_PLAN_IPV6_LENGTH "ipv6_length"
#define DRB_PLAN_MEMIF_DIR "memif_dir"
#define DRB_PLAN_NAMESPACES "namespaces"
#define DRB_PLAN_WIRES "wires"
#define DRB_PLAN_SWITCHES "switches"
#define DRB_PLAN_HOSTS "hosts"
#define DRB_PLAN_LINKS "links"

#define DRB_PLAN_NAME "name"
#define DRB_PLAN_NAMESPACE "namespace"
#define DRB_PLAN_LAYER "layer"
#define DRB_PLAN_LABEL "label"
#define DRB_PLAN_CODE "code"
#define DRB_PLAN_CONFIG "config"
#define DRB_PLAN_BATCH "batch"
#define DRB_PLAN_MAC "mac"
#define DRB_PLAN_IPV4 "ipv4"
#define DRB_PLAN_IPV6 "ipv6"

#define DRB_PLAN_LOWER "lower"
#define DRB_PLAN_LOWER_PORT "lower_port"
#define DRB_PLAN_UPPER "upper"
#define DRB_PLAN_UPPER_PORT "upper_port"
#define DRB_PLAN_KIND "kind"

#define DRB_PLAN_ID "id"
#define DRB_PLAN_LOWER_INTERFACE "lower_interface"
#define DRB_PLAN_UPPER_INTERFACE "upper_interface"
#define DRB_PLAN_MTU "mtu"
#define DRB_PLAN_MACHINE "machine"
#define DRB_PLAN_MACHINES "machines"
#define DRB_PLAN_BETWEEN "between"
#define DRB_PLAN_UDP_PORT "udp_port"
#define DRB_PLAN_UNDERLAY_MTU "underlay_mtu"
#define DRB_PLAN_REMOTES "remotes"
#define DRB_PLAN_ELSEWHERE "elsewhere"
