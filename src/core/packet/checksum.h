// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The internet checksum (RFC 1071) and its incremental update (RFC 1624, equation 3).
// Pure. Fields are read and written as big-endian bytes, values are in host byte order.

#include <stddef.h>
#include <stdint.h>

#include "core/packet/bytes.h"

static inline uint16_t drb_checksum_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

// One's complement sum of size bytes, an odd last byte padded with 0. It is not folded, so that
// sums can be added.
static inline uint64_t drb_checksum_sum(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;

	for (; size >= 2; size -= 2, data += 2)
		sum += drb_load16(data);
	return size ? sum + ((uint64_t)data[0] << 8) : sum;
}

static inline uint16_t drb_checksum(const uint8_t *data, size_t size)
{
	return (uint16_t)~drb_checksum_fold(drb_checksum_sum(data, size));
}

// The checksum after size bytes (even) that it covers changed from `before` to `after`.
static inline uint16_t drb_checksum_update(uint16_t check, const uint8_t *before,
					   const uint8_t *after, size_t size)
{
	uint64_t sum = (uint16_t)~check + drb_checksum_sum(after, size);

	for (size_t i = 0; i < size; i += 2)
		sum += (uint16_t)~drb_load16(before + i);
	return (uint16_t)~drb_checksum_fold(sum);
}
