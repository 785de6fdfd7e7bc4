// SPDX-License-Identifier: BSD-3-Clause
#include "gen/sinks/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

#include "common/cli/log.h"
#include "gen/parallel.h"
#include "gen/sinks/sink_xdp_maps.h"
#include "sink_xdp_object.h" // sink_xdp_object[]: sink_xdp.bpf.c as compiled

struct sink_xdp {
	struct sink sink;
	struct sink_xdp_setup setup;
	struct bpf_object *object;
	// The program's variable, mapped into our memory; NULL: not mapped.
	struct sink_xdp_run *run;
	struct sink_xdp_note *notes; // the map, mapped into our memory; NULL: not mapped
	size_t room;                 // number of notes, in whole pages
	uint64_t dropped;            // packets for which no note was free, valid after stop()
	size_t open;                 // pages before this one are full and scored
	uint8_t *scored;             // [page]: notes that are scored
	int *program;                // in the order of loading
	uint32_t programs, offset;   // offset: the last program adds it to an interface's index
	uint8_t frame[FRAME_MIN];    // a measured packet; the parts that differ come from a note
	int *link;                   // [host]; -1: none
};

static struct sink_xdp *self_of(struct sink *s)
{
	return (struct sink_xdp *)s;
}

static int silent(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

// Makes space for all packets, and for some that arrive twice or belong to other runs. Every CPU
// may leave a page that is not full.
static int size_notes(struct sink_xdp *s)
{
	uint64_t packets = score_packets(s->setup.score);
	int cpus = libbpf_num_possible_cpus();

	if (cpus < 0)
		return cpus;
	if (packets > SINK_XDP_PACKETS_MAX || cpus > SINK_XDP_CPUS)
		return -E2BIG;
	uint64_t pages = (packets + packets / 4) / SINK_XDP_PAGE + 32 + (uint64_t)cpus;
	s->room = pages * SINK_XDP_PAGE;
	s->scored = calloc(pages, sizeof(*s->scored));
	if (!s->scored)
		return -ENOMEM;
	return bpf_map__set_max_entries(bpf_object__find_map_by_name(s->object, "notes"),
					(uint32_t)s->room);
}

// Maps a map into our memory. *data stays NULL on errors.
static int map_in(const struct sink_xdp *s, const char *name, size_t bytes, void **data)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(s->object, name);

	if (!map || bytes != (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map))
		return -EINVAL;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return -errno;
	*data = at;
	return 0;
}

static int map_all(struct sink_xdp *s)
{
	// All variables without a value are one map with this name.
	int rc = map_in(s, ".bss", sizeof(*s->run), (void **)&s->run);

	if (rc == 0)
		rc = map_in(s, "notes", s->room * sizeof(*s->notes), (void **)&s->notes);
	if (rc < 0)
		return rc;
	s->run->room = s->room;
	return 0;
}

// Loads the maps and the original program. Hosts get copies of it with their offset.
static int sink_xdp_load(struct sink_xdp *s)
{
	libbpf_set_print(silent);
	s->object = bpf_object__open_mem(sink_xdp_object, sizeof(sink_xdp_object), NULL);
	if (!s->object)
		return -errno;
	int rc = size_notes(s);
	if (rc == 0)
		rc = bpf_object__load(s->object);
	return rc < 0 ? rc : map_all(s);
}

// Replaces the constant SINK_XDP_HOST in the code. -EINVAL unless it occurs exactly once.
static int set_offset(struct bpf_insn *code, size_t count, uint32_t offset)
{
	uint32_t places = 0;

	for (size_t i = 0; i < count; i++) {
		if (code[i].code != (BPF_ALU64 | BPF_MOV | BPF_K) || code[i].imm != SINK_XDP_HOST)
			continue;
		code[i].imm = (int32_t)offset;
		places++;
	}
	return places == 1 ? 0 : -EINVAL;
}

