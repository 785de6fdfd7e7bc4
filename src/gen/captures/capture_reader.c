// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/capture_inside.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/cli/file.h"

#define INTERFACES_MAX 65536
// The largest time stamp in seconds, so that differences in ns fit into 64 bits.
#define SECONDS_MAX 4000000000
#define NS INT64_C(1000000000)
#define LINK_ETHERNET 1
// Captures may state another FCS length, in bytes, 16-bit words or bits. Ethernet has only this
// one.
#define ETHER_FCS 4
#define PCAP_MICROSECONDS UINT32_C(0xa1b2c3d4)
#define PCAP_NANOSECONDS UINT32_C(0xa1b23c4d)
#define PCAP_MODIFIED UINT32_C(0xa1b2cd34) // Linux before 2000: longer record headers

// The link type is in the lower 16 bits of its field. Bit 26 says that the four highest bits are
// the length of the FCS.
enum { PCAP_HEADER = 24, PCAP_RECORD = 16, PCAP_LINK = 0xffff, PCAP_FCS = 1 << 26 };

enum capture_result capture_stop(struct capture *c, enum capture_result result, const char *format,
				 ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->wrong, sizeof(c->wrong), format, arguments);
	va_end(arguments);
	c->result = result;
	return result;
}

enum capture_result capture_damaged(struct capture *c)
{
	return capture_stop(c, CAPTURE_CUT, "packet %u is damaged", c->number + 1);
}

enum capture_result capture_take(struct capture *c, void *to, size_t size)
{
	errno = 0;
	size_t got = fread(to, 1, size, c->in);

	if (got == size)
		return CAPTURE_RECORD;
	if (ferror(c->in))
		return capture_stop(c, CAPTURE_CUT, "cannot be read beyond packet %u: %s",
				    c->number, drb_file_error(errno));
	if (got == 0)
		return CAPTURE_END;
	return capture_stop(c, CAPTURE_CUT, "ends in the middle of packet %u", c->number + 1);
}

enum capture_result capture_take_body(struct capture *c, size_t begun, size_t size)
{
	if (!c->body || begun + size > c->room) {
		uint8_t *more = realloc(c->body, begun + size + 1);
		if (!more)
			return capture_stop(c, CAPTURE_REFUSED, "out of memory");
		c->body = more;
		c->room = begun + size;
	}
	enum capture_result result = size ? capture_take(c, c->body + begun, size) : CAPTURE_RECORD;
	return result != CAPTURE_END
		       ? result
		       : capture_stop(c, CAPTURE_CUT, "ends in the middle of packet %u",
				      c->number + 1);
}

struct interface *capture_add_interface(struct capture *c, uint32_t link)
{
	struct interface *more = c->count == INTERFACES_MAX
					 ? NULL
					 : realloc(c->interfaces, (c->count + 1) * sizeof(*more));

	if (!more) {
		capture_stop(c, CAPTURE_REFUSED, "too many interfaces, or out of memory");
		return NULL;
	}
	c->interfaces = more;
	c->interfaces[c->count] = (struct interface){.link = link, .units = 1000000};
	return &c->interfaces[c->count++];
}

enum capture_result capture_set_time(struct capture *c, const struct interface *i, uint64_t units)
{
	__int128 ns = (__int128)units * NS / i->units + (__int128)i->offset * NS;

	if (ns < -SECONDS_MAX * (__int128)NS || ns > SECONDS_MAX * (__int128)NS)
		return capture_stop(
			c, CAPTURE_REFUSED,
			"packet %u: its time stamp is out of range: leave it out (editcap FILE "
			"NEW %u)",
			c->number + 1, c->number + 1);
	c->time_ns = (int64_t)ns;
	return CAPTURE_RECORD;
}

static enum capture_result need_ethernet(struct capture *c, const struct interface *i)
{
	static const struct {
		uint32_t link;
		const char *name;
	} known[] = {{0, "NULL"},        {101, "RAW"},      {105, "IEEE802_11"},
		     {113, "LINUX_SLL"}, {127, "RADIOTAP"}, {276, "LINUX_SLL2"}};
	const char *name = "unknown";

	if (i->link == LINK_ETHERNET)
		return CAPTURE_RECORD;
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		name = known[k].link == i->link ? known[k].name : name;
	return capture_stop(c, CAPTURE_REFUSED,
			    "link type %s (%u): only Ethernet captures (EN10MB) can be replayed: "
			    "capture at one interface (tcpdump -i eth0), not at all of them (any)",
			    name, i->link);
}

enum capture_result capture_give(struct capture *c, const struct interface *i,
				 struct capture_record *r)
{
	enum capture_result result = need_ethernet(c, i);

