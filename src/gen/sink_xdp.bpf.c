// SPDX-License-Identifier: BSD-3-Clause
// Takes measured packets as they enter a host, before its network stack: notes when and drops them.
// All other packets pass.
//
// In a fabric of many processes nothing is in the caches of the CPU when a packet arrives, so what
// counts is how much code and how many places of memory a packet needs: a few instructions of its
// host's own, code that all hosts share, and one entry of a table beside those of the packets born
// in the same slot.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "gen/arrival.h"
#include "gen/sink_xdp_maps.h"

#define STRING(x) STRING_(x)
#define STRING_(x) #x

struct sink_xdp_run run;

// User space sets the size.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sink_xdp_cell);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__type(value, uint32_t);
} judges SEC(".maps");

// What every host has a copy of.
SEC("xdp")
int enter(struct xdp_md *ctx)
{
	const uint8_t *frame = (const uint8_t *)(long)ctx->data;
	uint64_t first, last;

	if (frame + FRAME_MIN > (const uint8_t *)(long)ctx->data_end)
		return XDP_PASS;
	asm volatile("%0 = " STRING(SINK_XDP_MAC_FIRST) : "=r"(first));
	asm volatile("%0 = " STRING(SINK_XDP_MAC_LAST) : "=r"(last));
	if (*(const uint32_t *)frame == (uint32_t)first &&
	    *(const uint16_t *)(frame + 4) == (uint16_t)last)
		bpf_tail_call_static(ctx, &judges, SINK_XDP_AT_HOME);
	bpf_tail_call_static(ctx, &judges, SINK_XDP_ASTRAY);
	return XDP_PASS;
}

// Judges a frame by whether its destination MAC is that of the host it came to.
static __always_inline int judge(struct xdp_md *ctx, bool astray)
{
	const uint8_t *frame = (const uint8_t *)(long)ctx->data;
	struct sink_xdp_cell *cell = NULL;
	struct frame_probe probe;

	if (frame + FRAME_MIN > (const uint8_t *)(long)ctx->data_end)
		return XDP_PASS;
	int parsed = frame_parse(frame, FRAME_MIN, &run.plan, &probe);
	if (parsed == -ENOMSG)
		return XDP_PASS;
	uint64_t rx_ns = bpf_ktime_get_ns(); // CLOCK_MONOTONIC
	if (parsed == 0 && probe.cohort < run.cohorts) {
		uint32_t at = SINK_XDP_CELL(run.plan.hosts, probe);
		cell = bpf_map_lookup_elem(&cells, &at);
	}
	bool announced = cell && cell->dst == probe.dst && cell->sequence == probe.sequence;
	enum arrival_verdict verdict =
		arrival_judge(parsed, &probe, run.start_ns, announced, astray);
	if (verdict == ARRIVAL_DELIVERED && cell)
		verdict = arrival_deliver(&cell->arrival, &probe, rx_ns);
	// Rare. What was delivered is in the cells.
	if (verdict != ARRIVAL_DELIVERED && verdict < ARRIVAL_VERDICTS)
		__sync_fetch_and_add(&run.count[verdict], 1);
	return XDP_DROP;
}

SEC("xdp")
int at_home(struct xdp_md *ctx)
{
	return judge(ctx, false);
}

SEC("xdp")
int astray(struct xdp_md *ctx)
{
	return judge(ctx, true);
}

// Helpers used are free for all; the kernel asks for a licence it knows.
char licence[] SEC("license") = "Dual BSD/GPL";
