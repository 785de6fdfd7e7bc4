// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Faults of a link or a neighbour that hellos reveal, other than a wrong position. They are logged
// once for each port, with the cure, and shown as trouble while they last.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "core/fabric/addresses.h"
#include "core/links/hello.h"

// X(key, what it is, what to do). Faults of a link come first, then those of a neighbour, from
// DRB_HELLO_FAULT_KEY on.
// clang-format off
#define DRB_HELLO_FAULTS(X)                                                                        \
	X(LOOP, "hellos of this switch come back", "see whether its cable loops back")              \
	X(STALE, "hellos come that are old or not the neighbour's", "see who else is on this link") \
	X(KEY, "has another fabric.hello_key", "give both the same key file")                      \
	X(FABRIC, "has another fabric.name, layers, arity or uplinks", "give both the same")       \
	X(MAC, "has another fabric.mac", "give both the same")                                     \
	X(IPV4, "has another fabric.ipv4", "give both the same")                                   \
	X(IPV6, "has another fabric.ipv6", "give both the same")                                   \
	X(FABRIC_MTU, "has another fabric.mtu", "give both the same")                              \
	X(MTU, "has another MTU", "ip link set dev INTERFACE mtu N at both ends, N at least fabric.mtu")  \
	X(TWICE, "is there twice", "stop one of the two, or give it another switch.label")         \
	X(SELF, "has the name of this switch", "give one of the two another label")                \
	X(VERSION, "sends hellos of another version", "run the same release at both")
// clang-format on

enum drb_hello_fault {
#define X(key, what, cure) DRB_HELLO_FAULT_##key,
	DRB_HELLO_FAULTS(X)
#undef X
		DRB_HELLO_FAULT_COUNT
};

// A fault is shown until a hello without the fault comes, or until this number of nanoseconds after
// the last hello with it. It is shown for longer if hellos are rare.
#define DRB_HELLO_FAULT_NS UINT64_C(1500000000)
// A fault is logged again if no hello has shown it for this number of nanoseconds.
#define DRB_HELLO_FAULT_LOG_NS UINT64_C(10000000000)

struct drb_hello_faults {
	uint64_t seen_ns[DRB_HELLO_FAULT_COUNT];  // 0: never
	uint64_t until_ns[DRB_HELLO_FAULT_COUNT]; // shown until then
};

// Notes a fault that a hello revealed, and logs it if it was not present just before.
void drb_hello_fault_note(struct drb_hello_faults *f, const char *port, enum drb_hello_fault fault,
			  const struct drb_hello *hello, uint64_t now_ns);
// The same for a hello of another version, which cannot be read.
void drb_hello_fault_version(struct drb_hello_faults *f, const struct drb_port_setup *port,
			     uint8_t version, uint64_t now_ns);
// Notes each fault that a neighbour's hello reveals by its difference from *ours, which this switch
// sends to it, and ends the others of this kind.
void drb_hello_faults_compare(struct drb_hello_faults *f, const char *port,
			      const struct drb_hello *ours, const struct drb_hello *theirs,
			      uint64_t now_ns);
// The present faults, one bit each.
uint32_t drb_hello_faults_now(const struct drb_hello_faults *f, uint64_t now_ns);
// Writes faults in words, joined by commas: "s2-0.d0 has another MTU".
void drb_hello_faults_text(uint32_t faults, const char *neighbour, char *text, size_t size);
// Fills in the fields of a hello about the addresses of its fabric.
void drb_hello_set_prefixes(struct drb_hello *hello, const struct drb_addr_plan *addr);
