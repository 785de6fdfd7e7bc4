// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The host of each address of a capture: from a file, or from the fabric's own addresses, which
// keep their hosts.
//
// The file has a line for each rule, "ADDRESS HOST" or "ADDRESS/LENGTH HOST"; # begins a comment:
//   192.168.1.7     h4
//   2001:db8::/32   h5     the longest matching network counts

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "gen/frames/ip_frame.h"

struct host_rule {
	struct ipframe_address network;
	uint32_t length; // bits of it that count
	uint32_t host;
	unsigned line; // its number in the file
	bool used;     // for an address, by host_rules_host()
};

struct host_rules {
	struct drb_addr_plan plan;
	struct host_rule *rule; // owned
	uint32_t count;
};

// Appends the rules of a file. 0, or -EINVAL after a message that names file and line.
int host_rules_load(struct host_rules *rules, const char *path);
// Called when all addresses are known. Warns of rules without effect, and names the first line.
void host_rules_warn_unused(const struct host_rules *rules, const char *path);
void host_rules_free(struct host_rules *rules);

// The host of an address, by the longest network with the address, else by the plan. DRB_NO_LABEL:
// neither names a host.
uint32_t host_rules_host(const struct host_rules *rules, const struct ipframe_address *address);
