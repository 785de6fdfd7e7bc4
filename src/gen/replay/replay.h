// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of drbgen replay, and its two kinds of input.

#include <stdbool.h>
#include <stdint.h>

#include "common/cli/table.h"
#include "gen/replay/schedule.h"

enum replay_sink { REPLAY_SINK_AUTO, REPLAY_SINK_XDP, REPLAY_SINK_PCAP };

struct replay_options {
	const char *fabric;
	enum drb_format format;
	uint64_t drain_ns;
	uint32_t buffer_bytes; // of every receiving socket; 0: by the number of hosts

	// Traffic of drbgen write only; absent ones are UINT64_MAX.
	uint64_t slot_ns; // instead of the one it was written with
	uint64_t warmup, stats;
	enum replay_sink sink;

	// Foreign captures only.
	struct schedule schedule;
	uint64_t seed; // of the mapping
	const char *mac, *ipv4, *ipv6;
	bool foreign_given; // one of these options was given
};

#define REPLAY_ABSENT UINT64_MAX

// Bytes for each of N receiving sockets: large enough to hold what arrives while the reader waits
// for a core, all together within what a small machine can spare.
uint32_t replay_buffer_bytes(const struct replay_options *o, uint32_t hosts);

// Return exit codes.
int replay_measured(const struct replay_options *o, const char *dir);
int replay_foreign(const struct replay_options *o, char **paths, uint32_t count);
