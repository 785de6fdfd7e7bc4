// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The config file of one switch, and its meaning, struct drb_setup. The file is YAML. Every key is
// a row of keys.def, documented in docs/reference/config.md. struct drb_setup has defaults, parsed
// names and checked ranges.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/routing/choice.h"
#include "core/fabric/next_hop.h"
#include "core/fabric/names.h"
#include "core/fabric/tree.h"
#include "core/packet/wire.h"
#include "core/schemes/schemes.h"

#include "common/cli/operators.h"
#include "common/cli/quantity.h"

// Most ports of a switch (2d), because sets of ports are words of 64 bits. DPDK may take fewer
// devices (pci, vdev): RTE_MAX_ETHPORTS, 32 in distributions.
#define DRB_PORTS_MAX 64
// Most forwarding threads of a switch.
#define DRB_WORKERS_MAX 16
// Buffer size for the name of a DPDK device.
#define DRB_DEVICE_MAX 64
// Longest directory of memif sockets, so that their paths fit into a socket's address.
#define DRB_MEMIF_DIR_MAX 50

enum drb_driver {
	DRB_DRIVER_AF_PACKET,
	DRB_DRIVER_AF_XDP,
	DRB_DRIVER_MEMIF,
	DRB_DRIVER_VDEV, // any EAL --vdev string
	DRB_DRIVER_PCI,  // a PCI address
	DRB_DRIVER_NONE, // nothing is connected: packets for this port are dropped as port_down
	DRB_DRIVER_COUNT
};

const char *drb_driver_name(enum drb_driver driver);

// The value of `rate` in the config if a port's rate follows the link's speed.
#define DRB_RATE_LINK "link"

// The unit of one decision ("flow routing and packet routing").
enum drb_unit {
	DRB_UNIT_PACKET,
	DRB_UNIT_FLOW,    // a flow keeps the uplink it got when it appeared
	DRB_UNIT_FLOWLET, // packets of a flow without a pause between them
	DRB_UNIT_COUNT
};

// "packet", "flow", "flowlet"; NULL beyond the last.
const char *drb_unit_name(enum drb_unit unit);

// A threshold as written: a number >= 0, or "auto" for the paper's formulas.
#define DRB_THRESHOLD_AUTO "auto"

// Source addresses that are checked in the frames of hosts.
enum drb_check_source {
	DRB_CHECK_SOURCE_MAC, // the MAC, and the senders of ARP and neighbour discovery
	DRB_CHECK_SOURCE_IP,  // IPv4 and IPv6 addresses as well
	DRB_CHECK_SOURCE_OFF
};

enum drb_idle {
	DRB_IDLE_SLEEP, // wait on the ports' sockets and for the next departure
	DRB_IDLE_POLL   // spin, for dedicated cores
};

enum drb_hugepages { DRB_HUGEPAGES_AUTO, DRB_HUGEPAGES_YES, DRB_HUGEPAGES_NO };

// The packets that count as the load of an uplink.
enum drb_occupancy {
	DRB_OCCUPANCY_QUEUE, // packets in the egress queue
	DRB_OCCUPANCY_RING   // also in the ring behind it, where the driver can count them
};

const char *drb_occupancy_name(enum drb_occupancy occupancy);

// Most packets on a link with a delay.
#define DRB_ON_LINK_MAX 65536

// Most slots that a packet takes on a slotted link.
#define DRB_SLOTS_MAX 100000

struct drb_port_setup {
	char name[DRB_NAME_MAX]; // d0, u1
	char key[24];            // prefix of its keys in the file: "ports[2]." or "link."
	bool up;
	uint32_t number;     // within its direction
	struct drb_end peer; // the port that must be at the other end of the link
	enum drb_driver driver;
	char interface[64];   // af_packet, af_xdp
	char socket[108];     // memif
	char device[1024];    // vdev string or PCI address
	struct drb_rate rate; // if link_rate: the speed that both ends negotiated, once known
	bool rate_given;      // the file has a rate for this port
	bool link_rate;       // `rate: link`
	bool slotted;         // departures fall on a clock common to all switches
	uint32_t slots;       // slots of that clock that a packet takes
	uint32_t overhead;    // bytes a frame occupies on the wire beyond its own
	uint32_t queue;       // packets, egress queue limit
	uint32_t host_burst;  // packets that a host may be ahead of its rate; 0: no limit
	uint32_t queue_made;  // the limit that packet buffers were made for
	enum drb_occupancy occupancy;
	uint64_t catchup_ns; // link time that a late worker may recover
	uint64_t delay_ns;   // from a departure until it is at the other end
	uint32_t on_link;    // most packets on the link in this time; set at the start
	uint64_t hello_ns;   // between two hellos, or carrier checks; 0: off
	uint32_t loss_limit; // lost frames in millionths; more take the link out of use; 0: off
};

