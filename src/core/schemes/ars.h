// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ars: Adaptive Routing and Switching, as SAI describes it for switch chips (saiars.h,
// saiarsprofile.h). The quality of an uplink is the band of its average queue, plus, if configured,
// that of its average rate. A flowlet takes a random uplink of the best quality and keeps it until
// it pauses for longer than the idle time. Without an idle time each packet is decided alone. One
// sample per interval updates the qualities. docs/reference/config.md maps attributes to
// parameters.
//
// A hash distinguishes flowlets; those that share an entry of the table share an uplink. Each
// worker of a switch has a table and samples of its own. Without a clock each packet is decided
// alone, with a sample of its own.

#include <string.h>

#include "core/routing/among.h"
#include "core/routing/candidates.h"

#define DRB_ARS_BANDS 8
#define DRB_ARS_PARTS 256           // fractions of a packet, in averages
#define DRB_ARS_LOAD_MAX (1u << 20) // packets: more than the start of any band
#define DRB_ARS_TICKS_MAX (1u << 31)
#define DRB_ARS_NO_UPLINK UINT16_MAX

enum {
	DRB_ARS_IDLE_TIME,
	DRB_ARS_MAX_FLOWS,
	DRB_ARS_INTERVAL,
	DRB_ARS_CURRENT,
	DRB_ARS_EXPONENT,
	DRB_ARS_MIN_VAL,
	DRB_ARS_MAX_VAL,
	DRB_ARS_PAST,
	DRB_ARS_PAST_MIN,
	DRB_ARS_PAST_MAX
};

// The initial values differ from SAI's. Times are SAI's at 1 Gbit/s with full frames. SAI counts
// the past load, and has no range of loads (schemes/sonic.h has its values).
static const struct drb_scheme_param drb_ars_params[] = {
	[DRB_ARS_IDLE_TIME] = {"idle_time",
			       "packet times; a longer pause ends a flowlet; 0: decide per packet",
			       0, 1e7, 20},
	[DRB_ARS_MAX_FLOWS] = {"max_flows", "entries of the table of flowlets", 1, 65536, 512},
	[DRB_ARS_INTERVAL] = {"sampling_interval", "packet times between samples", 1, 1e6, 1},
	[DRB_ARS_CURRENT] = {"port_load_current", "1: a sample below the average replaces it", 0, 1,
			     0},
	[DRB_ARS_EXPONENT] = {"port_load_exponent",
			      "a sample has a weight of 1 / 2^exponent in the average", 0, 6, 2},
	[DRB_ARS_MIN_VAL] = {"load_future_min_val", "packets up to which a queue is in band 0", 0,
			     1e5, 0},
	[DRB_ARS_MAX_VAL] = {"load_future_max_val", "packets from which it is in band 7", 0, 1e5,
			     16},
	[DRB_ARS_PAST] = {"port_load_past", "1: the average rate counts as well as the queue", 0, 1,
			  0},
	[DRB_ARS_PAST_MIN] = {"load_past_min_val",
			      "percent of the link up to which its rate is in "
			      "band 0",
			      0, 100, 0},
	[DRB_ARS_PAST_MAX] = {"load_past_max_val", "percent from which it is in band 7", 0, 100, 0},
	{0},
};

struct drb_ars_flowlet {
	uint32_t seen;   // when its last packet arrived
	uint16_t uplink; // DRB_ARS_NO_UPLINK: no packet has arrived
};

// Times are in the host's unit, loads in DRB_ARS_PARTS of a packet.
struct drb_ars {
	uint32_t now, sampled;
	// idle 0: each packet is a flowlet. interval 0: each packet takes a sample.
	uint32_t idle, interval;
	uint32_t flowlets, exponent, packet_time;
	struct drb_ars_range {
		uint32_t min, max;
	} future, past; // packets, and percent of the link's rate
	bool current, counts_past, begun;
	struct drb_ars_flowlet *flowlet;
	uint32_t *quality; // by uplink: the sum of its bands
	uint32_t *rate;    // average, in percent
	uint32_t *taken;   // packets since the last sample
	uint32_t *before;  // packets in its queue at the last sample
	// By uplink: its average queue. The arrays above follow, then the flowlets.
	uint32_t average[];
};

