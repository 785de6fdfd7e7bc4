// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Maps the addresses of a foreign capture onto hosts: by a seeded hash, the same address always to
// the same host, and two addresses that talk to each other to different hosts. Pure but for memory.
//
// First every pair is announced, then hosts are given out in the order of first appearance: the
// first host from the address's hash on that no conversation partner has yet. Only an address that
// talks to as many others as there are hosts can be left with a partner on its own host.

#include <stdint.h>

#include "gen/frames/ip_frame.h"

struct addrmap;

// hosts >= 2. NULL if memory is out.
struct addrmap *addrmap_new(uint32_t hosts, uint64_t seed);
void addrmap_free(struct addrmap *m);

// Announces a packet between two addresses. 0 or -ENOMEM.
int addrmap_add(struct addrmap *m, const struct ipframe_address *a,
		const struct ipframe_address *b);
// Gives out hosts: call after the last addrmap_add(). 0 or -ENOMEM.
int addrmap_solve(struct addrmap *m);
// The host of an announced address.
uint32_t addrmap_host(const struct addrmap *m, const struct ipframe_address *a);
