// SPDX-License-Identifier: BSD-3-Clause
// Steers each frame that enters the interface of an af_xdp port. Frames of the fabric go to the
// switch, others to the kernel's network stack, as if there were no switch.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "core/fabric/addresses.h"
#include "core/packet/bytes.h"
#include "core/packet/wire.h"

#include "switch/ports/xdp/steer_maps.h"

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, STEER_QUEUES_MAX);
	__type(key, uint32_t);
	__type(value, uint32_t);
} xsks_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct drb_addr_plan);
} drb_plan SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct steer_counts);
} drb_counts SEC(".maps");

static bool is_neighbour_discovery(const uint8_t *frame, const uint8_t *end)
{
	const uint8_t *ip = frame + DRB_ETHER_HEADER, *message = ip + DRB_IPV6_HEADER;

	if (message + 1 > end || ip[DRB_IPV6_NEXT] != DRB_PROTOCOL_ICMPV6)
		return false;
	return message[0] == DRB_ICMPV6_SOLICITATION || message[0] == DRB_ICMPV6_ADVERTISEMENT;
}

static bool is_of_fabric(const struct drb_addr_plan *p, const uint8_t *frame, const uint8_t *end)
{
	if (frame + DRB_ETHER_HEADER > end)
		return false;
	if (drb_addr_has_label(p, frame))
		return true;
	switch (frame[DRB_ETHER_TYPE] << 8 | frame[DRB_ETHER_TYPE + 1]) {
	case DRB_ETHERTYPE_ARP:
	case DRB_ETHERTYPE_HELLO:
		return true;
	case DRB_ETHERTYPE_IPV6:
		return is_neighbour_discovery(frame, end);
	default:
		return false;
	}
}

SEC("xdp")
int drb_steer(struct xdp_md *ctx)
{
	const uint8_t *frame = (const uint8_t *)(long)ctx->data;
	const uint8_t *end = (const uint8_t *)(long)ctx->data_end;
	const uint32_t zero = 0;
	int verdict = XDP_PASS;

	const struct drb_addr_plan *p = bpf_map_lookup_elem(&drb_plan, &zero);
	struct steer_counts *c = bpf_map_lookup_elem(&drb_counts, &zero);
	if (!p || !c)
		return XDP_PASS;
	// Frames of queues without a socket, beyond those of the workers, go to the kernel.
	if (is_of_fabric(p, frame, end))
		verdict = (int)bpf_redirect_map(&xsks_map, ctx->rx_queue_index, XDP_PASS);
	c->seen++;
	if (verdict == XDP_REDIRECT)
		c->redirected++;
	else
		c->passed++;
	return verdict;
}

// The helpers used need no GPL licence, but the kernel requires a licence that it knows.
char licence[] SEC("license") = "Dual BSD/GPL";
