// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/hello.h"

#include <errno.h>

#include "core/math/random.h"

// Where the fields stand in the frame; what is between END and DRB_HELLO_LEN is 0.
enum {
	MAGIC = 14,
	VERSION = 18,
	FLAGS = 19,
	LAYER = 20,
	UP = 21,
	PORT = 22,
	LABEL = 24,
	FABRIC = 28,
	PERIOD = 36,
	END = 38,
};

static const uint8_t head[] = {
	0x01,
	0x80,
	0xc2,
	0x00,
	0x00,
	0x0e, // group address
	0x06,
	0,
	0,
	0,
	0,
	0, // source: 06, layer, label
	DRB_ETHERTYPE_HELLO >> 8,
	DRB_ETHERTYPE_HELLO & 0xff,
	'd',
	'r',
	'b',
	'h',
	1, // magic, version
};

static void put(uint8_t *at, uint32_t octets, uint64_t value)
{
	for (uint32_t i = octets; i-- > 0; value >>= 8)
		at[i] = (uint8_t)value;
}

static uint64_t get(const uint8_t *at, uint32_t octets)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < octets; i++)
		value = value << 8 | at[i];
	return value;
}

uint64_t drb_hello_fabric(const char *name, uint32_t layers, uint32_t arity)
{
	uint64_t hash = drb_mix64((uint64_t)layers << 32 | arity);

	for (; *name; name++)
		hash = drb_mix64(hash ^ (uint8_t)*name);
	return hash;
}

void drb_hello_encode(const struct drb_hello *hello, uint8_t frame[DRB_HELLO_LEN])
{
	memset(frame, 0, DRB_HELLO_LEN);
	memcpy(frame, head, sizeof(head));
	put(frame + 7, 1, hello->from.layer);
	put(frame + 8, 4, hello->from.label);
	put(frame + FLAGS, 1, hello->flags);
	put(frame + LAYER, 1, hello->from.layer);
	put(frame + UP, 1, hello->from.up);
	put(frame + PORT, 2, hello->from.port);
	put(frame + LABEL, 4, hello->from.label);
	put(frame + FABRIC, 8, hello->fabric);
	put(frame + PERIOD, 2, hello->period_ms);
}

int drb_hello_decode(const uint8_t *frame, uint32_t len, struct drb_hello *hello)
{
	uint8_t again[DRB_HELLO_LEN];

	if (len < DRB_HELLO_LEN)
		return -EINVAL;
	*hello = (struct drb_hello){
		.from = {.layer = frame[LAYER],
			 .label = (uint32_t)get(frame + LABEL, 4),
			 .port = (uint32_t)get(frame + PORT, 2),
			 .up = frame[UP] == 1},
		.fabric = get(frame + FABRIC, 8),
		.period_ms = (uint32_t)get(frame + PERIOD, 2),
		.flags = frame[FLAGS],
	};
	if (hello->from.layer < 1 || hello->from.layer > DRB_LAYERS_MAX ||
	    hello->from.label >= DRB_HOSTS_MAX || hello->from.port >= 2 * DRB_ARITY_MAX ||
	    (hello->flags & ~DRB_HELLO_FLAGS) || hello->period_ms < 1 ||
	    hello->period_ms > DRB_HELLO_PERIOD_MAX_MS)
		return -EINVAL;
	drb_hello_encode(hello, again);
	return memcmp(frame, again, DRB_HELLO_LEN) == 0 ? 0 : -EINVAL;
}
