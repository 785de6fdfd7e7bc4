// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Maps the addresses of a foreign capture onto hosts: those with a host of their own keep it, others
// get one by a seeded hash, the same address always the same host, and two addresses that talk to
// each other different hosts. Pure but for memory.
//
// First every pair is announced, then hosts are given out in the order of first appearance: the
// first host from the address's hash on that no conversation partner has yet. Only an address that
// talks to as many others as there are hosts can be left with a partner on its own host.

#include <stdint.h>

#include "gen/captures/host_rules.h"
#include "gen/frames/ip_frame.h"

struct addrmap;

// hosts >= 2. NULL if memory is out.
struct addrmap *addrmap_new(uint32_t hosts, uint64_t seed);
void addrmap_free(struct addrmap *m);

// Announces a packet between two addresses. 0 or -ENOMEM.
int addrmap_add(struct addrmap *m, const struct ipframe_address *a,
		const struct ipframe_address *b);
// Gives announced addresses the hosts that the rules name. Before addrmap_solve().
void addrmap_keep(struct addrmap *m, const struct host_rules *rules);
// Gives out hosts: call after the last addrmap_add(). 0 or -ENOMEM.
int addrmap_solve(struct addrmap *m);
// The host of an announced address.
uint32_t addrmap_host(const struct addrmap *m, const struct ipframe_address *a);
// The i-th address that was given a host by its hash; NULL: there are no more.
const struct ipframe_address *addrmap_hashed(const struct addrmap *m, uint32_t i, uint32_t *host);
