// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of drbgen replay.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cli/options.h"
#include "common/cli/table.h"
#include "gen/replay/schedule.h"

enum replay_sink { REPLAY_SINK_XDP, REPLAY_SINK_PCAP, REPLAY_SINK_AUTO };

struct replay_options {
	struct drb_rest captures; // paths of a directory of drbgen write, or of capture files
	const char *fabric;
	enum drb_format format;
	uint64_t drain_ns;
	uint32_t buffer_bytes; // per receiving socket; 0: by the number of hosts
	const char *records, *hgrm, *links, *flow_records; // files to write; NULL: none

	// Only for traffic of drbgen write. UINT64_MAX: not given.
	uint64_t slot_ns; // replaces the one in the manifest
	uint64_t warmup, stats;
	enum replay_sink sink;
	bool part; // hosts outside [first_host, end_host) are on other machines
	uint32_t first_host, end_host;
	uint64_t begin_ns;           // time of the first slot, CLOCK_REALTIME; REPLAY_ABSENT: soon
	const char *measured_option; // the first of these options that was given; NULL: none was

	// Only for foreign captures.
	struct schedule schedule;
	bool paced;          // one of --multiplier, --pps, --load and --topspeed was given
	double load;         // load of the busiest link of a host; 0: not given
	uint64_t max_gap_ns; // 0: pauses stay as they are
	uint64_t seed;       // for the mapping
	const char *map;     // file of host rules; NULL: none
	const char *mac, *ipv4, *ipv6;
	bool to_stack;              // hosts' own stacks get the packets, too
	const char *foreign_option; // the first of these options that was given; NULL: none was
};

#define REPLAY_ABSENT UINT64_MAX

// Parses the command line. Errors end the program with DRB_EXIT_USAGE.
void replay_options_parse(struct replay_options *o, int argc, char **argv);

// Opens a file of results, or NULL without a path. Exits after a message if the file cannot be
// opened: call it before the run, which an error in a name must not cost.
FILE *replay_file(const char *path);
// Where the report goes: standard output, or standard error if a file of results is the former.
FILE *replay_report_file(const struct replay_options *o);

// Bytes for each of N receiving sockets: enough for packets that arrive while the reader waits for
// a core, but together no more than a small machine can spare.
uint32_t replay_buffer_bytes(const struct replay_options *o, uint32_t hosts);
