// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/scheme_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/schemes/all.h"

// A packet takes fewer ticks than this, and at least half.
#define PACKET_TICKS 128

#define PACKET_NS_MIN 100
#define PACKET_NS_MAX 1000000000

// The links whose packets are the clock: uplinks, or down-links if the switch has no uplinks.
static const struct drb_port_setup *clock_links(const struct drb_setup *s, uint32_t *links)
{
	*links = s->up_ports ? s->up_ports : s->down_ports;
	return &s->ports[s->up_ports ? s->down_ports : 0];
}

// True if all these links have a rate, in the same unit.
static bool rates_are_known(const struct drb_setup *s)
{
	uint32_t links;
	const struct drb_port_setup *up = clock_links(s, &links);

	for (uint32_t u = 0; u < links; u++) {
		if (up[u].rate.value <= 0 || up[u].rate.per_packet != up->rate.per_packet)
			return false;
	}
	return true;
}

// Time of a packet on such a link, in ns; of a full frame if the rate is in bit/s. An uplink that
// is slower than others of the fabric takes several of their slots for a packet: the time of one
// slot counts.
static uint64_t packet_ns(const struct drb_setup *s)
{
	uint32_t links;
	const struct drb_port_setup *up = clock_links(s, &links);
	double bits = up->rate.per_packet ? 1 : (DRB_ETHER_HEADER + s->mtu + up->overhead) * 8;
	double ns = bits * 1e9 / up->rate.value / up->slots;

	return ns < PACKET_NS_MIN   ? PACKET_NS_MIN
	       : ns > PACKET_NS_MAX ? PACKET_NS_MAX
				    : (uint64_t)ns;
}

// The rate of each uplink in a tick, as one worker's share.
static void rates_of(const struct drb_setup *s, uint32_t tick_shift, double rate[])
{
	const struct drb_port_setup *up = &s->ports[s->down_ports];
	double tick = (double)(UINT64_C(1) << tick_shift) / 1e9 / (s->workers ? s->workers : 1);

	for (uint32_t u = 0; u < s->up_ports; u++)
		rate[u] = up[u].rate.value * tick / (up->rate.per_packet ? 1 : 8);
}

// True if a core keeps state. A core sends nothing up, so it needs a rate to count windows.
static bool core_keeps(const struct drb_setup *s)
{
	return (s->choice.ops->needs & DRB_AT_CORES) && s->layer > 1 && rates_are_known(s);
}

static int init_state(struct drb_scheme_state *state, const struct drb_setup *s)
{
	uint32_t links;
	const struct drb_port_setup *up = clock_links(s, &links);
	struct drb_choice choice = s->choice;
	struct drb_scheme_setup setup = {
		.tree = &s->tree, .layer = s->layer, .choice = &choice, .workers = s->workers};
	double rate[DRB_PORTS_MAX];

	choice.param = s->scheme.param;
	// Without rates, windows are counted in packets, not in time.
	state->timed = state->ops->tick && rates_are_known(s);
	if (state->timed) {
		const uint64_t ns = packet_ns(s);
		while (ns >> state->tick_shift >= PACKET_TICKS)
			state->tick_shift++;
		setup.packet_time = (uint32_t)(ns >> state->tick_shift);
		rates_of(s, state->tick_shift, rate);
		setup.rate = 1;
		setup.rates = rate;
		state->octets = !up->rate.per_packet;
		state->overhead = up->overhead;
	}
	state->state = malloc(state->ops->state_size(&setup));
	if (!state->state)
		return -ENOMEM;
	state->ops->init(state->state, &setup);
	return 0;
}

// Reads and writes the marks of a burst. Frames to group addresses are hellos, not packets between
// hosts. known: bits of marks that the scheme reads and writes.
static inline __attribute__((always_inline)) void read_marks(const struct drb_scheme_ops *ops,
							     uint8_t known,
							     struct drb_scheme_state *s,
							     const struct drb_burst *b)
{
	// Copies: the compiler must assume that a byte written into a frame changes the originals.
	const bool to_hosts = s->layer == 1, above = b->in >= s->down_ports;
	const uint32_t first = s->first, span = s->span;
	const uint8_t mac_octet = s->mac_octet;
	void *state = s->state;

	for (uint32_t i = 0; i < b->count; i++) {
		uint8_t *frame = rte_pktmbuf_mtod(b->packets[i], uint8_t *);
		if (b->packets[i]->data_len < DRB_FRAME_MIN || frame[0] & 1)
			continue;
		uint8_t mark = frame[DRB_MARK_AT] ^ mac_octet;
		if (above && ops->hear)
			ops->hear(state, mark & known);
		if (!above && drb_addr_label_octets(frame) - first >= span)
			continue; // it goes up, as the scheme decides
		const bool turns = !above && frame[1] == mac_octet; // else it is on a detour
		uint8_t leaves = to_hosts ? 0
				 : ops->mark_down
					 ? ops->mark_down(state, mark & known, turns) & known
					 : mark;
		if (leaves != mark)
			frame[DRB_MARK_AT] = mac_octet ^ leaves;
	}
}

// clang-format off
#define X(id, name)                                                                                \
	static void read_marks_##name(struct drb_scheme_state *s, const struct drb_burst *b)       \
	{                                                                                          \
		read_marks(&drb_scheme_##name, UINT8_MAX, s, b);                                              \
	}
DRB_SCHEMES(X)
#undef X

// For a loaded scheme: switches above may have another scheme, whose marks it does not know.
static void read_marks_outside(struct drb_scheme_state *s, const struct drb_burst *b)
{
	read_marks(s->ops, (uint8_t)((1u << s->ops->mark_bits) - 1), s, b);
}

static void (*const readers[DRB_SCHEME_COUNT + 1])(struct drb_scheme_state *, const struct drb_burst *) = {
#define X(id, name) [DRB_SCHEME_##id] = read_marks_##name,
	DRB_SCHEMES(X)
#undef X
	[DRB_SCHEME_COUNT] = read_marks_outside,
};
// clang-format on

int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *s)
{
	*state = (struct drb_scheme_state){
		.ops = s->choice.ops,
		.layer = s->layer,
		.down_ports = s->down_ports,
		.first = s->hop.first,
		.span = s->hop.span,
		.marks_down = s->layer > 1 && s->choice.ops->mark_down && s->choice.ops->own_mark,
		.mac_octet = s->addr.mac[1],
	};
	if (s->up_ports == 0 && !core_keeps(s))
		return 0;
	if (state->ops->mark_bits)
		state->read_marks = readers[s->scheme.like];
	return state->ops->state_size ? init_state(state, s) : 0;
}

bool drb_scheme_state_stays(const struct drb_setup *from, const struct drb_setup *to)
{
	uint32_t links;
	const struct drb_port_setup *old = clock_links(from, &links),
				    *new = clock_links(to, &links);
	bool same = from->choice.ops == to->choice.ops && from->layer == to->layer &&
		    memcmp(from->scheme.param, to->scheme.param, sizeof(to->scheme.param)) == 0;

	for (uint32_t u = 0; u < links; u++)
		same &= old[u].rate.value == new[u].rate.value &&old[u].rate.per_packet ==
			new[u].rate.per_packet &&old[u].slots == new[u].slots &&old[u].overhead ==
			new[u].overhead;
	return same;
}

void drb_scheme_state_free(struct drb_scheme_state *state)
{
	free(state->state);
	state->state = NULL;
}
