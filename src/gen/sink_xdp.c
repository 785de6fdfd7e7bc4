// SPDX-License-Identifier: BSD-3-Clause
#include "sink.h"

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

#include "common/msg.h"
#include "parallel.h"
#include "sink_xdp_maps.h"
#include "sink_xdp_object.h" // sink_xdp_object[]: sink_xdp.bpf.c as compiled

struct sink_xdp {
	struct sink sink;
	struct sink_xdp_setup setup;
	struct bpf_object *object;
	struct sink_xdp_run *run;    // of the programs, in our memory; NULL: none
	struct sink_xdp_cell *cells; // likewise
	size_t cells_count;
	size_t settled;             // cells up to here are without a packet, or theirs has arrived:
	uint64_t settled_delivered; // so many
	int *program, *link;        // by host; -1: none
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

// Table of cells: in the kernel, and in our memory.
static int size_cells(struct sink_xdp *s)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->object, "cells");

	s->cells_count = (size_t)score_cohorts(s->setup.score) * s->setup.plan->hosts;
	if (s->cells_count > SINK_XDP_CELLS_MAX)
		return -E2BIG;
	s->cells_count += s->cells_count == 0; // a map is never empty
	return bpf_map__set_max_entries(map, (uint32_t)s->cells_count);
}

// A map in our memory, where *data is NULL until it is there.
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
	// Variables without a value are one map of this name.
	int rc = map_in(s, ".bss", sizeof(*s->run), (void **)&s->run);

	if (rc == 0)
		rc = map_in(s, "cells", s->cells_count * sizeof(*s->cells), (void **)&s->cells);
	if (rc < 0)
		return rc;
	*s->run = (struct sink_xdp_run){.start_ns = UINT64_MAX,
					.cohorts = score_cohorts(s->setup.score),
					.plan = *s->setup.plan};
	return 0;
}

// Fills the map by which enter() hands over.
static int set_judges(struct sink_xdp *s)
{
	static const char *const name[] = {
		[SINK_XDP_AT_HOME] = "at_home", [SINK_XDP_ASTRAY] = "astray"};
	int map = bpf_object__find_map_fd_by_name(s->object, "judges"), rc = 0;

	for (uint32_t i = 0; rc == 0 && i < sizeof(name) / sizeof(name[0]); i++) {
		const struct bpf_program *program =
			bpf_object__find_program_by_name(s->object, name[i]);
		int fd = bpf_program__fd(program);
		rc = bpf_map_update_elem(map, &i, &fd, BPF_ANY);
	}
	return rc;
}

// Loads maps and programs.
static int load(struct sink_xdp *s)
{
	libbpf_set_print(silent);
	s->object = bpf_object__open_mem(sink_xdp_object, sizeof(sink_xdp_object), NULL);
	if (!s->object)
		return -errno;
	int rc = size_cells(s);
	if (rc == 0)
		rc = bpf_object__load(s->object);
	if (rc == 0)
		rc = set_judges(s);
	return rc < 0 ? rc : map_all(s);
}

// Puts a value where a constant stands in the code. -EINVAL if that is not in exactly one place.
static int replace(struct bpf_insn *code, size_t count, int32_t constant, uint32_t value)
{
	uint32_t places = 0;

	for (size_t i = 0; i < count; i++) {
		if (code[i].code != (BPF_ALU64 | BPF_MOV | BPF_K) || code[i].imm != constant)
			continue;
		code[i].imm = (int32_t)value;
		places++;
	}
	return places == 1 ? 0 : -EINVAL;
}

// Has enter() compare with the MAC of a host.
static int set_host(const struct sink_xdp *s, struct bpf_insn *code, size_t count, uint32_t host)
{
	uint8_t mac[6];
	uint32_t first;
	uint16_t last;

	drb_addr_mac(s->setup.plan, host, mac);
	memcpy(&first, mac, sizeof(first));
	memcpy(&last, mac + sizeof(first), sizeof(last));
	int rc = replace(code, count, SINK_XDP_MAC_FIRST, first);
	return rc < 0 ? rc : replace(code, count, SINK_XDP_MAC_LAST, last);
}

int sink_xdp_program(struct sink *sink, uint32_t host)
{
	struct sink_xdp *s = self_of(sink);
	const struct bpf_program *original = bpf_object__find_program_by_name(s->object, "enter");
	size_t count = bpf_program__insn_cnt(original);
	struct bpf_insn *code = malloc(count * sizeof(*code));
	// Programs that hand over to each other must agree in this.
	struct bpf_prog_load_opts opts = {.sz = sizeof(opts),
					  .expected_attach_type =
						  bpf_program__expected_attach_type(original)};

	if (!code)
		return -ENOMEM;
	memcpy(code, bpf_program__insns(original), count * sizeof(*code));
	int rc = set_host(s, code, count, host);
	if (rc == 0)
		rc = bpf_prog_load(BPF_PROG_TYPE_XDP, "drb_sink", "Dual BSD/GPL", code, count,
				   &opts);
	free(code);
	if (rc >= 0)
		s->program[host] = rc;
	return rc;
}

// The link goes away with its descriptor, and so with this process, however that ends.
static int attach(struct sink *sink, uint32_t host)
{
	struct sink_xdp *s = self_of(sink);
	struct bpf_link_create_opts opts = {.sz = sizeof(opts), .flags = XDP_FLAGS_DRV_MODE};
	int program = sink_xdp_program(sink, host);

	if (program < 0) {
		drb_error("h%u: cannot load the XDP program: %s", host, strerror(-program));
		return program;
	}
	int link =
		bpf_link_create(program, (int)if_nametoindex(s->setup.interface), BPF_XDP, &opts);
	if (link < 0) {
		drb_error("h%u: cannot attach an XDP program to %s: %s (--sink pcap does without)",
			  host, s->setup.interface, strerror(-link));
		return link;
	}
	s->link[host] = link;
	return 0;
}

