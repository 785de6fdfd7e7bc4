// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Keeps replayed packets from the network stacks of hosts. The stacks do not know the
// conversations, and would answer with resets and errors. A table of nf_tables at the ingress of
// the host's interface drops the flows of the capture, after packet sockets have seen them. The
// kernel removes the table when its owner's socket is closed, however the process ends.

#include <stdint.h>

#include "core/fabric/addresses.h"
#include "gen/captures/trace.h"

struct silence;

// Learns the flows of a trace whose packets are addressed to hosts of the plan. NULL: out of
// memory.
struct silence *silence_new(const struct trace *t, const struct drb_addr_plan *plan);
void silence_free(struct silence *s);

// Called in the network namespace of the host. Until the returned descriptor is closed, the host's
// stack gets none of the flows. Negative errno without a message: -EPERM, or the error of a kernel
// older than Linux 5.12 or without nf_tables. Only one thread at a time may call it.
int silence_host(struct silence *s, uint32_t host, const char *interface);
