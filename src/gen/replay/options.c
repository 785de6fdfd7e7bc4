// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/file.h"
#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "common/cli/quantity.h"
#include "gen/captures/manifest.h"

#define BUFFER_MIN (64U << 10)
#define BUFFER_MAX (1U << 20)
#define BUFFER_ALL (128U << 20) // for all hosts together

static void parse_fabric(const struct drb_option *option, const char *text, void *fabric)
{
	(void)option;
	if (!drb_fabric_name_ok(text))
		drb_die("--fabric %s: not a fabric name", text);
	*(const char **)fabric = text;
}

static void parse_buffer(const struct drb_option *option, const char *text, void *bytes)
{
	uint32_t kib;

	(void)option;
	if (drb_parse_u32(text, 16, 1U << 20, &kib) < 0)
		drb_die("--buffer %s: must be 16-%u KiB", text, 1U << 20);
	*(uint32_t *)bytes = kib << 10;
}

static void parse_hosts(const struct drb_option *option, const char *text, void *options)
{
	struct replay_options *o = options;
	unsigned long from, to;
	char end;

	(void)option;
	if (sscanf(text, "%9lu-%9lu%c", &from, &to, &end) != 2 || from > to)
		drb_die("--hosts %s: must be the first and the last host that is here, such as 0-7",
			text);
	o->part = true;
	o->first_host = (uint32_t)from;
	o->end_host = (uint32_t)to + 1;
}

static void parse_begin(const struct drb_option *option, const char *text, void *begin_ns)
{
	double begin;

	(void)option;
	if (drb_parse_real(text, 0, 1e10, &begin) < 0)
		drb_die("--begin %s: must be a time in seconds since 1970", text);
	*(uint64_t *)begin_ns = (uint64_t)(begin * 1e9);
}

// Parses the speed of captures: one of --multiplier, --pps, --load and --topspeed.
static void parse_pace(const struct drb_option *option, const char *text, void *options)
{
	struct replay_options *o = options;
	bool pps = strcmp(option->name, "--pps") == 0, load = strcmp(option->name, "--load") == 0;

	if (o->paced)
		drb_die("only one of --multiplier, --pps, --load and --topspeed");
	o->paced = true;
	o->schedule.mode = pps ? SCHEDULE_RATE : text ? SCHEDULE_TIMES : SCHEDULE_TOPSPEED;
	if (text && drb_parse_real(text, option->least, option->most,
				   pps    ? &o->schedule.rate
				   : load ? &o->load
					  : &o->schedule.multiplier) < 0)
		drb_die("%s %s: must be between %g and %g", option->name, text, option->least,
			option->most);
}

#define AT(field) offsetof(struct replay_options, field)

static const struct drb_option any[] = {
	{"--fabric", "NAME", "Fabric to send into (default drb)", .kind = DRB_OPTION_OTHER,
	 AT(fabric), .parse = parse_fabric, .letter = 'f'},
	{"--drain", "TIME", "End after this long without an arrival (default 2s)",
	 .kind = DRB_OPTION_TIME, AT(drain_ns)},
	{"--buffer", "KIB", "Buffer of each receiving socket (default: 64 to 1024)",
	 .kind = DRB_OPTION_OTHER, AT(buffer_bytes), .parse = parse_buffer},
	{"--records", "FILE", "Write the fate of each packet as CSV", .kind = DRB_OPTION_TEXT,
	 AT(records)},
	{"--hgrm", "FILE",
	 "Write percentiles of the latencies in us, as HdrHistogram's tools read them",
	 .kind = DRB_OPTION_TEXT, AT(hgrm)},
	{"--links", "FILE",
	 "Write a CSV line for each link, the busiest first: packets, use, queue, drops, and the "
	 "share of its rate that it reached",
	 .kind = DRB_OPTION_TEXT, AT(links)},
	{NULL, "DIR\nFILE...", NULL, .kind = DRB_OPTION_REST, AT(captures)},
	{0},
};

static const struct drb_option written[] = {
	{"--slot", "TIME", "Replay with slots of this length", .kind = DRB_OPTION_TIME, AT(slot_ns),
	 1, MANIFEST_SLOT_NS_MAX},
	{"--warmup", "SLOTS", "Leave the first slots out of latencies", .kind = DRB_OPTION_U64,
	 AT(warmup), 0, UINT32_MAX},
	{"--stats", "SLOTS",
	 "Measure latencies over so many slots: after --warmup, or else the last slots",
	 .kind = DRB_OPTION_U64, AT(stats), 1, UINT32_MAX},
	{"--hosts", "FROM-TO",
	 "With a fabric over several machines: only these hosts are on this machine; start the "
	 "others elsewhere with the same --begin",
	 .kind = DRB_OPTION_OTHER, .parse = parse_hosts},
	{"--begin", "SECONDS", "Begin at this time, in seconds since 1970",
	 .kind = DRB_OPTION_OTHER, AT(begin_ns), .parse = parse_begin},
	{"--sink", "xdp|pcap",
	 "Count arrivals in the kernel (xdp), or capture them (default: xdp if the kernel allows "
	 "it)",
	 .kind = DRB_OPTION_WORD, AT(sink)},
	{0},
};

