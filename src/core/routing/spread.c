// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/spread.h"

#include <math.h>
#include <string.h>

// The unevenness above which a switch spreads, measured in the simulator. Spreading has the lower
// mean latency already from 0.22 times the size on. The limit is higher because in a less uneven
// fabric some switches exceed it by chance of the hosts below them. A few such switches are enough
// for all to hear.
static double unevenness_limit(double size)
{
	return fmax(1.5, 0.35 * size);
}

// The overflow above which spreading has the lower mean latency. Measured on F(3,2) to F(3,24) and
// F(4,6) with permutations that change every 1 to 10 slots at loads 0.7 to 0.99. Spreading costs
// more with more down-links on which packets can meet.
static double overflow_limit(double size)
{
	return fmax(1, size - 1) / 70;
}

#define UNEVEN_AT_ONCE 8
#define OVERFLOW_LEAST 0.02 // for bursts: less overflow is no burst
#define NOISE 1.2           // tolerance of an overflow, in standard deviations of a mean
#define NOISE_EARLY 1.8     // the same before all windows are in
#define UNKNOWN_ROOM (10.0 / 9)
// Evidence that has begun ends only below this part of its limit.
#define END_AT_ONCE 0.5
#define END_UNEVEN 0.7 // of the part above 1
#define END_OVERFLOW 0.9
#define END_LASTING 0.5
#define DEAF 0.25 // deaf: receives less than this share of the packets that it sends up
// An egress queue of a down-port with more packets than this times d for DRB_SPREAD_BURSTS windows
// is evidence; with twice as many it is evidence at once. Shorter queues last by chance under
// random destinations (F(3,8) at 0.9).
#define STAND 6
// While some uplinks are dead, all others are longer than this times d only if they cannot carry
// the packets that come. This never happened under fresh permutations up to a use of 0.99 (F(3,2),
// F(3,4), F(3,8)).
#define STAND_UP 2
#define DRAINED 4 // packets: a long queue stays long while it has more than this
// Windows for which the evidence holds after a long queue has ended. They double each time that a
// queue soon becomes long again. Otherwise a fabric whose queues drain while all switches spread
// would start and stop spreading in turn.
#define HOLD DRB_SPREAD_LASTS
#define HOLD_MOST (16 * HOLD)

// Half of the uplinks among which a packet chooses on the longest path.
static double size_of(const struct drb_tree *t)
{
	uint32_t uplinks = 0;

	for (uint32_t m = 1; m < t->layers; m++)
		uplinks += drb_tree_up_ports(t, m);
	return uplinks / 2.0;
}

void drb_spread_init(struct drb_spread *s, const struct drb_spread_setup *setup, uint64_t *memory)
{
	const uint32_t uplinks = drb_tree_up_ports(setup->tree, setup->layer);
	const uint32_t downlinks = drb_tree_down_ports(setup->tree, setup->layer);
	const double size = size_of(setup->tree);

	memset(memory, 0, DRB_SPREAD_WORDS(uplinks, downlinks) * sizeof(*memory));
	*s = (struct drb_spread){
		.uplinks = uplinks,
		.window = DRB_SPREAD_WINDOW * setup->packet_time,
		.rate = setup->rate,
		.hears_all = !setup->part,
		.uneven = unevenness_limit(size),
		.overflow = overflow_limit(size),
		.count = memory,
		.lasting = memory + uplinks,
		.weight = memory + 2 * (size_t)uplinks,
		.queues = setup->layer > 1 ? downlinks : 0,
		.arity = setup->tree->arity,
		.stood = memory + 3 * (size_t)uplinks,
		.joined = UINT32_MAX,
		.held = HOLD,
		.since = 2 * HOLD,
	};
	for (uint32_t u = 0; u < uplinks; u++)
		s->weight[u] = UINT64_C(1) << 32;
}

void drb_spread_set_rates(struct drb_spread *s, const double rate[])
{
	double sum = 0;

	for (uint32_t u = 0; u < s->uplinks; u++)
		sum += rate[u];
	s->rate = sum / s->uplinks;
	for (uint32_t u = 0; u < s->uplinks; u++)
		s->weight[u] = (uint64_t)(rate[u] / s->rate * 0x1p32);
}

