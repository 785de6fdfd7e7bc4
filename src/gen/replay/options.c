// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/options.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/args.h"
#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "gen/captures/manifest.h"

#define BUFFER_MIN (64U << 10)
#define BUFFER_MAX (1U << 20)
#define BUFFER_ALL (128U << 20) // of all hosts together

enum {
	KEY_DRAIN = 0x100,
	KEY_BUFFER,
	KEY_WARMUP,
	KEY_STATS,
	KEY_SINK,
	KEY_HOSTS,
	KEY_BEGIN,
	KEY_RECORDS,
	KEY_HGRM,
	KEY_FABRIC = 'f'
};
enum {
	KEY_SLOT = 0x200,
	KEY_MULTIPLIER,
	KEY_PPS,
	KEY_TOPSPEED,
	KEY_LOOP,
	KEY_SEED,
	KEY_MAP,
	KEY_TO_STACK,
	KEY_LOAD,
	KEY_MAX_GAP,
	KEY_FLOW_RECORDS
};
enum { KEY_MAC = 0x300, KEY_IPV4, KEY_IPV6 };

static const struct argp_option options[] = {
	{"fabric", KEY_FABRIC, "NAME", 0, "Fabric to send into (default drb)", 0},
	{"name", KEY_FABRIC, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"drain", KEY_DRAIN, "TIME", 0, "End after this long without an arrival (default 2s)", 0},
	{"buffer", KEY_BUFFER, "KIB", 0, "Buffer of each receiving socket (default: 64 to 1024)",
	 0},
	{"records", KEY_RECORDS, "FILE", 0, "Write what became of each packet, as CSV", 0},
	{"hgrm", KEY_HGRM, "FILE", 0,
	 "Write percentiles of the latencies in us, as HdrHistogram's tools read them", 0},
	{0, 0, NULL, 0, "For a directory of drbgen write:", 1},
	{"slot", KEY_SLOT, "TIME", 0, "Replay with slots of this length", 1},
	{"warmup", KEY_WARMUP, "SLOTS", 0, "Ignore the first slots in latencies", 1},
	{"stats", KEY_STATS, "SLOTS", 0,
	 "Measure latencies over so many slots: those after the warm-up, else the last ones", 1},
	{"hosts", KEY_HOSTS, "FROM-TO", 0,
	 "Of a fabric over several machines: these hosts are here, and others send and receive "
	 "elsewhere, at the same --begin",
	 1},
	{"begin", KEY_BEGIN, "SECONDS", 0, "Begin at this time, in seconds since 1970", 1},
	{"sink", KEY_SINK, "xdp|pcap", 0,
	 "Count arrivals inside the kernel, or capture them (default xdp where the kernel allows "
	 "it)",
	 1},
	{0, 0, NULL, 0, "For any Ethernet captures:", 2},
	{"multiplier", KEY_MULTIPLIER, "X", 0, "Send X times as fast as captured", 2},
	{"pps", KEY_PPS, "RATE", 0, "Send so many packets a second, all hosts together", 2},
	{"load", KEY_LOAD, "RHO", 0,
	 "Send at the speed at which the busiest link of a host is used to this part of its rate",
	 2},
	{"topspeed", KEY_TOPSPEED, NULL, 0, "Send as fast as possible", 2},
	{"loop", KEY_LOOP, "COUNT", 0, "Send the captures so often; 0: for ever (default 1)", 2},
	{"max-gap", KEY_MAX_GAP, "TIME", 0, "Shorten pauses of a capture to this", 2},
	{"flow-records", KEY_FLOW_RECORDS, "FILE", 0, "Write what became of each flow, as CSV", 2},
	{"seed", KEY_SEED, "NUMBER", 0, "Seed of the mapping of addresses onto hosts (default 1)",
	 2},
	{"map", KEY_MAP, "FILE", 0,
	 "Hosts of addresses, one a line: 192.168.1.7 h4, or 10.1.0.0/16 h5", 2},
	{"to-stack", KEY_TO_STACK, NULL, 0,
	 "Hand the packets to the hosts' own network stacks, too, which then answer them", 2},
	{"mac", KEY_MAC, "XX:XX", 0, "First two bytes of hosts' MACs (default 02:00)", 2},
	{"ipv4", KEY_IPV4, "NET/LEN", 0, "IPv4 network of the hosts (default 10.0.0.0/8)", 2},
	{"ipv6", KEY_IPV6, "NET/LEN", 0, "IPv6 network of the hosts (default fd00::/64)", 2},
	{0},
};