static const struct drb_option captures[] = {
	{"--multiplier", "X", "Send X times as fast as captured", .kind = DRB_OPTION_OTHER, 0, 1e-6,
	 1e6, parse_pace},
	{"--pps", "RATE", "Send RATE packets/s, all hosts together", .kind = DRB_OPTION_OTHER, 0,
	 1e-3, 1e9, parse_pace},
	{"--load", "RHO",
	 "Choose the speed so that the busiest link of a host is used to this share of its rate",
	 .kind = DRB_OPTION_OTHER, 0, 1e-6, 1e3, parse_pace},
	{"--topspeed", NULL, "Send as fast as possible", .kind = DRB_OPTION_OTHER,
	 .parse = parse_pace},
	{"--loop", "COUNT", "Send the captures COUNT times; 0: for ever (default 1)",
	 .kind = DRB_OPTION_U64, AT(schedule.loops), 0, UINT32_MAX},
	{"--max-gap", "TIME", "Shorten longer pauses of a capture to TIME", .kind = DRB_OPTION_TIME,
	 AT(max_gap_ns), 1},
	{"--flow-records", "FILE", "Write the fate of each flow as CSV", .kind = DRB_OPTION_TEXT,
	 AT(flow_records)},
	{"--seed", "NUMBER", "Seed of the mapping of addresses onto hosts (default 1)",
	 .kind = DRB_OPTION_U64, AT(seed)},
	{"--map", "FILE", "Map addresses to hosts, one a line: 192.168.1.7 h4, or 10.1.0.0/16 h5",
	 .kind = DRB_OPTION_TEXT, AT(map)},
	{"--to-stack", NULL,
	 "Also pass the packets to the network stacks of the hosts, which then reply",
	 .kind = DRB_OPTION_FLAG, AT(to_stack)},
	{"--mac", "XX:XX", "First two bytes of hosts' MACs (default: those of the fabric)",
	 .kind = DRB_OPTION_TEXT, AT(mac)},
	{"--ipv4", "NET/LEN", "IPv4 network of the hosts (default: that of the fabric)",
	 .kind = DRB_OPTION_TEXT, AT(ipv4)},
	{"--ipv6", "NET/LEN", "IPv6 network of the hosts (default: that of the fabric)",
	 .kind = DRB_OPTION_TEXT, AT(ipv6)},
	{0},
};

FILE *replay_file(const char *path)
{
	return path ? drb_file_write(path) : NULL;
}

// Number of files that are standard output.
static uint32_t standard_files(const struct replay_options *o)
{
	const char *const paths[] = {o->records, o->hgrm, o->links, o->flow_records};
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		count += paths[i] && strcmp(paths[i], "-") == 0;
	return count;
}

FILE *replay_report_file(const struct replay_options *o)
{
	return standard_files(o) ? stderr : stdout;
}

static void check_files(const struct replay_options *o)
{
	if (standard_files(o) > 1)
		drb_die("only one of --records, --hgrm, --links and --flow-records can be "
			"standard output");
}

static void complete(void *options)
{
	const struct replay_options *o = options;

	if (o->captures.count == 0)
		drb_die("nothing to replay: give a directory of drbgen write, or capture files");
	check_files(o);
	if (o->part && o->begin_ns == REPLAY_ABSENT)
		drb_die("--hosts: the other hosts must begin at the same time: give --begin");
	if (o->max_gap_ns && o->schedule.mode != SCHEDULE_TIMES)
		drb_die("--max-gap: --pps and --topspeed send without pauses already");
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
	*o = (struct replay_options){.fabric = DRB_FABRIC_DEFAULT,
				     .drain_ns = 2000000000,
				     .slot_ns = REPLAY_ABSENT,
				     .warmup = REPLAY_ABSENT,
				     .begin_ns = REPLAY_ABSENT,
				     .stats = REPLAY_ABSENT,
				     .sink = REPLAY_SINK_AUTO,
				     .schedule = {.multiplier = 1, .loops = 1},
				     .seed = 1};

	const struct drb_options sets[] = {{.option = any, o, complete},
					   {.option = written,
					    o,
					    .heading = "For a directory of drbgen write:",
					    .given = &o->measured_option},
					   {.option = captures,
					    o,
					    .heading = "For any Ethernet captures:",
					    .given = &o->foreign_option},
					   {.option = drb_format_options, &o->format},
					   {0}};
	drb_options_parse(
		sets,
		"Sends the captures of DIR, or any FILEs, from the hosts of a running fabric and "
		"reports what arrived. A FILE may be compressed by gzip. - is standard input, or "
		"standard output for files that are written; the report is then on standard "
		"error.\v"
		"Latencies count from the slot in which a packet is generated. Every link, also "
		"that of the host, takes one slot. In captures, addresses of the fabric keep "
		"their hosts; other addresses get a host from --map or by hash. Several files "
		"are merged by time stamp. Network stacks of the hosts do not receive these "
		"packets; packet sockets (tcpdump) do. In the report, \"others\" are packets "
		"that reached a host without being replayed to it. Exit status 0: every packet "
		"arrived once at the right host; 1: not; 2: bad usage or input.",
		argc, argv);
}
