// SPDX-License-Identifier: BSD-3-Clause
// Takes measured packets as they enter a host, before its network stack: notes each with its time,
// and drops it. All other packets pass. User space evaluates the notes (score.h).
//
// In a fabric of many processes, the caches of the CPU hold nothing useful when a packet arrives.
// The cost of a packet is therefore the amount of code and the number of cache lines that it needs.
// It needs one short program for all hosts, one cache line of the CPU, and a note beside that of
// the previous packet. Notes are only written, so that no packet waits for their memory.

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "gen/frames/measured_frame.h"
#include "gen/sinks/sink_xdp_maps.h"

#define STRING(x) STRING_(x)
#define STRING_(x) #x

struct sink_xdp_run run;

// User space sets the size.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct sink_xdp_note);
} notes SEC(".maps");

// Returns a free note of this CPU, whose soft interrupts run one after another. NULL: there is
// none.
static __always_inline struct sink_xdp_note *take_note(struct sink_xdp_cpu *cpu)
{
	uint64_t next = cpu->next;

	if (__builtin_expect(next % SINK_XDP_PAGE == 0, 0)) {
		if (run.taken >= run.room)
			return NULL;
		next = __sync_fetch_and_add(&run.taken, SINK_XDP_PAGE);
	}
	uint32_t at = (uint32_t)next;
	struct sink_xdp_note *note = bpf_map_lookup_elem(&notes, &at);
	if (note)
		cpu->next = next + 1;
	return note;
}

// The time makes a note valid, so user space must not see it before the rest.
static __always_inline void sign(struct sink_xdp_note *note, uint64_t rx_ns)
{
	barrier();
#ifdef __x86_64__ // stores become visible in their order
	*(volatile uint64_t *)&note->rx_ns = rx_ns;
#else
	__sync_lock_test_and_set(&note->rx_ns, rx_ns);
#endif
}

SEC("xdp")
int note(struct xdp_md *ctx)
{
	const uint8_t *frame = (const uint8_t *)(long)ctx->data;
	uint32_t cpu = bpf_get_smp_processor_id();
	uint64_t host;

	if (frame + FRAME_MIN > (const uint8_t *)(long)ctx->data_end || cpu >= SINK_XDP_CPUS ||
	    !frame_is_measured(frame))
		return XDP_PASS;
	uint64_t rx_ns = bpf_ktime_get_ns(); // CLOCK_MONOTONIC
	struct sink_xdp_note *note = take_note(&run.cpu[cpu]);
	if (!note) {
		__sync_fetch_and_add(&run.dropped, 1);
		return XDP_DROP;
	}
#pragma unroll
	for (uint32_t i = 0; i < SINK_XDP_PARTS; i++)
		note->part[i] = *(const uint64_t *)(frame + sink_xdp_part[i]);
	asm volatile("%0 = " STRING(SINK_XDP_HOST) : "=r"(host));
	note->host = (uint32_t)host + ctx->ingress_ifindex;
	sign(note, rx_ns);
	return XDP_DROP;
}

// All programs may use these helpers, but the kernel demands a licence that it knows.
char licence[] SEC("license") = "Dual BSD/GPL";
