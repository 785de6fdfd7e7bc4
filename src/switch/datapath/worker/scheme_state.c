// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/scheme_state.h"

#include <errno.h>
#include <stdlib.h>

// A packet takes less than this in ticks, and at least half of it.
#define PACKET_TICKS 128

#define PACKET_NS_MIN 100
#define PACKET_NS_MAX 1000000000

// The links whose packets are the clock: uplinks; of a switch without any, those down.
static const struct drb_port_setup *clock_links(const struct drb_setup *s, uint32_t *links)
{
	*links = s->up_ports ? s->up_ports : s->down_ports;
	return &s->ports[s->up_ports ? s->down_ports : 0];
}

// All of them have a rate, in the same unit.
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

// What a packet takes on such a link: a full frame, where sizes matter. An uplink that is slower than
// others of the fabric takes several slots of theirs for a packet; it is theirs that counts.
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

// The rate of each uplink a tick, as far as one of several workers may use it.
static void set_rates(struct drb_scheme_state *state, const struct drb_setup *s)
{
	const struct drb_port_setup *up = &s->ports[s->down_ports];
	double tick =
		(double)(UINT64_C(1) << state->tick_shift) / 1e9 / (s->workers ? s->workers : 1);
	double rate[DRB_PORTS_MAX];

	for (uint32_t u = 0; u < s->up_ports; u++)
		rate[u] = up[u].rate.value * tick / (up->rate.per_packet ? 1 : 8);
	drb_spread_set_rates(&state->spread, rate);
	state->octets = !up->rate.per_packet;
	state->overhead = up->overhead;
}

// A core looks at queues down, which links without a rate do not have.
static bool queues_are_seen(const struct drb_setup *s)
{
	return s->layer > 1 && rates_are_known(s);
}

static int init_walk(struct drb_scheme_state *state, const struct drb_setup *s)
{
	struct drb_spread_setup setup = {.tree = &s->tree, .layer = s->layer};
	const bool up = s->up_ports > 0;
	uint64_t *memory = malloc(DRB_SPREAD_WORDS(s->up_ports, s->down_ports) * sizeof(*memory));

	if (up)
		state->round = malloc(drb_rounds(&s->tree, s->layer) * sizeof(*state->round));
	if (!memory || (up && !state->round)) {
		free(memory);
		return -ENOMEM;
	}
	state->timed = rates_are_known(s); // else windows are counted in packets
	if (state->timed) {
		const uint64_t ns = packet_ns(s);
		while (ns >> state->tick_shift >= PACKET_TICKS)
			state->tick_shift++;
		setup.packet_time = (uint32_t)(ns >> state->tick_shift);
		setup.rate = 1; // until it is known of each uplink
	}
	drb_spread_init(&state->spread, &setup, memory);
	state->walks = true;
	if (state->timed && up)
		set_rates(state, s);
	if (up)
		drb_rounds_init(state->round, &s->tree, s->layer, s->choice.salt);
	return 0;
}

static int init_remembered(struct drb_scheme_state *state, const struct drb_setup *s)
{
	state->remembered =
		malloc(drb_scheme_table[s->choice.scheme].remembers * sizeof(*state->remembered));
	if (!state->remembered)
		return -ENOMEM;
	drb_remember_init(state->remembered, &s->choice);
	return 0;
}

int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *s)
{
	int rc = 0;

	*state = (struct drb_scheme_state){
		.scheme = s->choice.scheme,
		.layer = s->layer,
		.mac_octet = s->addr.mac[1],
		.by_group = s->tree.by[s->layer],
	};
	if (s->choice.scheme == DRB_SCHEME_WALK && (s->up_ports > 0 || queues_are_seen(s)))
		rc = init_walk(state, s);
	if (drb_scheme_table[s->choice.scheme].remembers && s->up_ports > 0)
		rc = init_remembered(state, s);
	if (rc < 0)
		drb_scheme_state_free(state);
	return rc;
}

void drb_scheme_state_free(struct drb_scheme_state *state)
{
	free(state->spread.count);
	free(state->round);
	free(state->remembered);
	state->spread.count = NULL;
	state->round = NULL;
	state->remembered = NULL;
}