static inline size_t drb_ars_size(const struct drb_scheme_setup *setup)
{
	return sizeof(struct drb_ars) + 5 * setup->choice->uplinks * sizeof(uint32_t) +
	       (size_t)drb_param(setup->choice, DRB_ARS_MAX_FLOWS) * sizeof(struct drb_ars_flowlet);
}

static inline uint32_t drb_ars_ticks(const struct drb_scheme_setup *setup, uint32_t param)
{
	double ticks = drb_param(setup->choice, param) * setup->packet_time;

	return ticks < DRB_ARS_TICKS_MAX ? (uint32_t)ticks : DRB_ARS_TICKS_MAX;
}

static inline struct drb_ars_range drb_ars_range_of(const struct drb_choice *c, uint32_t min,
						    uint32_t max)
{
	return (struct drb_ars_range){(uint32_t)(drb_param(c, min) * DRB_ARS_PARTS),
				      (uint32_t)(drb_param(c, max) * DRB_ARS_PARTS)};
}

static inline void drb_ars_init(void *state, const struct drb_scheme_setup *setup)
{
	const struct drb_choice *c = setup->choice;
	struct drb_ars *ars = state;

	memset(ars, 0, drb_ars_size(setup));
	ars->idle = drb_ars_ticks(setup, DRB_ARS_IDLE_TIME);
	ars->interval = drb_ars_ticks(setup, DRB_ARS_INTERVAL);
	ars->flowlets = (uint32_t)drb_param(c, DRB_ARS_MAX_FLOWS);
	ars->exponent = (uint32_t)drb_param(c, DRB_ARS_EXPONENT);
	ars->packet_time = setup->packet_time;
	ars->future = drb_ars_range_of(c, DRB_ARS_MIN_VAL, DRB_ARS_MAX_VAL);
	ars->past = drb_ars_range_of(c, DRB_ARS_PAST_MIN, DRB_ARS_PAST_MAX);
	ars->current = drb_param(c, DRB_ARS_CURRENT) >= 0.5;
	ars->counts_past = drb_param(c, DRB_ARS_PAST) >= 0.5;
	ars->quality = ars->average + c->uplinks;
	ars->rate = ars->quality + c->uplinks;
	ars->taken = ars->rate + c->uplinks;
	ars->before = ars->taken + c->uplinks;
	ars->flowlet = (struct drb_ars_flowlet *)(ars->before + c->uplinks);
	for (uint32_t i = 0; i < ars->flowlets; i++)
		ars->flowlet[i].uplink = DRB_ARS_NO_UPLINK;
}

static inline bool drb_ars_tick(void *state, uint32_t now, uint32_t sent)
{
	struct drb_ars *ars = state;

	(void)sent;
	ars->now = now;
	return false;
}

static inline uint32_t drb_ars_band(struct drb_ars_range range, uint32_t load)
{
	if (load <= range.min)
		return 0;
	if (load >= range.max)
		return DRB_ARS_BANDS - 1;
	return (load - range.min) * DRB_ARS_BANDS / (range.max - range.min);
}

// The average after this number of equal samples.
static inline uint32_t drb_ars_average(const struct drb_ars *ars, uint32_t average, uint32_t load,
				       uint32_t samples)
{
	if (!ars->begun || (ars->current && load < average))
		return load;
	while (samples-- > 0) {
		int64_t step = ((int64_t)load - average) >> ars->exponent;
		if (step == 0)
			break; // later samples do not move it either
		average = (uint32_t)(average + step);
	}
	return average;
}

// The rate of an uplink since the last sample, in percent.
static inline uint32_t drb_ars_rate(const struct drb_ars *ars, uint32_t u, uint32_t queue,
				    uint32_t samples)
{
	const uint64_t came = (uint64_t)ars->before[u] + ars->taken[u];
	const uint64_t sent = ars->begun && came > queue ? came - queue : 0;
	const uint64_t time = (uint64_t)samples * ars->interval;

	return time ? (uint32_t)(sent * 100 * DRB_ARS_PARTS * ars->packet_time / time) : 0;
}

