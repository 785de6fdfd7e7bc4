// SPDX-License-Identifier: BSD-3-Clause
// Takes measured packets as they enter a host, before its network stack: counts and drops them. All
// other packets pass.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "gen/arrival.h"
#include "gen/sink_xdp_maps.h"

#define STRING(x) STRING_(x)
#define STRING_(x) #x

// User space sets the sizes that depend on the run.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sink_xdp_run);
} run SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct arrival_stream);
} streams SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} latency SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tally);
} tallies SEC(".maps");

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	const uint8_t *frame = (const uint8_t *)(long)ctx->data;
	const uint8_t *end = (const uint8_t *)(long)ctx->data_end;
	const uint32_t zero = 0;
	struct frame_probe probe;
	uint64_t host;

	if (frame + FRAME_MIN > end)
		return XDP_PASS;
	const struct sink_xdp_run *r = bpf_map_lookup_elem(&run, &zero);
	struct tally *t = bpf_map_lookup_elem(&tallies, &zero);
	if (!r || !t)
		return XDP_PASS;
	int parsed = frame_parse(frame, FRAME_MIN, &r->plan, &probe);
	if (parsed == -ENOMSG)
		return XDP_PASS;
	uint64_t rx_ns = bpf_ktime_get_ns(); // CLOCK_MONOTONIC
	asm volatile("%0 = " STRING(SINK_XDP_HOST) : "=r"(host));

	uint32_t at = parsed < 0 ? 0 : probe.src * r->plan.hosts + probe.dst;
	struct arrival_stream *stream = bpf_map_lookup_elem(&streams, &at);
	if (!stream || !arrival_is_due(t, parsed, &probe, r->start_ns, stream, (uint32_t)host))
		return XDP_DROP;
	uint32_t packet = (uint32_t)stream->base + probe.sequence;
	uint64_t *ns = bpf_map_lookup_elem(&latency, &packet);
	if (ns)
		arrival_deliver(t, stream, ns, &probe, rx_ns);
	return XDP_DROP;
}

// Helpers used are free for all; the kernel asks for a licence it knows.
char licence[] SEC("license") = "Dual BSD/GPL";
