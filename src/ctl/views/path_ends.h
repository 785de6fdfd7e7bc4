// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parses "FROM TO [FLOW]" of a command line, and the options about addresses that belong to it.

#include <netinet/in.h>

#include "common/cli/options.h"
#include "common/telemetry/switch_reader.h"

#include "ctl/views/path_flow.h"

struct path_ends {
	struct drb_rest words;   // arguments as given
	const char *host[2];     // names: from, to
	const char *ipv4, *ipv6; // networks of the hosts; NULL: those of the fabric
	struct path_flow flow;
	// Set by path_ends_resolve().
	uint32_t from, to;
	struct drb_addr_plan plan;
};

// Options for a struct path_ends; use PATH_ENDS_SET() as a set of drb_options_parse().
extern const struct drb_option path_ends_options[];
void path_ends_complete(void *ends);
// clang-format off
#define PATH_ENDS_SET(ends) {.option = path_ends_options, ends, path_ends_complete}
// clang-format on

// Finds the labels and addresses of the hosts by the report of a switch of their fabric. Exits if
// the fabric does not have them.
void path_ends_resolve(struct path_ends *e, const struct drb_switch_info *info);

// The address of a host, as text.
void path_ends_address(const struct path_ends *e, uint32_t host, bool ipv6,
		       char text[INET6_ADDRSTRLEN]);
// The argument that a user adds for the same flow over IPv6.
const char *path_ends_as_ipv6(const struct path_ends *e);
