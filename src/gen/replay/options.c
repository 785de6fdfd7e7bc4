// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/options.h"

#include <argp.h>
#include <stddef.h>
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
#define KEY_FIRST 0x100

// Which replays an option is for: their heading in the help, too.
enum group { ANY, WRITTEN, CAPTURES };
enum type { TIME, NUMBER, REAL, TEXT, FLAG, SPECIAL };

static void take_fabric(struct replay_options *o, const char *arg)
{
	if (!drb_fabric_name_ok(arg))
		drb_die("--fabric %s: not a fabric name", arg);
	o->fabric = arg;
}

static void take_buffer(struct replay_options *o, const char *arg)
{
	uint32_t kib;

	if (drb_parse_u32(arg, 16, 1U << 20, &kib) < 0)
		drb_die("--buffer %s: must be 16-%u KiB", arg, 1U << 20);
	o->buffer_bytes = kib << 10;
}

static void take_hosts(struct replay_options *o, const char *arg)
{
	unsigned long from, to;
	char end;

	if (sscanf(arg, "%9lu-%9lu%c", &from, &to, &end) != 2 || from > to)
		drb_die("--hosts %s: must be the first and the last host that is here, such as 0-7",
			arg);
	o->part = true;
	o->first_host = (uint32_t)from;
	o->end_host = (uint32_t)to + 1;
}

static void take_begin(struct replay_options *o, const char *arg)
{
	double begin;

	if (drb_parse_real(arg, 0, 1e10, &begin) < 0)
		drb_die("--begin %s: must be a time in seconds since 1970", arg);
	o->begin_ns = (uint64_t)(begin * 1e9);
}

static void take_sink(struct replay_options *o, const char *arg)
{
	if (strcmp(arg, "xdp") != 0 && strcmp(arg, "pcap") != 0)
		drb_die("--sink %s: must be xdp or pcap", arg);
	o->sink = *arg == 'x' ? REPLAY_SINK_XDP : REPLAY_SINK_PCAP;
}

static void set_pace(struct replay_options *o, enum schedule_mode mode)
{
	if (o->paced)
		drb_die("only one of --multiplier, --pps, --load and --topspeed");
	o->paced = true;
	o->schedule.mode = mode;
}

#define AT(member) offsetof(struct replay_options, member)
static const struct replay_option {
	const char *name, *arg;
	enum group group;
	enum type type;
	size_t member;
	double least, most; // of a number; of a time in ns
	const char *help;
	void (*special)(struct replay_options *o, const char *arg);
	int pace; // 1 + enum schedule_mode; 0: does not set it
} table[] = {
	{"drain", "TIME", ANY, TIME, AT(drain_ns), 0, 1e19,
	 .help = "End after this long without an arrival (default 2s)"},
	{"buffer", "KIB", ANY, SPECIAL, 0, 0, 0,
	 .help = "Buffer of each receiving socket (default: 64 to 1024)", .special = take_buffer},
	{"records", "FILE", ANY, TEXT, AT(records), 0, 0,
	 .help = "Write what became of each packet, as CSV"},
	{"hgrm", "FILE", ANY, TEXT, AT(hgrm), 0, 0,
	 .help = "Write percentiles of the latencies in us, as HdrHistogram's tools read them"},
	{"slot", "TIME", WRITTEN, TIME, AT(slot_ns), 1, MANIFEST_SLOT_NS_MAX,
	 .help = "Replay with slots of this length"},
	{"warmup", "SLOTS", WRITTEN, NUMBER, AT(warmup), 0, UINT32_MAX,
	 .help = "Ignore the first slots in latencies"},
	{"stats", "SLOTS", WRITTEN, NUMBER, AT(stats), 1, UINT32_MAX,
	 .help = "Measure latencies over so many slots: those after the warm-up, else the last "
		 "ones"},
	{"links", "FILE", WRITTEN, TEXT, AT(links), 0, 0,
	 .help = "Write a line for each link, as CSV: its use, its queue, at what part of its rate "
		 "it ran"},
	{"hosts", "FROM-TO", WRITTEN, SPECIAL, 0, 0, 0,
	 .help = "Of a fabric over several machines: these hosts are here, and others send and "
		 "receive elsewhere, at the same --begin",
	 .special = take_hosts},
	{"begin", "SECONDS", WRITTEN, SPECIAL, 0, 0, 0,
	 .help = "Begin at this time, in seconds since 1970", .special = take_begin},
	{"sink", "xdp|pcap", WRITTEN, SPECIAL, 0, 0, 0,
	 .help = "Count arrivals inside the kernel, or capture them (default xdp where the kernel "
		 "allows it)",
	 .special = take_sink},
	{"multiplier", "X", CAPTURES, REAL, AT(schedule.multiplier), 1e-6, 1e6,
	 .help = "Send X times as fast as captured", .pace = 1 + SCHEDULE_TIMES},
	{"pps", "RATE", CAPTURES, REAL, AT(schedule.rate), 1e-3, 1e9,
	 .help = "Send so many packets a second, all hosts together", .pace = 1 + SCHEDULE_RATE},
	{"load", "RHO", CAPTURES, REAL, AT(load), 1e-6, 1e3,
	 .help = "Send at the speed at which the busiest link of a host is used to this part of "
		 "its rate",
	 .pace = 1 + SCHEDULE_TIMES},
	{"topspeed", NULL, CAPTURES, SPECIAL, 0, 0, 0, .help = "Send as fast as possible",
	 .pace = 1 + SCHEDULE_TOPSPEED},
	{"loop", "COUNT", CAPTURES, NUMBER, AT(schedule.loops), 0, UINT32_MAX,
	 .help = "Send the captures so often; 0: for ever (default 1)"},
	{"max-gap", "TIME", CAPTURES, TIME, AT(max_gap_ns), 1, 1e19,
	 .help = "Shorten pauses of a capture to this"},
	{"flow-records", "FILE", CAPTURES, TEXT, AT(flow_records), 0, 0,
	 .help = "Write what became of each flow, as CSV"},
	{"seed", "NUMBER", CAPTURES, NUMBER, AT(seed), 0, UINT64_MAX,
	 .help = "Seed of the mapping of addresses onto hosts (default 1)"},
	{"map", "FILE", CAPTURES, TEXT, AT(map), 0, 0,
	 .help = "Hosts of addresses, one a line: 192.168.1.7 h4, or 10.1.0.0/16 h5"},
	{"to-stack", NULL, CAPTURES, FLAG, AT(to_stack), 0, 0,
	 .help = "Hand the packets to the hosts' own network stacks, too, which then answer them"},
	{"mac", "XX:XX", CAPTURES, TEXT, AT(mac), 0, 0,
	 .help = "First two bytes of hosts' MACs (default 02:00)"},
	{"ipv4", "NET/LEN", CAPTURES, TEXT, AT(ipv4), 0, 0,
	 .help = "IPv4 network of the hosts (default 10.0.0.0/8)"},
	{"ipv6", "NET/LEN", CAPTURES, TEXT, AT(ipv6), 0, 0,
	 .help = "IPv6 network of the hosts (default fd00::/64)"},
};
#define COUNT (sizeof(table) / sizeof(table[0]))

