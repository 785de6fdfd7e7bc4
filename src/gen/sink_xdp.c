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

// A map as an array in our memory.
struct mapped {
	int fd;
	void *data; // NULL: none
	size_t bytes;
};

struct sink_xdp {
	struct sink sink;
	struct sink_xdp_setup setup;
	struct bpf_object *object;
	struct mapped run, streams, latency;
	int tallies;
	uint32_t cpus;
	struct tally *per_cpu; // as read from the kernel
	int *program, *link;   // by host; -1: none
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

static int map_in(struct sink_xdp *s, const char *name, uint32_t value, size_t count,
		  struct mapped *m)
{
	m->fd = bpf_object__find_map_fd_by_name(s->object, name);
	m->bytes = count * value;
	void *data = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	m->data = data;
	return 0;
}

static int resize(struct sink_xdp *s, const char *name, size_t count)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->object, name);

	return count > UINT32_MAX ? -E2BIG : bpf_map__set_max_entries(map, (uint32_t)count);
}

// Loads maps and program.
static int load(struct sink_xdp *s)
{
	size_t packets = score_packets(s->setup.score) + 1; // a map is never empty
	size_t streams = (size_t)s->setup.plan->hosts * s->setup.plan->hosts;

	libbpf_set_print(silent);
	s->object = bpf_object__open_mem(sink_xdp_object, sizeof(sink_xdp_object), NULL);
	if (!s->object)
		return -errno;
	int rc = resize(s, "streams", streams);
	if (rc == 0)
		rc = resize(s, "latency", packets);
	if (rc == 0)
		rc = bpf_object__load(s->object);
	if (rc == 0)
		rc = map_in(s, "run", sizeof(struct sink_xdp_run), 1, &s->run);
	if (rc == 0)
		rc = map_in(s, "streams", sizeof(struct arrival_stream), streams, &s->streams);
	if (rc == 0)
		rc = map_in(s, "latency", sizeof(uint64_t), packets, &s->latency);
	if (rc < 0)
		return rc;
	s->tallies = bpf_object__find_map_fd_by_name(s->object, "tallies");
	struct sink_xdp_run *run = s->run.data;
	*run = (struct sink_xdp_run){.start_ns = UINT64_MAX, .plan = *s->setup.plan};
	return 0;
}

// Puts the host's label where SINK_XDP_HOST stands. -EINVAL if that is not in exactly one place.
static int set_host(struct bpf_insn *code, size_t count, uint32_t host)
{
	uint32_t places = 0;

	for (size_t i = 0; i < count; i++) {
		if (code[i].code != (BPF_ALU64 | BPF_MOV | BPF_K) || code[i].imm != SINK_XDP_HOST)
			continue;
		code[i].imm = (int32_t)host;
		places++;
	}
	return places == 1 ? 0 : -EINVAL;
}

int sink_xdp_program(struct sink *sink, uint32_t host)
{
	struct sink_xdp *s = self_of(sink);
	const struct bpf_program *original = bpf_object__next_program(s->object, NULL);
	size_t count = bpf_program__insn_cnt(original);
	struct bpf_insn *code = malloc(count * sizeof(*code));

	if (!code)
		return -ENOMEM;
	memcpy(code, bpf_program__insns(original), count * sizeof(*code));
	int rc = set_host(code, count, host);
	if (rc == 0)
		rc = bpf_prog_load(BPF_PROG_TYPE_XDP, "drb_sink", "Dual BSD/GPL", code, count,
				   NULL);
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

static void fill_stream(void *context, uint32_t src, uint32_t dst,
			const struct arrival_stream *stream)
{
	struct sink_xdp *s = context;
	struct arrival_stream *streams = s->streams.data;

	streams[(size_t)src * s->setup.plan->hosts + dst] = *stream;
}

static void set_start(struct sink_xdp *s, uint64_t start_ns)
{
	struct sink_xdp_run *run = s->run.data;

	__atomic_store_n(&run->start_ns, start_ns, __ATOMIC_RELEASE);
}

static int start(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	memset(s->latency.data, 0xff, s->latency.bytes); // ARRIVAL_NOT_SEEN
	score_streams(s->setup.score, fill_stream, s);
	set_start(s, score_start(s->setup.score));
	return 0;
}

static struct tally read_tally(struct sink_xdp *s)
{
	const uint32_t zero = 0;
	struct tally sum = {.first_ns = UINT64_MAX};

	// Cannot fail: the map has this entry.
	(void)bpf_map_lookup_elem(s->tallies, &zero, s->per_cpu);
	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		const struct tally *t = &s->per_cpu[cpu];
		sum.received += t->received;
		sum.duplicated += t->duplicated;
		sum.misdelivered += t->misdelivered;
		sum.reordered += t->reordered;
		sum.strangers += t->strangers;
		if (t->delivered == 0)
			continue;
		sum.delivered += t->delivered;
		sum.first_ns = t->first_ns < sum.first_ns ? t->first_ns : sum.first_ns;
		sum.last_ns = t->last_ns > sum.last_ns ? t->last_ns : sum.last_ns;
	}
	if (sum.delivered == 0)
		sum.first_ns = 0;
	return sum;
}

static uint64_t delivered(struct sink *sink)
{
	return read_tally(self_of(sink)).delivered;
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

	set_start(s, UINT64_MAX);
	struct tally tally = read_tally(s);
	score_import(s->setup.score, &tally, s->latency.data);
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

static void unmap(struct mapped *m)
{
	if (m->data)
		munmap(m->data, m->bytes);
}

static void destroy(struct sink *sink)
{
	struct sink_xdp *s = self_of(sink);

	if (s->program && s->link)
		parallel_for(s->setup.plan->hosts, close_host, s);
	unmap(&s->run);
	unmap(&s->streams);
	unmap(&s->latency);
	bpf_object__close(s->object);
	free(s->program);
	free(s->link);
	free(s->per_cpu);
	free(s);
}

static int allocate(struct sink_xdp *s)
{
	uint32_t hosts = s->setup.plan->hosts;
	int cpus = libbpf_num_possible_cpus();

	if (cpus < 0)
		return cpus;
	s->cpus = (uint32_t)cpus;
	s->per_cpu = calloc(s->cpus, sizeof(*s->per_cpu));
	s->program = malloc(hosts * sizeof(*s->program));
	s->link = malloc(hosts * sizeof(*s->link));
	if (!s->per_cpu || !s->program || !s->link)
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
	int rc = setup->plan->hosts > SINK_XDP_HOSTS_MAX ? -E2BIG : allocate(s);
	if (rc == 0)
		rc = load(s);
	if (rc < 0) {
		destroy(&s->sink);
		return rc;
	}
	*sink = &s->sink;
	return 0;
}
