// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checksums that a host's kernel left to the device it sends by, of which a veth has none.

#include <stdbool.h>
#include <stdint.h>

// Completes the TCP or UDP checksum of a frame, of which the kernel has only put the sum of the
// pseudo-header in place (CHECKSUM_PARTIAL). Frames may be tagged and are from hosts: any bytes. One
// that is no whole TCP or UDP packet is left as it is. True if there was a checksum to complete.
bool drb_complete_checksum(uint8_t *frame, uint32_t length);
