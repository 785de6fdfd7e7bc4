// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads the offloads and the MTU of an interface.

#include <stdbool.h>
#include <stdint.h>

// Returns the bytes of the longest frame that a veth carries, if its offloads are off. Its other
// end then receives single frames with complete checksums, even if the kernel was given GSO packets
// to send. Returns 0 for other interfaces, and if an offload is on, or is off only because of an
// XDP program.
uint32_t drb_veth_max_plain_frame(const char *interface);

bool drb_is_veth(const char *interface);
// True if the interface is a veth that passes GSO packets on whole: TCP segmentation is on.
bool drb_veth_takes_gso(const char *interface);
// Returns the bytes of the longest frame that an interface carries; 0 if there is no such
// interface.
uint32_t drb_interface_max_frame(const char *interface);
