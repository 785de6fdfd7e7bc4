// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Keeps the network stacks of hosts from what is replayed to them: they know nothing of the
// conversations, and would answer with resets and errors. A table of nf_tables at the ingress of the
// host's interface drops the flows of the capture, behind the point where packet sockets see them.
// The kernel removes the table when its owner's socket is closed, however the process ends.

#include <stdint.h>

#include "core/fabric/addresses.h"
#include "gen/captures/trace.h"

struct silence;

// Learns the flows of a trace whose packets are addressed to hosts of the plan. NULL if memory is out.
struct silence *silence_new(const struct trace *t, const struct drb_addr_plan *plan);
void silence_free(struct silence *s);

// Called in the network namespace of the host: from now on, until the descriptor that it returns is
// closed, the host's stack gets none of the flows. Negative errno without a message: -EPERM, or what a
// kernel says that is older than Linux 5.12 or has no nf_tables. Not for several threads at once.
int silence_host(struct silence *s, uint32_t host, const char *interface);
