// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The offloads of an interface.

#include <stdbool.h>
#include <stdint.h>

// Octets of the longest frame that a veth carries, if it leaves nothing to its other end: what
// comes out there is whole frames with complete checksums, whatever the kernel was given to send.
// 0 if it does, or would if no XDP program kept it from it, or is no veth.
uint32_t drb_veth_max_plain_frame(const char *interface);

bool drb_is_veth(const char *interface);
// Octets of the longest frame that an interface carries, 0 if there is none such.
uint32_t drb_interface_max_frame(const char *interface);
