// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// "FROM TO [FLOW]" on a command line, and the options about addresses that go with it.

#include <netinet/in.h>

#include "common/cli/options.h"
#include "core/fabric/tree.h"

#include "ctl/views/path_flow.h"

struct path_ends {
	struct drb_rest words;   // as given
	const char *host[2];     // of them: from, to
	const char *ipv4, *ipv6; // networks of the hosts; NULL: the default
	struct path_flow flow;
	// By path_ends_resolve().
	uint32_t from, to;
	struct drb_addr_plan plan;
};

// A set for a struct path_ends.
extern const struct drb_option path_ends_options[];
void path_ends_complete(void *ends);
// clang-format off
#define PATH_ENDS_SET(ends) {.option = path_ends_options, ends, path_ends_complete}
// clang-format on

// The hosts and their addresses, once it is known how many there are; exits if they are none.
void path_ends_resolve(struct path_ends *e, const struct drb_tree *tree);

// Address of a host of the plan, as text.
void path_ends_address(const struct path_ends *e, uint32_t host, bool ipv6,
		       char text[INET6_ADDRSTRLEN]);
// What a user gives for the same flow of IPv6.
const char *path_ends_as_ipv6(const struct path_ends *e);
