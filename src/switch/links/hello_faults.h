// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Faults of a link or a neighbour that hellos reveal, other than a wrong position: logged once for each port,
// with the cure, and shown as trouble while they last.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/links/hello.h"

// X(key, what it is, what to do). First those of a link, then those of a neighbour, DRB_HELLO_FAULT_KEY and beyond.
// clang-format off
#define DRB_HELLO_FAULTS(X)                                                                        \
	X(LOOP, "hellos of this switch come back", "see whether its cable loops back")              \
	X(STALE, "hellos come that are old or not the neighbour's", "see who else is on this link") \
	X(KEY, "has another fabric.hello_key", "give both the same key file")                      \
	X(MAC, "has another fabric.mac", "give both the same")                                     \
	X(IPV4, "has another fabric.ipv4", "give both the same")                                   \
	X(IPV6, "has another fabric.ipv6", "give both the same")                                   \
	X(FABRIC_MTU, "has another fabric.mtu", "give both the same")                              \
	X(MTU, "has another MTU", "ip link set dev INTERFACE mtu N at both ends, N at least fabric.mtu")  \
	X(TWICE, "is there twice", "stop one of the two switches with this name")                  \
	X(SELF, "has the name of this switch", "give one of the two another label")
// clang-format on

enum drb_hello_fault {
#define X(key, what, cure) DRB_HELLO_FAULT_##key,
	DRB_HELLO_FAULTS(X)
#undef X
		DRB_HELLO_FAULT_COUNT
};

// How long after the last such hello it is still trouble.
#define DRB_HELLO_FAULT_NS UINT64_C(10000000000)

struct drb_hello_faults {
	uint64_t seen_ns[DRB_HELLO_FAULT_COUNT]; // 0: never
};

// A fault, told by a hello: said if it was none just before.
void drb_hello_fault_note(struct drb_hello_faults *f, const char *port, enum drb_hello_fault fault,
			  const struct drb_hello *hello, uint64_t now_ns);
// Notes in what a neighbour's hello differs from *ours, which we send to it.
void drb_hello_faults_compare(struct drb_hello_faults *f, const char *port,
			      const struct drb_hello *ours, const struct drb_hello *theirs,
			      uint64_t now_ns);
// The faults now, a bit each.
uint32_t drb_hello_faults_now(const struct drb_hello_faults *f, uint64_t now_ns);
// "s2-0.d0 has another MTU"; several are joined by commas.
void drb_hello_faults_text(uint32_t faults, const char *neighbour, char *text, size_t size);
// What a hello says of a fabric's addresses.
void drb_hello_set_prefixes(struct drb_hello *hello, const struct drb_addr_plan *addr);