// Frames longer than a page consist of several buffers. The program reads only the first one.
// Kernels before 5.18 do not support such frames in XDP, and refuse interfaces with such an MTU.
static int load_code(const struct bpf_insn *code, size_t count)
{
	struct bpf_prog_load_opts opts = {.sz = sizeof(opts), .prog_flags = BPF_F_XDP_HAS_FRAGS};
	int rc = bpf_prog_load(BPF_PROG_TYPE_XDP, "drb_sink", "Dual BSD/GPL", code, count, &opts);

	if (rc != -EINVAL)
		return rc;
	opts.prog_flags = 0;
	return bpf_prog_load(BPF_PROG_TYPE_XDP, "drb_sink", "Dual BSD/GPL", code, count, &opts);
}

static int load_program(const struct sink_xdp *s, uint32_t offset)
{
	const struct bpf_program *original = bpf_object__find_program_by_name(s->object, "note");
	size_t count = bpf_program__insn_cnt(original);
	struct bpf_insn *code = malloc(count * sizeof(*code));

	if (!code)
		return -ENOMEM;
	memcpy(code, bpf_program__insns(original), count * sizeof(*code));
	int rc = set_offset(code, count, offset);
	if (rc == 0)
		rc = load_code(code, count);
	free(code);
	return rc;
}

// One program serves all hosts if the indexes of their interfaces are in the order of the hosts, as
// topo/fabric creates them. Otherwise hosts with other offsets get programs of their own.
int sink_xdp_program(struct sink *sink, uint32_t host, uint32_t interface)
{
	struct sink_xdp *s = self_of(sink);
	uint32_t offset = host - interface;

	if (s->programs && s->offset == offset)
		return s->program[s->programs - 1];
	int rc = load_program(s, offset);
	if (rc >= 0) {
		s->program[s->programs++] = rc;
		s->offset = offset;
	}
	return rc;
}

// The kernel removes the link when its descriptor is closed, and so when this process ends in any
// way.
static int attach(struct sink *sink, uint32_t host)
{
	struct sink_xdp *s = self_of(sink);
	struct bpf_link_create_opts opts = {.sz = sizeof(opts), .flags = XDP_FLAGS_DRV_MODE};
	uint32_t interface = if_nametoindex(s->setup.interface);
	int program = sink_xdp_program(sink, host, interface);

	if (program < 0) {
		drb_error("h%u: cannot load the XDP program: %s", host, strerror(-program));
		return program;
	}
	int link = bpf_link_create(program, (int)interface, BPF_XDP, &opts);
	if (link < 0) {
		drb_error("h%u: cannot attach an XDP program to %s: %s (--sink pcap does without)",
			  host, s->setup.interface, strerror(-link));
		return link;
	}
	s->link[host] = link;
	return 0;
}

static int sink_xdp_start(struct sink *sink)
{
	(void)sink; // packets of earlier runs are recognised by their times of sending
	return 0;
}

static void score_note(struct sink_xdp *s, const struct sink_xdp_note *n, uint64_t rx_ns)
{
	for (size_t i = 0; i < SINK_XDP_PARTS; i++)
		memcpy(s->frame + sink_xdp_part[i], &n->part[i], sizeof(n->part[i]));
	score_frame(s->setup.score, n->host, s->frame, sizeof(s->frame), rx_ns);
}

static void score_page(struct sink_xdp *s, size_t page)
{
	const struct sink_xdp_note *notes = &s->notes[page * SINK_XDP_PAGE];

	for (; s->scored[page] < SINK_XDP_PAGE; s->scored[page]++) {
		const struct sink_xdp_note *n = &notes[s->scored[page]];
		uint64_t rx_ns = __atomic_load_n(&n->rx_ns, __ATOMIC_ACQUIRE);
		if (rx_ns == 0)
			break;
		score_note(s, n, rx_ns);
	}
}

static size_t pages_taken(const struct sink_xdp *s)
{
	uint64_t taken = __atomic_load_n(&s->run->taken, __ATOMIC_RELAXED);

	// If several CPUs find the last page free at once, they may take more pages than exist.
	return (taken < s->room ? taken : s->room) / SINK_XDP_PAGE;
}

