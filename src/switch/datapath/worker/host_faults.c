// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/host_faults.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "common/cli/log.h"
#include "common/cli/text.h"
#include "core/fabric/addresses.h"
#include "core/fabric/names.h"
#include "core/packet/wire.h"
#include "switch/datapath/worker/worker.h"

#define MAC_FORMAT "%02x:%02x:%02x:%02x:%02x:%02x"
#define MAC_OCTETS(m) (m)[0], (m)[1], (m)[2], (m)[3], (m)[4], (m)[5]

static void say_source(uint32_t in, uint32_t host, const uint8_t *frame, const uint8_t mac[6])
{
	const uint8_t *source = frame + DRB_ETHER_SRC;

	drb_warn("port d%u: frames from " MAC_FORMAT
		 " are dropped: host h%u must have the MAC " MAC_FORMAT
		 " (ip link set dev INTERFACE address " MAC_FORMAT ")",
		 in, MAC_OCTETS(source), host, MAC_OCTETS(mac), MAC_OCTETS(mac));
}

static void say_address(const struct drb_worker *w, uint32_t in, uint32_t host,
			const uint8_t *frame)
{
	char asked[INET_ADDRSTRLEN], own[INET_ADDRSTRLEN], last[INET_ADDRSTRLEN];
	struct in_addr a = {htonl(drb_addr_ipv4(&w->addr, host))},
		       b = {htonl(drb_addr_ipv4(&w->addr, w->addr.hosts - 1))};

	inet_ntop(AF_INET, frame + DRB_ETHER_HEADER + DRB_ARP_TARGET_IP, asked, sizeof(asked));
	inet_ntop(AF_INET, &a, own, sizeof(own));
	inet_ntop(AF_INET, &b, last, sizeof(last));
	drb_warn(
		"port d%u: host h%u asks for %s, which is no host: it has the address %s, the last "
		"host %s",
		in, host, asked, own, last);
}

static void say_ip(const struct drb_worker *w, uint32_t in, uint32_t host)
{
	char ipv4[INET_ADDRSTRLEN], ipv6[INET6_ADDRSTRLEN];
	struct in_addr a = {htonl(drb_addr_ipv4(&w->addr, host))};
	uint8_t b[16];

	drb_addr_ipv6(&w->addr, host, b);
	inet_ntop(AF_INET, &a, ipv4, sizeof(ipv4));
	inet_ntop(AF_INET6, b, ipv6, sizeof(ipv6));
	drb_warn("port d%u: IP packets from other addresses than %s and %s are dropped: these are "
		 "host h%u's (routing.check_source: mac lets others pass)",
		 in, ipv4, ipv6, host);
}

void drb_host_fault(struct drb_worker *w, uint32_t in, enum drb_host_fault fault,
		    const uint8_t *frame, uint32_t length)
{
	uint64_t bit = UINT64_C(1) << in;
	uint32_t host = w->port[in].host;
	uint8_t mac[6];

	w->host_fault_ns[fault][in] = w->egress.now_ns;
	if (atomic_fetch_or_explicit(&w->owner->shared.host_faults_told[fault], bit,
				     memory_order_relaxed) &
	    bit)
		return;
	drb_addr_mac(&w->addr, host, mac);
	switch (fault) {
	case DRB_HOST_FAULT_SOURCE:
		say_source(in, host, frame, mac);
		break;
	case DRB_HOST_FAULT_LENGTH:
		drb_warn("port d%u: host h%u sends frames of %" PRIu32
			 " bytes, longer than any link carries: set its MTU to %u (ip link set "
			 "dev INTERFACE mtu %u), or fabric.mtu to its own",
			 in, host, length, w->mtu, w->mtu);
		break;
	case DRB_HOST_FAULT_ADDRESS:
		say_address(w, in, host, frame);
		break;
	case DRB_HOST_FAULT_IP:
		say_ip(w, in, host);
		break;
	case DRB_HOST_FAULT_NEIGHBOUR:
		drb_warn("port d%u: host h%u sends ARP or neighbour discovery in another's name: "
			 "dropped",
			 in, host);
		break;
	case DRB_HOST_FAULT_COUNT:
		break;
	}
}

uint64_t drb_host_fault_ports(const struct drb_worker *w, enum drb_host_fault fault,
			      uint64_t now_ns)
{
	uint64_t ports = 0;

	for (uint32_t i = 0; i < w->egress.down_ports; i++) {
		uint64_t seen = w->host_fault_ns[fault][i];
		ports |= (uint64_t)(seen > 0 && now_ns - seen < DRB_HOST_FAULT_NS) << i;
	}
	return ports;
}

void drb_host_fault_trouble(const struct drb_setup *s, const uint64_t ports[DRB_HOST_FAULT_COUNT],
			    char *text, size_t size)
{
	static const char *const what[] = {
		[DRB_HOST_FAULT_SOURCE] = "has another MAC",
		[DRB_HOST_FAULT_LENGTH] = "sends frames that are too long",
		[DRB_HOST_FAULT_ADDRESS] = "asks for an address outside the fabric",
		[DRB_HOST_FAULT_IP] = "has another IP address",
		[DRB_HOST_FAULT_NEIGHBOUR] = "speaks for other hosts in ARP or neighbour discovery",
	};

	for (uint32_t i = 0; i < s->down_ports; i++) {
		char peer[DRB_NAME_MAX];
		drb_node_name(peer, s->ports[i].peer.layer, s->ports[i].peer.label);
		for (uint32_t f = 0; f < DRB_HOST_FAULT_COUNT; f++) {
			if (ports[f] >> i & 1)
				drb_text_add(text, size, "%s%s: %s %s", *text ? "; " : "",
					     s->ports[i].name, peer, what[f]);
		}
	}
}
