// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/capture_inside.h"

#include "core/fabric/names.h"

#define BLOCK_BYTES_MAX (1U << 24)

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_OLD_PACKET = 2,
	BLOCK_SIMPLE_PACKET = 3,
	BLOCK_PACKET = 6,
	BYTE_ORDER_MARK = 0x1a2b3c4d,
};
enum {
	OPTION_COMMENT = 1,
	OPTION_FLAGS = 2,      // option of packets
	OPTION_NAME = 2,       // option of interfaces, like the next two
	OPTION_RESOLUTION = 9, // resolution of time stamps
	OPTION_FCS = 13,
	OPTION_OFFSET = 14,
};

enum { FLAGS_DIRECTION = 3, FLAGS_FCS = 15 << 5 };

// The option with this code; NULL: there is none.
static const uint8_t *option(const struct capture *c, const uint8_t *at, const uint8_t *end,
			     uint16_t code, uint16_t *length)
{
	while (end - at >= 4) {
		uint16_t found = get16(c, at);
		*length = get16(c, at + 2);
		at += 4;
		if (found == 0 || *length > end - at)
			return NULL;
		if (found == code)
			return at;
		if ((*length + 3) / 4 * 4 > end - at)
			return NULL;
		at += (*length + 3) / 4 * 4;
	}
	return NULL;
}

// True for names such as "s1-0.u1", which drbctl capture gives to interfaces.
static bool is_switch_port(const uint8_t *text, uint16_t length)
{
	char name[DRB_END_NAME_MAX];
	uint32_t layer, number;
	bool up;

	if (!text || length >= sizeof(name))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	char *dot = strchr(name, '.');
	if (!dot)
		return false;
	*dot = '\0';
	return drb_node_parse(name, &layer, &number) == 0 && layer > 0 &&
	       drb_port_parse(dot + 1, &up, &number) == 0;
}

static enum capture_result read_interface(struct capture *c, uint32_t size)
{
	const uint8_t *end = c->body + size, *at = c->body + 8;
	uint16_t length;

	if (size < 8)
		return capture_damaged(c);
	struct interface *i = capture_add_interface(c, get16(c, c->body));
	if (!i)
		return c->result;
	const uint8_t *name = option(c, at, end, OPTION_NAME, &length);
	i->at_switch = is_switch_port(name, length);
	const uint8_t *resolution = option(c, at, end, OPTION_RESOLUTION, &length);
	if (resolution && length >= 1) {
		uint32_t power = *resolution & 0x7f;
		if (power > (*resolution & 0x80 ? 63 : 19))
			return capture_damaged(c);
		i->units = 1;
		while (power-- > 0)
			i->units *= *resolution & 0x80 ? 2 : 10;
	}
	const uint8_t *fcs = option(c, at, end, OPTION_FCS, &length);
	i->fcs = fcs && length >= 1 && *fcs > 0;
	const uint8_t *offset = option(c, at, end, OPTION_OFFSET, &length);
	if (offset && length >= 8) {
		uint64_t value;
		memcpy(&value, offset, sizeof(value));
		i->offset = (int64_t)(c->swapped ? bswap_64(value) : value);
	}
	return CAPTURE_RECORD;
}

static enum capture_result read_packet(struct capture *c, uint32_t size, struct capture_record *r)
{
	static const char dropped[] = "dropped: "; // see src/ctl/capture
	uint16_t length;

	if (size < 20)
		return capture_damaged(c);
	uint32_t number = c->first + get32(c, c->body);
	r->captured = get32(c, c->body + 12);
	r->size = get32(c, c->body + 16);
	r->data = c->body + 20;
	if (number < c->first || number >= c->count || r->captured > size - 20 ||
	    r->captured > FRAME_BYTES_MAX)
		return capture_damaged(c);
	const struct interface *i = &c->interfaces[number];
	enum capture_result result = capture_set_time(
		c, i, (uint64_t)get32(c, c->body + 4) << 32 | get32(c, c->body + 8));
	if (result != CAPTURE_RECORD)
		return result;
	uint32_t padded = (r->captured + 3) / 4 * 4;
	const uint8_t *at = r->data + (padded < size - 20 ? padded : size - 20);
	const uint8_t *flags = option(c, at, c->body + size, OPTION_FLAGS, &length);
	uint32_t bits = flags && length >= 4 ? get32(c, flags) : 0;
	r->place = number << 3 | (bits & FLAGS_DIRECTION);
	r->fcs = i->fcs || (bits & FLAGS_FCS);
	const uint8_t *comment = option(c, at, c->body + size, OPTION_COMMENT, &length);
	if (i->at_switch && comment && length >= sizeof(dropped) - 1 &&
	    memcmp(comment, dropped, sizeof(dropped) - 1) == 0)
		r->place |= 4;
	return capture_give(c, i, r);
}

// Reads the next block into c->body, without the lengths at its ends.
static enum capture_result take_block(struct capture *c, uint32_t *type, uint32_t *size)
{
	const uint8_t *head = c->head;
	enum capture_result result = capture_take(c, c->head + c->begun, BLOCK_HEADER - c->begun);

	c->begun = 0;
	if (result != CAPTURE_RECORD)
		return result;
	memcpy(type, head, sizeof(*type)); // the type of a section is the same in both byte orders
	if (*type == BLOCK_SECTION) {
		uint32_t mark;
		memcpy(&mark, head + 8, sizeof(mark));
		if (mark != BYTE_ORDER_MARK && mark != bswap_32(BYTE_ORDER_MARK))
			return capture_damaged(c);
		c->swapped = mark != BYTE_ORDER_MARK;
		c->first = c->count;
	}
	*type = get32(c, head);
	uint32_t length = get32(c, head + 4);
	if (length < BLOCK_HEADER || length > BLOCK_BYTES_MAX || length % 4)
		return capture_damaged(c);
	*size = length - BLOCK_HEADER;
	// The head already holds the first 4 bytes of the body. The length is repeated after the
	// body.
	result = capture_take_body(c, 4, *size);
	if (result == CAPTURE_RECORD)
		memcpy(c->body, head + 8, 4);
	return result;
}

enum capture_result capture_next_in_blocks(struct capture *c, struct capture_record *r)
{
	enum capture_result result;
	uint32_t type = 0, size = 0;

	while ((result = take_block(c, &type, &size)) == CAPTURE_RECORD) {
		if (type == BLOCK_PACKET)
			return read_packet(c, size, r);
		if (type == BLOCK_OLD_PACKET || type == BLOCK_SIMPLE_PACKET)
			return capture_stop(c, CAPTURE_REFUSED,
					    "packet %u has an obsolete form: editcap -F pcap "
					    "FILE NEW",
					    c->number + 1);
		if (type == BLOCK_INTERFACE)
			result = read_interface(c, size);
		if (result != CAPTURE_RECORD)
			break;
	}
	return result;
}