static void score_all(struct sink_xdp *s)
{
	size_t end = pages_taken(s);

	for (size_t page = s->open; page < end; page++) {
		score_page(s, page);
		if (page == s->open && s->scored[page] == SINK_XDP_PAGE)
			s->open++;
	}
}

// The number of notes. It includes notes about packets of other runs, which only scoring excludes.
// It is never too low: a page that a CPU takes meanwhile counts as full.
static uint64_t noted(const struct sink_xdp *s)
{
	uint64_t free_notes = 0;

	for (uint32_t i = 0; i < SINK_XDP_CPUS; i++) {
		uint64_t next = __atomic_load_n(&s->run->cpu[i].next, __ATOMIC_ACQUIRE);
		free_notes += (SINK_XDP_PAGE - next % SINK_XDP_PAGE) % SINK_XDP_PAGE;
	}
	return pages_taken(s) * SINK_XDP_PAGE - free_notes;
}

// Called often while the last packets arrive, which scoring would disturb. Notes are therefore
// scored only when all may be there.
static uint64_t delivered(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);
	uint64_t count = noted(s);

	if (count < score_packets(s->setup.score))
		return count;
	score_all(s);
	return score_delivered(s->setup.score);
}

// Reports the cost of the programs, if the kernel measures it (sysctl kernel.bpf_stats_enabled).
static void report_cost(const struct sink_xdp *s)
{
	uint64_t ns = 0, runs = 0;

	for (uint32_t i = 0; i < s->programs; i++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		if (bpf_obj_get_info_by_fd(s->program[i], &info, &size) < 0)
			continue;
		ns += info.run_time_ns;
		runs += info.run_cnt;
	}
	if (runs)
		drb_info("the XDP programs ran %" PRIu64 " times and took %.0f ns a packet", runs,
			 (double)ns / (double)runs);
}

static int sink_xdp_stop(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	score_all(s);
	s->dropped = __atomic_load_n(&s->run->dropped, __ATOMIC_RELAXED);
	report_cost(s);
	return 0;
}

static void sink_xdp_result(struct sink *sink, struct tally *tally, struct drb_latency *latency)
{
	struct sink_xdp *s = self_of(sink);

	score_result(s->setup.score, tally, latency);
	tally->receiver_dropped = s->dropped;
}

static void close_host(void *context, uint32_t host)
{
	const struct sink_xdp *s = context;

	if (s->link[host] >= 0)
		close(s->link[host]);
}

static void close_program(void *context, uint32_t i)
{
	const struct sink_xdp *s = context;

	close(s->program[i]);
}

static void destroy(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	if (s->link)
		parallel_for(s->setup.plan->hosts, close_host, s);
	parallel_for(s->programs, close_program, s);
	if (s->run)
		munmap(s->run, sizeof(*s->run));
	if (s->notes)
		munmap(s->notes, s->room * sizeof(*s->notes));
	bpf_object__close(s->object);
	free(s->scored);
	free(s->program);
	free(s->link);
	free(s);
}

static int sink_xdp_allocate(struct sink_xdp *s)
{
	uint32_t hosts = s->setup.plan->hosts;
	s->program = malloc(hosts * sizeof(*s->program));
	s->link = malloc(hosts * sizeof(*s->link));
	if (!s->program || !s->link)
		return -ENOMEM;
	for (uint32_t h = 0; h < hosts; h++)
		s->link[h] = -1;
	return 0;
}

int sink_xdp_new(const struct sink_xdp_setup *setup, struct sink **sink)
{
	static const struct sink_ops ops = {
		attach, sink_xdp_start, delivered, sink_xdp_stop, sink_xdp_result, NULL, destroy};
	struct sink_xdp *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct sink_xdp){.sink.ops = &ops, .setup = *setup};
	frame_build(s->frame, sizeof(s->frame), setup->plan, &(struct frame_probe){0});
	int rc = sink_xdp_allocate(s);
	if (rc == 0)
		rc = sink_xdp_load(s);
	if (rc < 0) {
		destroy(&s->sink);
		return rc;
	}
	*sink = &s->sink;
	return 0;
}