static void take_value(const struct replay_option *at, void *member, const char *arg)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", at->name);
	switch (at->type) {
	case TIME: {
		uint64_t ns;
		if (drb_parse_time(arg, &ns) < 0 || (double)ns < at->least || (double)ns > at->most)
			drb_die("%s %s: must be a time such as 2ms or 500us", option, arg);
		*(uint64_t *)member = ns;
		break;
	}
	case NUMBER:
		*(uint64_t *)member =
			drb_option_u64(option, arg, (uint64_t)at->least,
				       at->most < 1e19 ? (uint64_t)at->most : UINT64_MAX);
		break;
	case REAL:
		if (drb_parse_real(arg, at->least, at->most, member) < 0)
			drb_die("%s %s: must be between %g and %g", option, arg, at->least,
				at->most);
		break;
	case TEXT:
		*(const char **)member = arg;
		break;
	case FLAG:
		*(bool *)member = true;
		break;
	case SPECIAL:
		break;
	}
}

static void take(struct replay_options *o, const struct replay_option *at, const char *arg)
{
	take_value(at, (char *)o + at->member, arg);
	if (at->special)
		at->special(o, arg);
	if (at->pace)
		set_pace(o, (enum schedule_mode)(at->pace - 1));
	if (at->group == WRITTEN && !o->measured_option)
		o->measured_option = at->name;
	if (at->group == CAPTURES && !o->foreign_option)
		o->foreign_option = at->name;
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
		if (o->max_gap_ns && o->schedule.mode != SCHEDULE_TIMES)
			drb_die("--max-gap: --pps and --topspeed send without pauses already");
		return 0;
	case 'f':
		take_fabric(o, arg);
		return 0;
	default:
		if (key < KEY_FIRST || key >= KEY_FIRST + (int)COUNT)
			return ARGP_ERR_UNKNOWN;
		take(o, &table[key - KEY_FIRST], arg);
		return 0;
	}
}

uint32_t replay_buffer_bytes(const struct replay_options *o, uint32_t hosts)
{
	uint32_t share = BUFFER_ALL / hosts;

	if (o->buffer_bytes)
		return o->buffer_bytes;
	return share < BUFFER_MIN ? BUFFER_MIN : share > BUFFER_MAX ? BUFFER_MAX : share;
}

// The table, as argp wants it.
static void list(struct argp_option *to)
{
	static const char *const headings[] = {[WRITTEN] = "For a directory of drbgen write:",
					       [CAPTURES] = "For any Ethernet captures:"};

	*to++ = (struct argp_option){"fabric", 'f', "NAME", 0, "Fabric to send into (default drb)",
				     0};
	*to++ = (struct argp_option){"name", 'f', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0};
	for (size_t i = 0; i < COUNT; i++) {
		const struct replay_option *at = &table[i];
		if (i > 0 && at->group != at[-1].group)
			*to++ = (struct argp_option){.doc = headings[at->group],
						     .group = (int)at->group};
		*to++ = (struct argp_option){at->name, KEY_FIRST + (int)i, at->arg,
					     0,        at->help,           (int)at->group};
	}
	*to = (struct argp_option){0};
}

void replay_options_parse(struct replay_options *o, int argc, char **argv)
{
	static const struct argp_child children[] = {{&drb_format_argp, 0, NULL, 0}, {0}};
	static struct argp_option options[COUNT + 5];
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
	list(options);
	drb_args_parse(&argp, argc, argv, 0, o);
}