static const char *name_of(int key)
{
	const struct argp_option *at = options;

	while (at->key != key)
		at++;
	return at->name;
}

static void set_pace(struct replay_options *o, enum schedule_mode mode)
{
	if (o->paced)
		drb_die("only one of --multiplier, --pps, --load and --topspeed");
	o->paced = true;
	o->schedule.mode = mode;
}

// Options of foreign captures.
static error_t parse_foreign(struct replay_options *o, int key, char *arg)
{
	switch (key) {
	case KEY_MULTIPLIER:
		set_pace(o, SCHEDULE_TIMES);
		if (drb_parse_real(arg, 1e-6, 1e6, &o->schedule.multiplier) < 0)
			drb_die("--multiplier %s: must be between 1e-6 and 1e6", arg);
		break;
	case KEY_PPS:
		set_pace(o, SCHEDULE_RATE);
		if (drb_parse_real(arg, 1e-3, 1e9, &o->schedule.rate) < 0)
			drb_die("--pps %s: must be between 0.001 and 1e9", arg);
		break;
	case KEY_LOAD:
		set_pace(o, SCHEDULE_TIMES);
		if (drb_parse_real(arg, 1e-6, 1000, &o->load) < 0)
			drb_die("--load %s: must be between 1e-6 and 1000, such as 0.5", arg);
		break;
	case KEY_TOPSPEED:
		set_pace(o, SCHEDULE_TOPSPEED);
		break;
	case KEY_MAX_GAP:
		if (drb_parse_time(arg, &o->max_gap_ns) < 0 || o->max_gap_ns == 0)
			drb_die("--max-gap %s: must be a time such as 1s", arg);
		break;
	case KEY_FLOW_RECORDS:
		o->flow_records = arg;
		break;
	case KEY_LOOP:
		o->schedule.loops = drb_option_u64("--loop", arg, 0, UINT32_MAX);
		break;
	case KEY_SEED:
		o->seed = drb_option_u64("--seed", arg, 0, UINT64_MAX);
		break;
	case KEY_MAP:
		o->map = arg;
		break;
	case KEY_TO_STACK:
		o->to_stack = true;
		break;
	case KEY_MAC:
		o->mac = arg;
		break;
	case KEY_IPV4:
		o->ipv4 = arg;
		break;
	case KEY_IPV6:
		o->ipv6 = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (!o->foreign_option)
		o->foreign_option = name_of(key);
	return 0;
}

static void parse_hosts(struct replay_options *o, const char *text)
{
	unsigned long from, to;
	char end;

	if (sscanf(text, "%9lu-%9lu%c", &from, &to, &end) != 2 || from > to)
		drb_die("--hosts %s: must be the first and the last host that is here, such as 0-7",
			text);
	o->part = true;
	o->first_host = (uint32_t)from;
	o->end_host = (uint32_t)to + 1;
}

// Options of a directory of drbgen write.
static error_t parse_measured(struct replay_options *o, int key, char *arg)
{
	double begin;

	switch (key) {
	case KEY_SLOT:
		if (drb_parse_time(arg, &o->slot_ns) < 0 || o->slot_ns < 1 ||
		    o->slot_ns > MANIFEST_SLOT_NS_MAX)
			drb_die("--slot %s: must be a time such as 2ms or 500us", arg);
		break;
	case KEY_WARMUP:
		if (drb_parse_u64(arg, 0, UINT32_MAX, &o->warmup) < 0)
			drb_die("--warmup %s: must be a number of slots", arg);
		break;
	case KEY_STATS:
		if (drb_parse_u64(arg, 1, UINT32_MAX, &o->stats) < 0)
			drb_die("--stats %s: must be a number of slots, at least 1", arg);
		break;
	case KEY_HOSTS:
		parse_hosts(o, arg);
		break;
	case KEY_BEGIN:
		if (drb_parse_real(arg, 0, 1e10, &begin) < 0)
			drb_die("--begin %s: must be a time in seconds since 1970", arg);
		o->begin_ns = (uint64_t)(begin * 1e9);
		break;
	case KEY_SINK:
		if (strcmp(arg, "xdp") == 0)
			o->sink = REPLAY_SINK_XDP;
		else if (strcmp(arg, "pcap") == 0)
			o->sink = REPLAY_SINK_PCAP;
		else
			drb_die("--sink %s: must be xdp or pcap", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (!o->measured_option)
		o->measured_option = name_of(key);
	return 0;
}

// Options of any replay.
static error_t parse_common(struct replay_options *o, int key, char *arg)
{
	uint32_t kib;

	switch (key) {
	case KEY_FABRIC:
		if (!drb_fabric_name_ok(arg))
			drb_die("--fabric %s: not a fabric name", arg);
		o->fabric = arg;
		return 0;
	case KEY_DRAIN:
		if (drb_parse_time(arg, &o->drain_ns) < 0)
			drb_die("--drain %s: must be a time such as 2s", arg);
		return 0;
	case KEY_BUFFER:
		if (drb_parse_u32(arg, 16, 1U << 20, &kib) < 0)
			drb_die("--buffer %s: must be 16-%u KiB", arg, 1U << 20);
		o->buffer_bytes = kib << 10;
		return 0;
	case KEY_RECORDS:
		o->records = arg;
		return 0;
	case KEY_HGRM:
		o->hgrm = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct replay_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->format;
		return 0;
	case ARGP_KEY_ARGS:
		o->paths = state->argv + state->next;
		o->count = (uint32_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (o->count == 0)
			drb_die("what is to be replayed: a directory of drbgen write, or capture "
				"files");
		if (o->part && o->begin_ns == REPLAY_ABSENT)
			drb_die("--hosts: the other hosts must begin at the same time: give "
				"--begin");
		return 0;
	default:
		if (parse_common(o, key, arg) == 0 || parse_measured(o, key, arg) == 0)
			return 0;
		return parse_foreign(o, key, arg);
	}
}

uint32_t replay_buffer_bytes(const struct replay_options *o, uint32_t hosts)
{
	uint32_t share = BUFFER_ALL / hosts;

	if (o->buffer_bytes)
		return o->buffer_bytes;
	return share < BUFFER_MIN ? BUFFER_MIN : share > BUFFER_MAX ? BUFFER_MAX : share;
}

void replay_options_parse(struct replay_options *o, int argc, char **argv)
{
	static const struct argp_child children[] = {{&drb_format_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "DIR\nFILE...",
		.doc = "Sends the captures of DIR, or any FILEs, from the hosts of a running "
		       "fabric and reports what arrived. A FILE may be compressed by gzip; - is "
		       "standard input, and standard output where something is written.\v"
		       "Latencies count from the slot in which a packet is generated; every link, "
		       "also the host's own, takes one slot. Addresses of the fabric in captures "
		       "keep their hosts, others have those of --map or get one by hash; several "
		       "files are merged by their time stamps. The hosts' own kernels do not get "
		       "these packets, packet sockets (tcpdump) do. In the report, others are "
		       "packets that came to a host without being replayed to it. Exit status: 0 "
		       "everything arrived once at the right host, 1 not, 2 bad usage or input."};

	*o = (struct replay_options){.fabric = DRB_FABRIC_DEFAULT,
				     .drain_ns = 2000000000,
				     .slot_ns = REPLAY_ABSENT,
				     .warmup = REPLAY_ABSENT,
				     .begin_ns = REPLAY_ABSENT,
				     .stats = REPLAY_ABSENT,
				     .schedule = {.multiplier = 1, .loops = 1},
				     .seed = 1,
				     .mac = "02:00",
				     .ipv4 = "10.0.0.0/8",
				     .ipv6 = "fd00::/64"};
	drb_args_parse(&argp, argc, argv, 0, o);
}