static void settle(struct drb_spread *s)
{
	s->distance = s->evidence ? 1 : s->deaf ? 2 : s->heard;
}

// Sets or clears evidence.
static void evidence_set(struct drb_spread *s, enum drb_spread_evidence what, bool found)
{
	s->evidence = (uint8_t)(found ? s->evidence | what : s->evidence & ~what);
	settle(s);
}

struct load {
	double mean;     // of the uplinks, as a share of their rate
	double overflow; // mean of the load of each above its rate
};

// The load that defaults would have caused in so much time.
static struct load load_of(const struct drb_spread *s, const uint64_t at[], double time)
{
	const uint64_t sizes = (UINT64_C(1) << 40) - 1;
	double sum = 0, over = 0, room = s->rate * time;

	for (uint32_t u = 0; u < s->uplinks; u++)
		sum += (double)(at[u] & sizes);
	if (room <= 0)
		room = sum / s->uplinks * UNKNOWN_ROOM;
	if (room <= 0)
		return (struct load){0, 0};
	for (uint32_t u = 0; u < s->uplinks; u++) {
		double above = (double)(at[u] & sizes) - room * 0x1p-32 * (double)s->weight[u];
		over += above > 0 ? above : 0;
	}
	return (struct load){sum / room / s->uplinks, over / room / s->uplinks};
}

static double spare(struct load load)
{
	return load.mean < 1 ? 1 - load.mean : 0;
}

static void judge_bursts(struct drb_spread *s)
{
	struct drb_spread_bursts *b = &s->bursts;
	bool was = s->evidence & DRB_SPREAD_BY_BURSTS;
	double uneven = was ? 1 + (s->uneven - 1) * END_UNEVEN : s->uneven;
	double limit = was ? s->overflow * END_OVERFLOW : s->overflow;
	double overflow = b->overflow / b->windows;

	evidence_set(s, DRB_SPREAD_BY_BURSTS,
		     (b->variance > uneven * b->random && overflow > OVERFLOW_LEAST) ||
			     (s->rate > 0 && overflow > limit));
	*b = (struct drb_spread_bursts){0};
}

static double lasting_limit(const struct drb_spread *s, struct load load, double noise)
{
	double mean = load.mean * sqrt(s->uplinks / (2 * fmax(1, s->lasts.packets)));

	return spare(load) / 2 + noise * mean;
}

// A large overflow is found before all windows are in.
static void judge_lasting_early(struct drb_spread *s)
{
	struct load load = load_of(s, s->lasting, s->lasts.time);

	if (load.overflow > lasting_limit(s, load, NOISE_EARLY))
		evidence_set(s, DRB_SPREAD_BY_LASTING, true);
}

static void judge_lasting(struct drb_spread *s)
{
	struct load load = load_of(s, s->lasting, s->lasts.time);
	double limit = lasting_limit(s, load, NOISE);

	if (s->evidence & DRB_SPREAD_BY_LASTING)
		limit *= END_LASTING;
	if (!s->lasts.heard)
		s->heard = 0; // no marks for so long: forget
	evidence_set(s, DRB_SPREAD_BY_LASTING, load.overflow > limit);
	s->lasts = (struct drb_spread_lasts){0};
	memset(s->lasting, 0, s->uplinks * sizeof(*s->lasting));
}

// Judges only if the rate is known; without it there are no queues that could overflow.
static void judge_deafness(struct drb_spread *s, double sent)
{
	struct drb_spread_ears *e = &s->ears;

	e->sent += sent;
	if (++e->windows < DRB_SPREAD_DEAF || s->rate <= 0 || !s->hears_all)
		return;
	const bool knows = e->sent >= 2 * s->uplinks;
	if (!knows && e->windows < DRB_SPREAD_LASTS)
		return;
	s->deaf = knows && e->heard + s->hearing < DEAF * e->sent;
	*e = (struct drb_spread_ears){.heard = -(double)s->hearing}; // these count already
	settle(s);
}

