// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/uec.h"

#include <math.h>

#include "core/fabric/tree.h"

#include "sim/models/delay.h"

#define REFERENCE_NS 12000.0 // round trip that the gains refer to, at 100 Gbit/s
#define REFERENCE_BYTES 150000.0
#define HEADER 64 // bytes of a header, and of an acknowledgement
#define WINDOW_OF_BDP 1.5
#define TARGET_OF_ROUND_TRIP 0.75
#define MARK_OF_BDP 0.2
#define MARK_MOST_OF_BDP 0.8
#define MEAN_GAIN 0.0125
#define SHRINK 0.8
#define SHRINK_MOST 0.5
#define ADAPT_BELOW 0.125 // share of the largest window
#define ADAPT_DELAY 4     // target delays
#define ADJUST_PACKETS 8

struct drb_uec_units drb_uec_units(const struct drb_uec_units *units)
{
	struct drb_uec_units u = *units;

	u.payload = u.payload > 0 ? u.payload : 4096;
	u.slot_ns = u.slot_ns > 0 ? u.slot_ns : u.payload * 8 / 400;
	return u;
}

double drb_uec_slot_ns(double payload, double gbit)
{
	return (payload + HEADER) * 8 / gbit;
}

struct drb_uec drb_uec_constants(const struct drb_uec_units *units, const struct drb_tree *tree,
				 const struct drb_delay *delay)
{
	const struct drb_uec_units u = drb_uec_units(units);
	const double payload = u.payload, slot_ns = u.slot_ns, bytes = payload + HEADER;
	const double nic = u.nic > 0 ? u.nic * slot_ns / (bytes * 8) : 1;
	const double links = 2.0 * tree->layers, ack = HEADER / bytes;
	const double round_trip =
		2.0 * (double)drb_delay_of_way(delay, tree->layers) + links * (1 + ack) / nic;
	const double bdp = round_trip * nic, target = TARGET_OF_ROUND_TRIP * round_trip;
	const double a = bdp * bytes / REFERENCE_BYTES;
	const uint32_t queue = (uint32_t)ceil(bdp);

	return (struct drb_uec){
		.nic = nic,
		.ack_hop = ack,
		.round_trip = round_trip,
		.bdp = bdp,
		.target = target,
		.slot_ns = slot_ns,
		.fair = 5 * payload / bytes * a,
		.proportional = 4 * payload / bytes * a * target * slot_ns / REFERENCE_NS,
		.fast = 0.25 * a,
		.steady = 0.15 * payload / bytes * a,
		.fast_below = 1000 / slot_ns,
		.ack_every = (uint32_t)ceil(16384 / bytes),
		.queue = queue,
		.mark = (uint32_t)ceil(MARK_OF_BDP * queue),
		.mark_most = (uint32_t)ceil(MARK_MOST_OF_BDP * queue),
		.timeout = (uint32_t)ceil(15000 / slot_ns + 6 * queue / nic),
		.freeze = (uint32_t)(10e6 / slot_ns),
	};
}

struct drb_nscc drb_nscc_new(const struct drb_uec *c)
{
	const double most = WINDOW_OF_BDP * c->bdp;

	return (struct drb_nscc){.window = most, .most = most, .base = c->round_trip};
}

static void keep_bounds(struct drb_nscc *n)
{
	n->window = n->window < n->most ? n->window : n->most;
	n->window = n->window > 1 ? n->window : 1;
}

static void note_round_trip(struct drb_nscc *n, const struct drb_uec *c, double round_trip)
{
	if (round_trip < 0 || round_trip >= n->base)
		return;
	n->base = round_trip;
	n->most = WINDOW_OF_BDP * round_trip * c->nic;
}

// A long delay without a mark counts as a quarter of the base round trip, because it comes from
// another path and shows no congestion on this one.
static void note_delay(struct drb_nscc *n, const struct drb_uec *c, double delay, bool marked)
{
	const double sample = !marked && delay > c->target ? 0.25 * n->base : delay;

	n->mean += MEAN_GAIN * (sample - n->mean);
}

// True if the window adapted quickly, or if the packet was in flight when it did.
static bool adapt(struct drb_nscc *n, const struct drb_uec *c, const struct drb_nscc_ack *ack,
		  double delay, bool marked)
{
	bool done = n->ignored < n->ignore && marked;

	if (!done && ack->now > n->adapts) {
		if (n->adapts > 0 && (n->trimmed || delay > ADAPT_DELAY * c->target) &&
		    n->achieved < ADAPT_BELOW * n->most) {
			n->window = n->achieved > 1 ? n->achieved : 1;
			n->ignore = ack->under_way;
			n->ignored = 0;
			n->trimmed = false;
			done = true;
		}
		n->achieved = 0;
		n->adapts = ack->now + n->base + c->target;
	}
	if (done) {
		n->gathered = 0;
		n->received = 0;
	}
	return done;
}

static void grow_below_target(struct drb_nscc *n, const struct drb_uec *c, double delay,
			      uint32_t newly)
{
	if (delay < c->fast_below) {
		n->fast_bytes += newly;
		if (n->fast || n->fast_bytes > n->window) {
			n->window += newly * c->fast;
			n->fast = true;
			return;
		}
	} else {
		n->fast_bytes = 0;
	}
	n->fast = false;
	n->gathered += c->proportional * newly * (1 - delay / c->target);
}

static void shrink(struct drb_nscc *n, const struct drb_uec *c, double now)
{
	n->fast = false;
	n->fast_bytes = 0;
	if (n->mean <= c->target || now - n->cut <= n->base)
		return;
	n->window *= fmax(1 - SHRINK * (n->mean - c->target) / n->mean, SHRINK_MOST);
	n->cut = now;
}

static void adjust(struct drb_nscc *n, const struct drb_uec *c, double now)
{
	keep_bounds(n);
	if (n->received <= ADJUST_PACKETS && now - n->adjusted <= c->round_trip)
		return;
	n->window += n->gathered / n->window;
	if (now - n->adjusted >= c->round_trip) {
		n->window += c->steady;
		n->adjusted = now;
	}
	n->gathered = 0;
	n->received = 0;
	keep_bounds(n);
}

void drb_nscc_acknowledged(struct drb_nscc *n, const struct drb_uec *c,
			   const struct drb_nscc_ack *ack)
{
	double delay = n->mean;

	n->achieved += ack->newly;
	n->received += ack->newly;
	n->ignored += ack->newly;
	note_round_trip(n, c, ack->round_trip);
	if (ack->round_trip >= 0) {
		delay = ack->round_trip - n->base;
		note_delay(n, c, delay, ack->marked);
	}
	if (adapt(n, c, ack, delay, ack->marked))
		return;
	if (!ack->marked && delay >= c->target)
		n->gathered += c->fair * ack->newly;
	else if (!ack->marked)
		grow_below_target(n, c, delay, ack->newly);
	else if (delay >= c->target)
		shrink(n, c, ack->now);
	adjust(n, c, ack->now);
}

void drb_nscc_trimmed(struct drb_nscc *n, const struct drb_uec *c, const struct drb_nscc_ack *ack)
{
	note_round_trip(n, c, ack->round_trip);
	n->ignored++;
	note_delay(n, c, c->round_trip, true);
	n->trimmed = true;
	if (adapt(n, c, ack, 0, true))
		return;
	n->window -= 1;
	keep_bounds(n);
}

void drb_nscc_timed_out(struct drb_nscc *n)
{
	n->window = n->window > 2 ? n->window - 1 : 1;
}
