// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What an interface leaves to its device.

#include <stdbool.h>

// True for a veth that leaves nothing to its other end: what it carries is whole frames with
// complete checksums, whatever the kernel was given to send, and without a queue on the way.
// Neither is anything asked for that is off only at present, as under an XDP program.
bool drb_offload_none(const char *interface);