static struct sink_xdp_cell *cell_of(struct sink_xdp *s, const struct frame_probe *p)
{
	return &s->cells[(size_t)p->cohort * s->setup.plan->hosts + p->src];
}

static int announce(void *context, const struct frame_probe *packet, struct arrival *arrival)
{
	struct sink_xdp_cell *cell = cell_of(context, packet);

	if (cell->dst != DRB_NO_LABEL) {
		drb_error("h%u sends two packets in slot %u, which the kernel cannot count "
			  "(--sink pcap can)",
			  packet->src, packet->cohort);
		return -EINVAL;
	}
	*cell = (struct sink_xdp_cell){packet->dst, packet->sequence, *arrival};
	return 0;
}

static void set_start(struct sink_xdp *s, uint64_t start_ns)
{
	__atomic_store_n(&s->run->start_ns, start_ns, __ATOMIC_RELEASE);
}

static int start(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	// DRB_NO_LABEL, ARRIVAL_NOT_SEEN
	memset(s->cells, 0xff, s->cells_count * sizeof(*s->cells));
	s->settled = s->settled_delivered = 0;
	int rc = score_visit(s->setup.score, announce, s);
	if (rc == 0)
		set_start(s, score_start(s->setup.score));
	return rc;
}

static bool has_arrived(const struct sink_xdp_cell *cell)
{
	return __atomic_load_n(&cell->arrival.rx_ns, __ATOMIC_RELAXED) != ARRIVAL_NOT_SEEN;
}

// Asked again and again while the last ones arrive, which it must not disturb: what is settled is
// not looked at again.
static uint64_t delivered(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	for (; s->settled < s->cells_count; s->settled++) {
		const struct sink_xdp_cell *cell = &s->cells[s->settled];
		bool arrived = has_arrived(cell);
		if (!arrived && cell->dst != DRB_NO_LABEL)
			break;
		s->settled_delivered += arrived;
	}
	uint64_t count = s->settled_delivered;
	for (size_t i = s->settled; i < s->cells_count; i++)
		count += has_arrived(&s->cells[i]);
	return count;
}

static int take_arrival(void *context, const struct frame_probe *packet, struct arrival *arrival)
{
	*arrival = cell_of(context, packet)->arrival;
	return 0;
}

// What the programs cost, if the kernel was told to measure it (sysctl kernel.bpf_stats_enabled).
static void report_cost(const struct sink_xdp *s)
{
	uint64_t ns = 0, runs = 0;

	for (uint32_t h = 0; h < s->setup.plan->hosts; h++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		if (s->program[h] < 0 || bpf_obj_get_info_by_fd(s->program[h], &info, &size) < 0)
			continue;
		ns += info.run_time_ns;
		runs += info.run_cnt;
	}
	if (runs)
		drb_info("the XDP programs ran %" PRIu64 " times and took %.0f ns a packet", runs,
			 (double)ns / (double)runs);
}

static int stop(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	uint64_t count[ARRIVAL_VERDICTS];

	set_start(s, UINT64_MAX);
	memcpy(count, s->run->count, sizeof(count));
	count[ARRIVAL_DELIVERED] = delivered(sink);
	score_import(s->setup.score, count);
	score_visit(s->setup.score, take_arrival, s);
	report_cost(s);
	return 0;
}

static void result(struct sink *sink, struct tally *tally, struct latency *latency)
{
	score_result(self_of(sink)->setup.score, tally, latency);
}

// A program that runs sees every packet: what is lost is lost before it.
static uint64_t dropped(struct sink *sink, uint32_t host)
{
	(void)sink;
	(void)host;
	return 0;
}

static void close_host(void *context, uint32_t host)
{
	const struct sink_xdp *s = context;

	if (s->link[host] >= 0)
		close(s->link[host]);
	if (s->program[host] >= 0)
		close(s->program[host]);
}

static void destroy(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	if (s->program && s->link)
		parallel_for(s->setup.plan->hosts, close_host, s);
	if (s->run)
		munmap(s->run, sizeof(*s->run));
	if (s->cells)
		munmap(s->cells, s->cells_count * sizeof(*s->cells));
	bpf_object__close(s->object);
	free(s->program);
	free(s->link);
	free(s);
}

static int allocate(struct sink_xdp *s)
{
	uint32_t hosts = s->setup.plan->hosts;
	s->program = malloc(hosts * sizeof(*s->program));
	s->link = malloc(hosts * sizeof(*s->link));
	if (!s->program || !s->link)
		return -ENOMEM;
	for (uint32_t h = 0; h < hosts; h++)
		s->program[h] = s->link[h] = -1;
	return 0;
}

int sink_xdp_new(const struct sink_xdp_setup *setup, struct sink **sink)
{
	static const struct sink_ops ops = {attach, start,   delivered, stop,
					    result, dropped, destroy};
	struct sink_xdp *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct sink_xdp){.sink.ops = &ops, .setup = *setup};
	int rc = allocate(s);
	if (rc == 0)
		rc = load(s);
	if (rc < 0) {
		destroy(&s->sink);
		return rc;
	}
	*sink = &s->sink;
	return 0;
}
