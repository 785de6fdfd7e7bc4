// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/hello.h"

#include <errno.h>
#include <stddef.h>

#include "core/math/random.h"
#include "core/packet/bytes.h"

// The fields as they are in the frame.
struct fields {
#define X(name, octets, member) uint8_t name[octets];
	DRB_HELLO_FIELDS(X)
#undef X
};

#define OUTAGE_LEN 3 // bytes: 18 bits of key, 6 bits of distance

// The bytes before the fields. Outages follow the fields. Zeros pad the frame to its size.
struct head {
	uint8_t destination[6];
	uint8_t source[6]; // 06, layer, label
	uint8_t type[2];
	uint8_t magic[4];
	uint8_t version;
	uint8_t zero;
	uint8_t fields[2]; // length of the fields in bytes; a later version may have more
	uint8_t tag[DRB_HELLO_TAG_LEN];
};

const uint32_t drb_hello_flags_at = sizeof(struct head) + offsetof(struct fields, flags);

_Static_assert(sizeof(struct head) + sizeof(struct fields) + DRB_OUTAGES_MAX * OUTAGE_LEN <=
		       DRB_ETHER_HEADER + DRB_MTU_MIN,
	       "a hello fits into any link of a fabric");
_Static_assert(DRB_OUTAGE_ITEMS_MAX << 2 <= 1 << 18 && DRB_OUTAGE_DISTANCE_MAX < 1 << 6,
	       "an outage fits");

static const struct head start = {
	.destination = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e}, // group address
	.source = {0x06},
	.type = {DRB_ETHERTYPE_HELLO >> 8, DRB_ETHERTYPE_HELLO & 0xff},
	.magic = {'d', 'r', 'b', 'h'},
	.version = DRB_HELLO_VERSION,
	.fields = {sizeof(struct fields) >> 8, sizeof(struct fields) & 0xff},
};

static void field_put(uint8_t *at, uint32_t octets, uint64_t value)
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

uint64_t drb_hello_fabric(const char *name, const struct drb_tree *t)
{
	uint64_t hash = drb_mix64((uint64_t)t->layers << 32 | t->arity);

	if (t->uplinks != t->arity) // with u = d as in version 0.1.0
		hash = drb_mix64(hash ^ t->uplinks);

	for (; *name; name++)
		hash = drb_mix64(hash ^ (uint8_t)*name);
	return hash;
}

static void put_outages(uint8_t *at, const struct drb_outages *o)
{
	for (uint32_t i = 0; i < o->count; i++, at += OUTAGE_LEN)
		field_put(at, OUTAGE_LEN, o->key[i] << 6 | o->distance[i]);
}

// False if the keys do not rise.
static bool get_outages(const uint8_t *at, struct drb_outages *o)
{
	bool rise = true;

	for (uint32_t i = 0; i < o->count; i++, at += OUTAGE_LEN) {
		const uint32_t octets = (uint32_t)get(at, OUTAGE_LEN);
		o->key[i] = octets >> 6;
		o->distance[i] = octets & 63;
		rise = rise && (i == 0 || o->key[i] > o->key[i - 1]);
	}
	return rise;
}

uint32_t drb_hello_encode(const struct drb_hello *hello, uint8_t frame[DRB_HELLO_LEN_MAX])
{
	struct head *head = (struct head *)frame;
	struct fields *fields = (struct fields *)(head + 1);
	uint32_t size = sizeof(*head) + sizeof(*fields) + hello->outages.count * OUTAGE_LEN;

	size = hello->size > size ? hello->size : size;
	size = size < DRB_HELLO_LEN_MAX ? size : DRB_HELLO_LEN_MAX;
	memset(frame, 0, size);
	*head = start;
	field_put(head->source + 1, 1, hello->from.layer);
	field_put(head->source + 2, 4, hello->from.label);
	memcpy(head->tag, hello->tag, sizeof(head->tag));
#define X(name, octets, member) field_put(fields->name, octets, hello->member);
	DRB_HELLO_FIELDS(X)
#undef X
	field_put(fields->size, sizeof(fields->size), size);
	put_outages((uint8_t *)(fields + 1), &hello->outages);
	return size;
}

uint32_t drb_hello_content(const uint8_t *frame)
{
	const struct head *head = (const struct head *)frame;
	const struct fields *fields = (const struct fields *)(head + 1);

	return (uint32_t)(sizeof(*head) + get(head->fields, sizeof(head->fields)) +
			  get(fields->outages, sizeof(fields->outages)) * OUTAGE_LEN);
}

static bool is_of_another_version(const struct head *head)
{
	return memcmp(head->magic, start.magic, sizeof(head->magic)) == 0 &&
	       head->version != start.version;
}

static bool is_in_range(const struct drb_hello *hello, uint32_t len)
{
	return hello->from.layer >= 1 && hello->from.layer <= DRB_LAYERS_MAX &&
	       hello->from.label < DRB_HOSTS_MAX && hello->from.port < 2 * DRB_ARITY_MAX &&
	       hello->period_ms >= 1 && hello->period_ms <= DRB_HELLO_PERIOD_MAX_MS &&
	       hello->serial.instance > 0 && hello->size <= len && hello->size <= DRB_HELLO_LEN_MAX;
}

uint8_t drb_hello_version(const uint8_t *frame)
{
	return ((const struct head *)frame)->version;
}

int drb_hello_decode(const uint8_t *frame, uint32_t len, struct drb_hello *hello)
{
	const struct head *head = (const struct head *)frame;
	const struct fields *fields = (const struct fields *)(head + 1);
	uint8_t again[DRB_HELLO_LEN_MAX];

	memset(hello, 0, offsetof(struct drb_hello, outages));
	hello->outages.count = hello->outages.more = 0;
	if (len >= sizeof(*head) && is_of_another_version(head))
		return -EPROTO;
	if (len < sizeof(*head) + sizeof(*fields))
		return -EINVAL;
	const uint64_t octets = get(head->fields, sizeof(head->fields));
	memcpy(hello->tag, head->tag, sizeof(head->tag));
#define X(name, octets, member) hello->member = get(fields->name, octets);
	DRB_HELLO_FIELDS(X)
#undef X
	if (!is_in_range(hello, len) || octets < sizeof(*fields) || octets > DRB_HELLO_FIELDS_MAX ||
	    hello->outages.count > DRB_OUTAGES_MAX || drb_hello_content(frame) > hello->size ||
	    !get_outages(frame + sizeof(*head) + octets, &hello->outages))
		return -EINVAL;
	uint32_t size = drb_hello_encode(hello, again);
	if (octets > sizeof(*fields)) { // a later version: compare the part that this version knows
		memcpy(again + offsetof(struct head, fields), head->fields, sizeof(head->fields));
		size = sizeof(*head) + sizeof(*fields);
	}
	return memcmp(frame, again, size) == 0 ? 0 : -EINVAL;
}