static inline void drb_ars_count_past(struct drb_ars *ars, uint32_t u, uint32_t queue,
				      uint32_t samples)
{
	const uint32_t rate = drb_ars_rate(ars, u, queue, samples);

	ars->rate[u] = drb_ars_average(ars, ars->rate[u], rate, samples);
	ars->quality[u] += drb_ars_band(ars->past, ars->rate[u]);
	ars->taken[u] = 0;
	ars->before[u] = queue;
}

// Takes the samples that are due since the last decision.
static inline void drb_ars_sample(struct drb_ars *ars, uint32_t uplinks, struct drb_loads loads)
{
	uint32_t due = ars->interval ? (ars->now - ars->sampled) / ars->interval : 1;

	if (ars->begun && !due)
		return;
	ars->sampled = ars->begun ? ars->sampled + due * ars->interval : ars->now;
	for (uint32_t u = 0; u < uplinks; u++) {
		const uint32_t queue = drb_load(loads, u);
		const uint32_t load =
			(queue < DRB_ARS_LOAD_MAX ? queue : DRB_ARS_LOAD_MAX) * DRB_ARS_PARTS;
		ars->average[u] = drb_ars_average(ars, ars->average[u], load, due);
		ars->quality[u] = drb_ars_band(ars->future, ars->average[u]);
		if (ars->counts_past)
			drb_ars_count_past(ars, u, queue, due);
	}
	ars->begun = true;
}

// usable: bits of the uplinks that may be taken; 0: all may.
static inline uint32_t drb_ars_best(const struct drb_ars *ars, uint32_t uplinks, uint64_t usable,
				    uint64_t draw)
{
	uint32_t quality[DRB_USABLE_UPLINKS_MAX];

	if (!usable)
		return drb_least_loaded(uplinks, ars->quality, draw);
	for (uint32_t u = 0; u < uplinks; u++)
		quality[u] = usable >> u & 1 ? ars->quality[u] : 2 * DRB_ARS_BANDS;
	return drb_least_loaded(uplinks, quality, draw);
}

// Counts that the packet joins the queue of this uplink.
static inline uint32_t drb_ars_takes(struct drb_ars *ars, uint32_t uplink)
{
	if (ars->counts_past)
		ars->taken[uplink]++;
	return uplink;
}

static inline uint32_t drb_ars_among(const struct drb_decider *s, uint64_t usable,
				     struct drb_loads loads, struct drb_decision *d)
{
	struct drb_ars *ars = s->state;
	struct drb_ars_flowlet *f =
		&ars->flowlet[drb_scale32(drb_salted32(d->flow, s->choice.salt), ars->flowlets)];

	drb_ars_sample(ars, s->choice.uplinks, loads);
	if (!ars->idle)
		return drb_ars_takes(ars, drb_ars_best(ars, s->choice.uplinks, usable, d->draw));
	if (f->uplink == DRB_ARS_NO_UPLINK || ars->now - f->seen > ars->idle ||
	    (usable && !(usable >> f->uplink & 1)))
		f->uplink = (uint16_t)drb_ars_best(ars, s->choice.uplinks, usable, d->draw);
	f->seen = ars->now;
	return drb_ars_takes(ars, f->uplink);
}

static inline uint32_t drb_ars_choose(const struct drb_decider *s, struct drb_loads loads,
				      struct drb_decision *d)
{
	return drb_ars_among(s, 0, loads, d);
}

DRB_SCHEME(ars) = {
	.abi = DRB_SCHEME_ABI,
	.name = "ars",
	.help = "for each flowlet, a random uplink of those with the shortest average queue: ARS",
	.colour = "#1f9e9e",
	.symbol = "d",
	.needs = DRB_READS_FLOW | DRB_PACKETS_ONLY,
	.params = drb_ars_params,
	.compares = DRB_COMPARES_ALL,
	.draw = DRB_DRAW_WORD,
	.unloaded = DRB_DRAW_WORD,
	.state_size = drb_ars_size,
	.init = drb_ars_init,
	.choose = drb_ars_choose,
	.choose_among = drb_ars_among,
	.tick = drb_ars_tick,
};