// One packet is enough: the packets that a single rack spreads are few at each core.
static void judge_turning(struct drb_spread *s)
{
	if (s->turned)
		s->remembers = DRB_SPREAD_TURNED;
	else if (s->remembers > 0)
		s->remembers--;
	s->turned = false;
	evidence_set(s, DRB_SPREAD_BY_TURNING, s->remembers > 0);
}

// True while a queue has been longer than `most` for long enough. *stood: windows for which it has
// been that long.
static bool stands(uint64_t *stood, uint32_t waiting, uint32_t most)
{
	*stood = waiting > (*stood ? DRAINED : most) ? *stood + 1 : 0;
	if (waiting > 2 * most)
		*stood += DRB_SPREAD_BURSTS;
	return *stood >= DRB_SPREAD_BURSTS;
}

static bool some_queue_stands(struct drb_spread *s, const uint32_t waiting[])
{
	const uint32_t up = s->joined == UINT32_MAX ? 0 : s->joined;
	bool found = stands(&s->stood[s->queues], up, STAND_UP * s->arity);

	for (uint32_t q = 0; q < s->queues; q++)
		found |= stands(&s->stood[q], waiting[q], STAND * s->arity);
	s->joined = UINT32_MAX;
	return found;
}

void drb_spread_look(struct drb_spread *s, const uint32_t waiting[])
{
	if (s->queues == 0)
		return;
	if (some_queue_stands(s, waiting)) {
		if (s->holds == 0)
			s->held = s->since < 2 * s->held ? 2 * s->held : HOLD;
		s->held = s->held < HOLD_MOST ? s->held : HOLD_MOST;
		s->holds = s->held;
		s->since = 0;
	} else if (s->holds > 0) {
		s->holds--;
	} else if (s->since < 2 * s->held) {
		s->since++;
	}
	evidence_set(s, DRB_SPREAD_BY_QUEUES, s->holds > 0);
}

void drb_spread_judge(struct drb_spread *s, uint32_t now)
{
	judge_turning(s);
	if (s->uplinks == 0) {
		s->began = now;
		return;
	}
	double time = (double)(uint32_t)(now - s->began), n = 0, squares = 0;
	struct load load = load_of(s, s->count, time);
	bool was = s->evidence & DRB_SPREAD_AT_ONCE;

	for (uint32_t u = 0; u < s->uplinks; u++) {
		double packets = (double)(s->count[u] >> 40);
		n += packets;
		squares += packets * packets;
		s->lasting[u] += s->count[u] & ((UINT64_C(1) << 40) - 1);
		s->count[u] = 0;
	}
	double variance = squares - n * n / s->uplinks, random = n - n / s->uplinks;
	double end = was ? END_AT_ONCE : 1;
	evidence_set(s, DRB_SPREAD_AT_ONCE,
		     variance > UNEVEN_AT_ONCE * end * random &&
			     load.overflow > spare(load) / 2 * end);
	s->bursts.variance += variance;
	s->bursts.random += random;
	s->bursts.overflow += load.overflow;
	s->lasts.time += time;
	s->lasts.packets += n;
	s->lasts.windows++;
	judge_deafness(s, n);
	if (++s->bursts.windows == DRB_SPREAD_BURSTS) {
		judge_bursts(s);
		judge_lasting_early(s);
	}
	if (s->lasts.windows == DRB_SPREAD_LASTS)
		judge_lasting(s);
	s->began = now;
	s->sent = 0;
}

void drb_spread_heard(struct drb_spread *s)
{
	uint32_t near = 0, distance = 1;

	// Find the least distance that enough of the marks are within.
	while (distance < DRB_SPREAD_LAST &&
	       (near += s->marks[distance]) < drb_spread_enough(s->uplinks))
		distance++;
	s->heard = (uint8_t)(distance < DRB_SPREAD_LAST ? distance + 1 : 0);
	settle(s);
	s->lasts.heard = true;
	s->ears.heard += s->hearing;
	s->hearing = 0;
	memset(s->marks, 0, sizeof(s->marks));
}
