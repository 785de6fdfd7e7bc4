// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Maps the addresses of a foreign capture onto hosts. If rules give a host to an address, it has
// this host. Others get a host by a seeded hash. Each has a host of its own while there are enough.
// Then each host stands for as few addresses as possible. Two addresses that exchange packets get
// different hosts. Otherwise hot links would come from the mapping and not from the capture. Pure,
// apart from memory.
//
// All pairs are announced first. Then hosts are assigned in the order of first appearance. An
// address gets a host that none of its partners has. Among these, it gets one with the fewest
// addresses, the first such host from its hash on. Only an address with as many partners as there
// are hosts can share its host with a partner.

#include <stdint.h>

#include "gen/captures/host_rules.h"
#include "gen/frames/ip_frame.h"

struct addrmap;

// hosts >= 2. NULL: out of memory.
struct addrmap *addrmap_new(uint32_t hosts, uint64_t seed);
void addrmap_free(struct addrmap *m);

// Announces a packet between two addresses. 0 or -ENOMEM.
int addrmap_add(struct addrmap *m, const struct ipframe_address *a,
		const struct ipframe_address *b);
// Assigns the hosts that the rules name to announced addresses. Call it before addrmap_solve().
void addrmap_keep(struct addrmap *m, const struct host_rules *rules);
// Assigns all other hosts. Call it after the last addrmap_add(). 0 or -ENOMEM.
int addrmap_solve(struct addrmap *m);
// The host of an announced address.
uint32_t addrmap_host(const struct addrmap *m, const struct ipframe_address *a);
// The number of addresses that share a host with another one.
uint32_t addrmap_shared(const struct addrmap *m);
// The i-th address with a host by its hash; NULL: there are no more.
const struct ipframe_address *addrmap_hashed(const struct addrmap *m, uint32_t i, uint32_t *host);