// The name that the driver opens: the interface, socket, vdev string or PCI address.
const char *drb_port_device(const struct drb_port_setup *port);
// Most packets that the port's link carries in a second; the shortest frames, if its rate is in
// bit/s. 0: no rate.
double drb_port_packets_a_second(const struct drb_port_setup *port);

struct drb_setup {
	char fabric[DRB_FABRIC_MAX + 1];
	char name[DRB_NAME_MAX];     // s1-0
	char instance[DRB_NAME_MAX]; // drb-s1-0
	char hello_key[256];         // path of the key file for hellos; "": none
	struct drb_tree tree;
	struct drb_addr_plan addr;
	uint32_t mtu; // bytes of the longest IP packet
	uint32_t layer, label;
	struct drb_hop hop;
	struct drb_scheme_variant scheme;
	struct drb_choice choice; // of that scheme, without its parameters
	double threshold;         // T, unless threshold_auto
	bool threshold_auto;
	enum drb_unit unit;
	uint64_t flow_idle_ns;   // after a pause longer than this, a flow has ended
	uint64_t flow_grace_ns;  // the same after FIN or RST
	uint64_t flowlet_gap_ns; // a pause longer than this ends a flowlet
	uint32_t flow_max;       // live flows of one worker
	uint64_t seed;
	enum drb_check_source check_source;
	uint32_t down_ports, up_ports;
	struct drb_port_setup ports[DRB_PORTS_MAX]; // down-ports first
	enum drb_idle idle;
	uint32_t workers; // forwarding threads
	uint32_t burst;   // most packets per receive call
	char cpus[64];    // EAL cpu list on which the worker may run; "": all CPUs of the process
	bool confine;     // to the system calls and files it needs, once it forwards
	char operators[DRB_GROUP_MAX + 1]; // the group whose members may give orders; "": none
	enum drb_hugepages hugepages;
	uint32_t memory_mb; // 0: as needed
	uint32_t buffers;   // packet buffers beyond what queues and drivers need
	uint64_t wait_ns;   // for interfaces that are not there when the switch starts
	char memif_dir[DRB_MEMIF_DIR_MAX + 1];
};

// Bytes of the longest frame without FCS: an Ethernet header, two VLAN tags, an IP packet.
static inline uint32_t drb_frame_max(uint32_t mtu)
{
	return DRB_ETHER_HEADER + 2 * DRB_VLAN_TAG + mtu;
}

// Command-line overrides of `switch` (-1: as in the file), and other input besides the file.
struct drb_config_override {
	int64_t layer, label;
	const struct drb_settings *settings; // see settings.h; NULL: none
	const int *fd; // read and closed instead of the file at path; NULL: none
};

// Reads path and fills in setup. On failure prints one line that names file, line and key, and
// returns -EINVAL; setup must then not be used.
int drb_config_load(const char *path, const struct drb_config_override *override,
		    struct drb_setup *setup);

// The same for a text in memory. path: the name that messages give it.
int drb_config_load_text(const char *path, const char *text, size_t length,
			 struct drb_setup *setup);

// Call when a running switch gets another config. Copies settings that cannot change while the
// switch runs from *now to *setup. `kept` lists the copied settings that differ ("process.burst,
// ports[0].driver"; "" if none). -EINVAL with a message printed if the config is for another
// switch.
int drb_config_keep(const char *path, const struct drb_setup *now, struct drb_setup *setup,
		    char *kept, size_t size);
