// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The internet checksum (RFC 1071) and its incremental update (RFC 1624, equation 3).
// Pure. Fields are read and written as big-endian bytes, values are in host byte order.

#include <stddef.h>
#include <stdint.h>

#ifdef __bpf__
// The compiler does not know that the kernel's loads need no alignment, and takes bytes one by one;
// less code is what counts where it is cold for every packet.
static inline uint16_t load16(const uint8_t *p)
{
	return __builtin_bswap16(*(const uint16_t *)p);
}

static inline uint32_t load32(const uint8_t *p)
{
	return __builtin_bswap32(*(const uint32_t *)p);
}

static inline uint64_t load64(const uint8_t *p)
{
	return __builtin_bswap64(*(const uint64_t *)p);
}
#else
static inline uint16_t load16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load32(const uint8_t *p)
{
	return (uint32_t)load16(p) << 16 | load16(p + 2);
}

static inline uint64_t load64(const uint8_t *p)
{
	return (uint64_t)load32(p) << 32 | load32(p + 4);
}
#endif

static inline void store16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void store32(uint8_t *p, uint32_t v)
{
	store16(p, (uint16_t)(v >> 16));
	store16(p + 2, (uint16_t)v);
}

static inline void store64(uint8_t *p, uint64_t v)
{
	store32(p, (uint32_t)(v >> 32));
	store32(p + 4, (uint32_t)v);
}

static inline uint16_t checksum_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

// One's complement sum of size bytes, an odd last byte padded with 0; not folded, so that sums add.
static inline uint64_t checksum_sum(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;

	for (; size >= 2; size -= 2, data += 2)
		sum += load16(data);
	return size ? sum + ((uint64_t)data[0] << 8) : sum;
}

static inline uint16_t checksum(const uint8_t *data, size_t size)
{
	return (uint16_t)~checksum_fold(checksum_sum(data, size));
}

// The checksum after `size` covered bytes (even) change from before to after.
static inline uint16_t checksum_update(uint16_t check, const uint8_t *before, const uint8_t *after,
				       size_t size)
{
	uint64_t sum = (uint16_t)~check + checksum_sum(after, size);

	for (size_t i = 0; i < size; i += 2)
		sum += (uint16_t)~load16(before + i);
	return (uint16_t)~checksum_fold(sum);
}
