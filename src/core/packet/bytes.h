// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers in network byte order at any address. Programs inside the kernel use this header, too.

#include <stdint.h>

#ifdef __bpf__
// These loads need no alignment in the kernel. The compiler does not know that and would load byte
// by byte. Less code matters most here, because it is cold in the cache for every packet.
static inline uint16_t drb_load16(const uint8_t *p)
{
	return __builtin_bswap16(*(const uint16_t *)p);
}

static inline uint32_t drb_load32(const uint8_t *p)
{
	return __builtin_bswap32(*(const uint32_t *)p);
}

static inline uint64_t drb_load64(const uint8_t *p)
{
	return __builtin_bswap64(*(const uint64_t *)p);
}
#else
static inline uint16_t drb_load16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t drb_load32(const uint8_t *p)
{
	return (uint32_t)drb_load16(p) << 16 | drb_load16(p + 2);
}

static inline uint64_t drb_load64(const uint8_t *p)
{
	return (uint64_t)drb_load32(p) << 32 | drb_load32(p + 4);
}
#endif

static inline void drb_store16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void drb_store32(uint8_t *p, uint32_t v)
{
	drb_store16(p, (uint16_t)(v >> 16));
	drb_store16(p + 2, (uint16_t)v);
}

static inline void drb_store64(uint8_t *p, uint64_t v)
{
	drb_store32(p, (uint32_t)(v >> 32));
	drb_store32(p + 4, (uint32_t)v);
}
