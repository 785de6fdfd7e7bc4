// SPDX-License-Identifier: BSD-3-Clause
// Replaces sink_xdp.c in builds without libbpf or clang (meson option `bpf`).

#include "gen/sinks/sink.h"

#include <errno.h>

int sink_xdp_new(const struct sink_xdp_setup *setup, struct sink **sink)
{
	(void)setup;
	(void)sink;
	return -ENOTSUP;
}