	if (result != CAPTURE_RECORD)
		return result;
	if (r->size < r->captured)
		r->size = r->captured;
	r->fcs = r->fcs && r->size >= ETHER_FCS;
	if (r->fcs) {
		r->size -= ETHER_FCS;
		r->captured = r->captured < r->size ? r->captured : r->size;
	}
	r->number = ++c->number;
	r->time_ns = c->time_ns;
	r->at_switch = i->at_switch;
	return CAPTURE_RECORD;
}

static bool begins_pcap(uint32_t magic)
{
	return magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS ||
	       bswap_32(magic) == PCAP_MICROSECONDS || bswap_32(magic) == PCAP_NANOSECONDS;
}

static enum capture_result next_in_pcap(struct capture *c, struct capture_record *r)
{
	const struct interface *i = c->interfaces;
	uint8_t head[PCAP_RECORD];
	enum capture_result result = capture_take(c, head, sizeof(head));

	if (result != CAPTURE_RECORD)
		return result;
	uint32_t fraction = get32(c, head + 4);
	r->captured = get32(c, head + 8);
	r->size = get32(c, head + 12);
	if (begins_pcap(get32(c, head)) && c->number > 0)
		return capture_stop(c, CAPTURE_CUT,
				    "another capture begins behind packet %u: join captures "
				    "by mergecap -w NEW FILE FILE",
				    c->number);
	if (r->captured > FRAME_BYTES_MAX || fraction >= i->units)
		return capture_damaged(c);
	result = capture_set_time(c, i, get32(c, head) * i->units + fraction);
	if (result == CAPTURE_RECORD)
		result = capture_take_body(c, 0, r->captured);
	r->data = c->body;
	r->place = 0;
	r->fcs = i->fcs;
	return result == CAPTURE_RECORD ? capture_give(c, i, r) : result;
}

// Reads the head of a pcap file, after its first four bytes.
static enum capture_result read_pcap_head(struct capture *c, bool nanoseconds)
{
	uint8_t head[PCAP_HEADER - 4];
	struct interface *i;

	if (capture_take(c, head, sizeof(head)) != CAPTURE_RECORD)
		return capture_stop(c, CAPTURE_REFUSED, "ends in its header: no capture");
	uint32_t link = get32(c, head + 16);
	i = capture_add_interface(c, link & PCAP_LINK);
	if (!i)
		return c->result;
	i->fcs = (link & PCAP_FCS) && link >> 28;
	i->units = nanoseconds ? 1000000000 : 1000000;
	return need_ethernet(c, i);
}

static enum capture_result read_head(struct capture *c)
{
	enum capture_result result = capture_take(c, c->head, sizeof(uint32_t));
	uint32_t magic, swapped;

	if (result == CAPTURE_CUT && ferror(c->in))
		return capture_stop(c, CAPTURE_REFUSED, "%s", drb_file_error(errno));
	if (result != CAPTURE_RECORD)
		return capture_stop(c, CAPTURE_REFUSED, "is empty, or nearly: no capture");
	memcpy(&magic, c->head, sizeof(magic));
	swapped = bswap_32(magic);
	c->blocks = magic == BLOCK_SECTION;
	if (c->blocks) {
		c->begun = sizeof(magic);
		return CAPTURE_RECORD;
	}
	c->swapped = swapped == PCAP_MICROSECONDS || swapped == PCAP_NANOSECONDS;
	if (c->swapped || magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS)
		return read_pcap_head(c, (c->swapped ? swapped : magic) == PCAP_NANOSECONDS);
	if (magic == PCAP_MODIFIED || swapped == PCAP_MODIFIED)
		return capture_stop(c, CAPTURE_REFUSED,
				    "is a modified pcap, as old Linux wrote it: "
				    "editcap -F pcap FILE NEW");
	return capture_stop(
		c, CAPTURE_REFUSED,
		"no capture: neither pcap nor pcapng, as tcpdump and Wireshark write; if it is "
		"compressed, but not by gzip, decompress it first");
}

struct capture *capture_new(FILE *in)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct capture){.in = in, .result = CAPTURE_RECORD};
	c->result = read_head(c);
	return c;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	free(c->interfaces);
	free(c->body);
	free(c);
}

enum capture_result capture_next(struct capture *c, struct capture_record *record)
{
	if (c->result == CAPTURE_RECORD)
		c->result = c->blocks ? capture_next_in_blocks(c, record) : next_in_pcap(c, record);
	return c->result;
}

const char *capture_wrong(const struct capture *c)
{
	return c->wrong;
}
